import { writeFile } from 'node:fs/promises';
import { GENERATED_PAGES } from './pages.js';

for (const [name, text] of Object.entries(GENERATED_PAGES)) {
  await writeFile(new URL(`../../../../docs/${name}`, import.meta.url), text());
}
