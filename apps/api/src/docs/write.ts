import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildRoutes } from './all-routes.js';
import { withEventTypes } from './event-types-table.js';
import { withImportsPicture } from './imports-picture.js';
import { GENERATED_PAGES } from './pages.js';

const routes = await buildRoutes();
for (const [name, text] of Object.entries(GENERATED_PAGES)) {
  await writeFile(new URL(`../../../../docs/${name}`, import.meta.url), text(routes));
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const architecturePath = `${root}docs/architecture.md`;
await writeFile(architecturePath, withImportsPicture(await readFile(architecturePath, 'utf8'), root));

const eventsPath = `${root}docs/events.md`;
await writeFile(eventsPath, withEventTypes(await readFile(eventsPath, 'utf8')));
