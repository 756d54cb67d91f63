import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLE } from './testing/server-process.js';
import { type TestDatabase, makeTestDatabase } from '@back-office/database-postgres/testing';

const CLI = `${BUNDLE}cli.js`;
/** Modules below the root can import the workspace packages. */
const CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url));

function cli(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const env = { PATH: process.env['PATH'], ...environment };
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [CLI, ...args], { env, timeout: 30_000 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe('a command without a database', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'back-office-cli-'));
    chmodSync(home, 0o755);
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it.each([
    [['app', 'create', '--name', 'A'], 1],
    [['token', 'revoke', '--token', 'x'], 1],
    [['proformas', 'expire'], 1],
    [['media', 'purge'], 1],
    [['check'], 2],
  ])('%j fails with one line and creates nothing', async (args, code) => {
    for (const DATA_DIR of [home, join(home, 'none')]) {
      const ended = await cli(args, { DATA_DIR });
      expect([ended.code, ended.stdout]).toEqual([code, '']);
      expect(ended.stderr).toMatch(/^There is no database below \/.+: .+\n$/);
    }
    expect(readdirSync(home)).toEqual([]);
  });

  it('`migrate` creates it for later commands', async () => {
    expect(await cli(['migrate'], { DATA_DIR: home })).toMatchObject({ code: 0, stderr: '' });
    expect(await cli(['app', 'create', '--name', 'A', '--json'], { DATA_DIR: home })).toMatchObject({ code: 0 });
    expect(existsSync(join(home, 'media'))).toBe(false);
  }, 60_000);
});

describe('a command on a database in memory', () => {
  let folder: string;
  beforeAll(() => {
    mkdirSync(CACHE, { recursive: true });
    folder = mkdtempSync(join(CACHE, 'cli-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([[['app', 'create', '--name', 'A']], [['token', 'issue', '--app', '1']], [['demo']]])(
    '%j is refused in one line, also for a module',
    async (args) => {
      const DATABASE = join(folder, 'database.mjs');
      writeFileSync(DATABASE, `export { openDatabase } from '@back-office/database-memory';`);
      for (const environment of [{ DATABASE: 'memory' }, { DATABASE }]) {
        expect(await cli(args, { ...environment, DATA_DIR: folder })).toEqual({
          code: 1,
          stdout: '',
          stderr: 'The database is in the memory of a service: no command can reach it.\n',
        });
      }
    },
    30_000,
  );
});

describe('a command that needs no files', () => {
  let database: TestDatabase;
  let folder: string;
  beforeAll(async () => {
    database = await makeTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'back-office-store-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await database.drop();
  });

  it('does not open the store', async () => {
    const STORAGE = join(folder, 'store.mjs');
    writeFileSync(STORAGE, `export const openMediaStore = () => { throw new Error('The store was opened'); };`);
    const environment = { DATABASE_URL: database.url, STORAGE };
    expect(await cli(['app', 'create', '--name', 'A'], environment)).toMatchObject({ code: 0, stderr: '' });
    expect(await cli(['proformas', 'expire'], environment)).toMatchObject({ code: 0, stderr: '' });
    const started = performance.now();
    expect(await cli(['media', 'purge'], environment)).toMatchObject({
      code: 1,
      stderr: `Bad configuration: STORAGE: ${STORAGE} openMediaStore failed: The store was opened\n`,
    });
    // An open connection would delay the exit by ten seconds.
    expect(performance.now() - started).toBeLessThan(8_000);
  });
});
