import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { SCOPES } from '@back-office/apps';
import { BUILD_FOLDER } from './testing/server-process.js';
import { API_VERSION, SERVICE_VERSION } from './version.js';
import { type TestDatabase, makeTestDatabase } from '@back-office/database-postgres/testing';

const CLI_PATH = `${BUILD_FOLDER}cli.js`;
/** Only modules below the repository can import the workspace packages. */
const CACHE_FOLDER = fileURLToPath(new URL('../../../.cache', import.meta.url));

function runCli(args: readonly string[], environment: Readonly<Record<string, string>>, input = '') {
  const env = { PATH: process.env['PATH'], ...environment };
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [CLI_PATH, ...args], { env, timeout: 30_000 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

describe('--version', () => {
  it('prints the versions of the service and of its API, without a database', async () => {
    const result = await runCli(['--version'], { DATA_DIR: '/nonexistent' });
    expect(result).toEqual({ code: 0, stdout: `${SERVICE_VERSION} (API ${API_VERSION})\n`, stderr: '' });
  });
});

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
  ])('fails with one line and creates nothing: %j', async (args, code) => {
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
    mkdirSync(CACHE_FOLDER, { recursive: true });
    folder = mkdtempSync(join(CACHE_FOLDER, 'cli-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([[['app', 'create', '--name', 'A']], [['token', 'issue', '--app', '1']], [['demo']]])(
    'is refused with one line, also for a database module: %j',
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

  it.each([
    ['migrate', 'migrated', 1],
    ['distribute', 'distributed', 1],
    ['check', 'checked', 2],
  ])('is refused by %s, also with the URL of a server', async (name, what, code) => {
    const environment = { DATABASE: 'memory', DATABASE_URL: 'postgres://x@127.0.0.1:1/x' };
    const stderr = `Only PostgreSQL can be ${what}: DATABASE names another one.\n`;
    expect(await runCli([name], environment)).toEqual({ code, stdout: '', stderr });
  });
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

describe('media import', () => {
  it('needs no database, and reads its token from standard input', async () => {
    const args = ['media', 'import', '--from', CACHE_FOLDER, '--to', 'http://127.0.0.1:9/api/v2'];
    expect(await runCli(args, { DATA_DIR: '/nonexistent' })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Pass the access token in standard input, for example with `< token.txt`.\n',
    });
  });

  it.each([
    [['--to', 'nowhere'], 'A URL such as https://shop.example/api/v2.'],
    [['--to', 'http://a', '--at-once', '17'], 'A number from 1 to 16.'],
    [['--to', 'http://a', '--on-conflict', 'ask'], 'rename or error.'],
  ])('refuses the options %j', async (options, message) => {
    const { code, stderr } = await runCli(['media', 'import', '--from', 'x', ...options], {}, 'token');
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('app list', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await makeTestDatabase();
  });
  afterAll(() => database.drop());

  const cli = (...args: readonly string[]) => runCli(['app', ...args], { DATABASE_URL: database.url });

  it('shows id, name, currency and time of creation, in the order of the ids', async () => {
    expect(await cli('list')).toEqual({ code: 0, stdout: 'There are no apps.\n', stderr: '' });
    await cli('create', '--name', 'Shoes');
    await cli('create', '--name', 'Hats\u001b[31m\u202e', '--currency', 'EUR');
    const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.source;
    expect((await cli('list')).stdout).toMatch(
      new RegExp(`^1  Shoes       RSD  ${time}\n2  Hats \\[31m   EUR  ${time}\n$`),
    );
    expect(JSON.parse((await cli('list', '--json')).stdout)).toEqual({
      apps: [
        { id: 1, name: 'Shoes', currency: 'RSD', inserted_at: expect.stringMatching(time) },
        { id: 2, name: 'Hats\u001b[31m\u202e', currency: 'EUR', inserted_at: expect.stringMatching(time) },
      ],
    });
  }, 30_000);

  it('shows ten thousand apps', async () => {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query(`with app as (
      insert into apps (media_prefix, inserted_at)
      select 'm' || lpad(number::text, 7, '0'), now() from generate_series(1, 10000) as number returning id
    ) insert into app_settings (app_id, name, currency, updated_at) select id, 'Shop', 'RSD', now() from app`);
    await client.end();
    const { apps } = JSON.parse((await cli('list', '--json')).stdout) as { apps: { id: number }[] };
    expect(apps.filter(({ id }, index) => index > 0 && id <= (apps[index - 1]?.id ?? 0))).toEqual([]);
    expect(apps.length).toBeGreaterThanOrEqual(10_000);
  }, 30_000);
});

describe('the commands for tokens', () => {
  let database: TestDatabase;
  let appId: string;
  beforeAll(async () => {
    database = await makeTestDatabase();
    appId = String((await run('app', 'create', '--name', 'A')).app_id);
  });
  afterAll(() => database.drop());

  const cli = (args: readonly string[], input?: string) => runCli(args, { DATABASE_URL: database.url }, input);
  const run = async (...args: readonly string[]) => JSON.parse((await cli([...args, '--json'])).stdout);
  const list = async () => (await run('token', 'list', '--app', appId)).access_tokens;

  it('issue, list, rotate and revoke tokens by id', async () => {
    const scopes = 'stock:read,stock:write';
    const issued = await run('token', 'issue', '--app', appId, '--name', 'ERP', '--scopes', scopes);
    const { id, ...token } = (await list()).at(-1);
    expect(token).toMatchObject({ name: 'ERP', scopes: scopes.split(','), revoked_at: null });
    const rotated = await run('token', 'rotate', '--app', appId, '--id', String(id), '--overlap', '1h');
    expect(rotated).toMatchObject({ name: 'ERP', access_token: expect.stringMatching(/^bo_app_/) });
    expect(rotated.access_token).not.toBe(issued.access_token);
    expect(await run('token', 'revoke', '--app', appId, '--id', String(rotated.id))).toEqual({
      revoked: true,
      webhook_endpoints: [],
    });
    const tokens = await list();
    expect(tokens.at(-2).expires_at).not.toBeNull();
    expect(tokens.at(-1).revoked_at).not.toBeNull();
    expect(JSON.stringify(tokens)).not.toContain('bo_app_');
  }, 60_000);

  it('add audit log entries with the command line as actor', async () => {
    const { entries } = await run('audit', '--app', appId, '--action', 'access_token.rotate');
    expect(entries).toMatchObject([{ actor: 'cli', token_id: null, after: { name: 'ERP' } }]);
    expect((await cli(['audit', '--app', appId])).stdout).toContain('  cli  access_token.create ');
    expect((await cli(['audit', '--app', appId, '--action', 'other'])).code).toBe(1);
  }, 30_000);

  it('issue tokens that expire after 400 days by default', async () => {
    const [first] = await list();
    await run('token', 'issue', '--app', appId);
    await run('token', 'issue', '--app', appId, '--expires-in', '12h');
    await run('token', 'issue', '--app', appId, '--expires-in', 'never');
    const [byDefault, short, unlimited] = (await list()).slice(-3);
    const hoursLeft = ({ expires_at }: { expires_at: string }) =>
      Math.round((Date.parse(`${expires_at}Z`) - Date.now()) / 3_600_000);
    expect([first, byDefault, short].map(hoursLeft)).toEqual([9_600, 9_600, 12]);
    expect(unlimited.expires_at).toBeNull();
    for (const lifetime of ['soon', '3651d'])
      expect((await cli(['token', 'issue', '--app', appId, '--expires-in', lifetime])).code).toBe(1);
  }, 60_000);

  it('list all scopes when one is unknown', async () => {
    const { code, stderr } = await cli(['token', 'issue', '--app', appId, '--scopes', 'stock:read,stock:writes']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('"stock:writes" is no scope. Scopes: ')]);
    const [, scopes = ''] = /Scopes: (.+)\.\n/.exec(stderr) ?? [];
    expect(scopes.split(', ')).toEqual(SCOPES);
  });

  it.each([
    ['an empty one', ',', '"" is no scope. '],
    ['one with an escape code', '\u001b[31m\u202estock', '" [31m stock" is no scope. '],
  ])('name an unknown scope without control characters: %s', async (_, scopes, message) => {
    const { code, stderr } = await cli(['token', 'issue', '--app', appId, '--scopes', scopes]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it('name an unknown option without control characters', async () => {
    const { code, stderr } = await cli(['token', 'list', '--app', appId, '--\u001b[31m-apps']);
    expect([code, stderr]).toEqual([1, "error: unknown option '-- [31m-apps'\n"]);
  });

  it('warn about a token that is passed as an argument', async () => {
    const { access_token: secret } = await run('token', 'issue', '--app', appId);
    const { code, stderr } = await cli(['token', 'revoke', '--token', secret]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'Other users of this machine can see this token. Use --id or --token - instead.\n',
    });
  }, 30_000);

  it('read the token to revoke from standard input', async () => {
    const { access_token: secret } = await run('token', 'issue', '--app', appId);
    expect(await cli(['token', 'revoke', '--token', '-'], `${secret}\n`)).toMatchObject({ code: 0, stderr: '' });
    expect((await list()).at(-1).revoked_at).not.toBeNull();
  }, 30_000);

  it.each([
    [['revoke'], 'Name the token by --app and --id, or by --token -.'],
    [['revoke', '--id', '1'], '--id needs --app.'],
    [['revoke', '--app', '1', '--id', '987654'], 'There is no such token.'],
    [['rotate', '--app', '1', '--id', '987654'], 'The app 1 has no token 987654.'],
  ])(
    'fail with one line for %j',
    async (args, line) => {
      expect(await cli(['token', ...args])).toEqual({ code: 1, stdout: '', stderr: `${line}\n` });
    },
    30_000,
  );
});

describe('a refused command', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await makeTestDatabase();
  });
  afterAll(() => database.drop());

  it.each([
    [['app', 'create']],
    [['app', 'create', '--name', 'A', '--currency', 'XXX']],
    [['token', 'issue', '--app', '999']],
    [['token', 'issue', '--app', 'one']],
    [['token', 'revoke', '--token', 'nobody']],
    [['nonsense']],
  ])('ends with exit code 1 and without a stack trace: %j', async (args) => {
    const { code, stderr } = await runCli(args, { DATABASE_URL: database.url });
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
