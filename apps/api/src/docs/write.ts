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
const architecture = `${root}docs/architecture.md`;
await writeFile(architecture, withImportsPicture(await readFile(architecture, 'utf8'), root));

const events = `${root}docs/events.md`;
await writeFile(events, withEventTypes(await readFile(events, 'utf8')));
