import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config.js';
import { openDatabase } from './open-database.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'database-module-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function openFrom(source: string) {
  const path = join(folder, `${Math.random()}.mjs`);
  await writeFile(path, source);
  const environment = { DATA_DIR: folder, DATABASE: path, MY_DATABASE: 'mine' };
  const clock = { now: () => new Date(0) };
  const options = { environment, clock, publicBase: () => 'https://shop.example', isPublished: () => false };
  return openDatabase(readConfig(environment), options);
}

describe('a module for DATABASE', () => {
  it('receives the environment, the clock and the publication options', async () => {
    const { database, close } = await openFrom(`
      export const openDatabase = async ({ environment, clock, publicBase, isPublished }) => ({
        database: {
          jobQueue: () => {},
          seen: [environment.MY_DATABASE, clock.now().getTime(), publicBase(), isPublished()],
        },
        close: async () => {},
      });`);
    expect(database).toMatchObject({ seen: ['mine', 0, 'https://shop.example', false] });
    await close();
  });

  it.each([
    ['export const open = 1;', 'exports no openDatabase'],
    ['export const openDatabase = () => ({});', 'openDatabase returns no database'],
    ['export const openDatabase = () => ({ close() {} });', 'openDatabase returns no database'],
    [
      'export const openDatabase = () => ({ close() {}, database: {} });',
      'openDatabase returns a database without jobQueue',
    ],
    ['export const openDatabase = () => { throw new Error("no disk\\nat all"); };', 'openDatabase failed: no disk'],
  ])('is refused in one line: %s', async (source, ending) => {
    const message = openFrom(source).catch((error: unknown) => (error as Error).message);
    expect(await message).toMatch(/^Bad configuration: DATABASE: \S+ /);
    expect(await message).toMatch(new RegExp(`${ending}$`));
  });
});
