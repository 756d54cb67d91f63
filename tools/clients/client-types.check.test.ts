import { readFile } from 'node:fs/promises';
import { buildRoutes } from '../../apps/api/src/docs/all-routes.js';
import { describeEvents } from '../../apps/api/src/events/index.js';
import { buildOpenApiDocument } from '../../apps/api/src/http/openapi.js';
import { API_VERSION } from '../../apps/api/src/version.js';

interface Generator {
  generateClientFiles(reference: object): Promise<Readonly<Record<string, string>>>;
}

describe('the generated files of the client', () => {
  it('are up to date with `npm run client:types`', async () => {
    const url = new URL('client-types.mjs', import.meta.url).href;
    const { generateClientFiles } = (await import(url)) as Generator;
    const reference = buildOpenApiDocument(await buildRoutes(), API_VERSION, describeEvents());
    const files = Object.entries(await generateClientFiles(reference));
    expect(files).toHaveLength(2);
    for (const [path, text] of files) {
      const isUpToDate = (await readFile(path, 'utf8')) === text;
      // Compares a boolean, because `toBe` on the texts would print both files on failure.
      expect([path, isUpToDate]).toEqual([path, true]);
    }
  }, 60_000);
});
