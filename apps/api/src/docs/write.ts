import { writeFile } from 'node:fs/promises';
import { allRoutes } from './all-routes.js';
import { GENERATED_PAGES } from './pages.js';

const routes = await allRoutes();
for (const [name, text] of Object.entries(GENERATED_PAGES)) {
  await writeFile(new URL(`../../../../docs/${name}`, import.meta.url), text(routes));
}
