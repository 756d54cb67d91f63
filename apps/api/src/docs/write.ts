import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildRoutes } from './all-routes.js';
import { withImportsPicture } from './imports-picture.js';
import { GENERATED_PAGES } from './pages.js';

const routes = await buildRoutes();
for (const [name, text] of Object.entries(GENERATED_PAGES)) {
  await writeFile(new URL(`../../../../docs/${name}`, import.meta.url), text(routes));
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const architecture = `${root}docs/architecture.md`;
await writeFile(architecture, withImportsPicture(await readFile(architecture, 'utf8'), root));
