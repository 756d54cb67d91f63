import { readFile } from 'node:fs/promises';
import { describeEvents } from '../events/index.js';
import { buildOpenApiDocument } from '../http/openapi.js';
import { API_VERSION } from '../version.js';
import { buildRoutes } from './all-routes.js';

interface Generator {
  digestLineOf(reference: object): string;
  generateCalls(reference: object): string;
}

const readClientFile = (name: string): Promise<string> =>
  readFile(new URL(`../../../../packages/client/src/${name}`, import.meta.url), 'utf8');

describe('the generated files of the client', () => {
  let generator: Generator;
  let reference: object;
  beforeAll(async () => {
    generator = (await import(new URL('../testing/client-types.mjs', import.meta.url).href)) as Generator;
    reference = buildOpenApiDocument(await buildRoutes(), API_VERSION, describeEvents());
  });

  it('has the calls of the API reference', async () => {
    // Compares a boolean, because `toBe` on the texts would print both files on failure.
    expect((await readClientFile('calls.ts')) === generator.generateCalls(reference)).toBe(true);
  });

  // `client-types.full.test.ts` also generates the types, with packages of `tools`.
  it('has types of this API reference, made by `npm run client:types`', async () => {
    const [, digestLine] = (await readClientFile('schema.ts')).split(/(?<=\n)/);
    expect(digestLine).toBe(generator.digestLineOf(reference));
  });

  it('gets another digest when a schema changes', () => {
    const changed = { ...(reference as { paths: object }), webhooks: {} };
    expect(generator.digestLineOf(changed)).not.toBe(generator.digestLineOf(reference));
  });
});
