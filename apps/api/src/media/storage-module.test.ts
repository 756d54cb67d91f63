import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorageModule } from './storage-module.js';

const STORE_SOURCE = '{ put() {}, read() {}, copy() {}, remove() {}, list() {}, ping() {} }';

describe('a module named by STORAGE', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'store-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  let count = 0;
  const openStore = async (answer: string) => {
    const path = join(folder, `store-${(count += 1)}.mjs`);
    await writeFile(path, `export const openMediaStore = async () => (${answer});`);
    return openStorageModule(path, {});
  };

  it.each([
    ['undefined', 'openMediaStore returns no store'],
    ['null', 'openMediaStore returns no store'],
    ['{}', 'openMediaStore returns no store'],
    ['{ store: 1 }', 'openMediaStore returns no store'],
    [
      `{ store: { ...${STORE_SOURCE}, copy: undefined, list: 1 } }`,
      'openMediaStore returns a store without copy, list',
    ],
    [`{ store: ${STORE_SOURCE}, base: 'files' }`, 'openMediaStore returns a base that is not a URL'],
    [`{ store: ${STORE_SOURCE}, close: true }`, 'openMediaStore returns a close that is not a function'],
  ])('is refused when it opens %s', async (answer, message) => {
    await expect(openStore(answer)).rejects.toThrow(message);
  });

  it('may open a complete store', async () => {
    expect(await openStore(`{ store: ${STORE_SOURCE} }`)).toHaveProperty('store.ping');
    expect(await openStore(`{ store: ${STORE_SOURCE}, base: 'https://cdn.example/x', close() {} }`)).toHaveProperty(
      'close',
    );
  });
});
