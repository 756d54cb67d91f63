import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLE } from './testing/server-process.js';
import { type TestDatabase, makeTestDatabase } from '@back-office/database-postgres/testing';

const CLI = `${BUNDLE}cli.js`;
/** Modules in this folder can import the workspace packages. */
const CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url));

function runCli(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const env = { PATH: process.env['PATH'], ...environment };
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [CLI, ...args], { env, timeout: 30_000 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe('a command without a database', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'back-office-cli-'));
    chmodSync(dataDir, 0o755);
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it.each([
    [['app', 'create', '--name', 'A'], 1],
    [['token', 'revoke', '--token', 'x'], 1],
    [['proformas', 'expire'], 1],
    [['media', 'purge'], 1],
    [['check'], 2],
  ])('%j fails with one line and creates nothing', async (args, code) => {
    for (const DATA_DIR of [dataDir, join(dataDir, 'none')]) {
      const result = await runCli(args, { DATA_DIR });
      expect([result.code, result.stdout]).toEqual([code, '']);
      expect(result.stderr).toMatch(/^There is no database below \/.+: .+\n$/);
    }
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('succeeds after `migrate` has created the database', async () => {
    expect(await runCli(['migrate'], { DATA_DIR: dataDir })).toMatchObject({ code: 0, stderr: '' });
    expect(await runCli(['app', 'create', '--name', 'A', '--json'], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
    expect(existsSync(join(dataDir, 'media'))).toBe(false);
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
        expect(await runCli(args, { ...environment, DATA_DIR: folder })).toEqual({
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
    expect(await runCli(['app', 'create', '--name', 'A'], environment)).toMatchObject({ code: 0, stderr: '' });
    expect(await runCli(['proformas', 'expire'], environment)).toMatchObject({ code: 0, stderr: '' });
    const startMs = performance.now();
    expect(await runCli(['media', 'purge'], environment)).toMatchObject({
      code: 1,
      stderr: `Bad configuration: STORAGE: ${STORAGE} openMediaStore failed: The store was opened\n`,
    });
    // An open connection would delay the exit by ten seconds.
    expect(performance.now() - startMs).toBeLessThan(8_000);
  });
});
