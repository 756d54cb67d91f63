import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { makeTestDatabase, type TestDatabase } from '@back-office/database-postgres/testing';
import { runNode } from '../testing/run-node.js';
import { startServer } from '../testing/server-process.js';

const REFUSED = 'connect ECONNREFUSED 127.0.0.1:1';
const ENTRY_POINTS: readonly [script: string, args: readonly string[], prefix: string][] = [
  ['main.js', [], 'Could not run: '],
  ['worker.js', [], 'Could not run: '],
  ['cli.js', ['migrate'], ''],
  ['cli.js', ['check'], ''],
  ['cli.js', ['distribute'], ''],
  ['cli.js', ['token', 'list', '--app', '1'], ''],
];

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'back-office-connect-'));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const errorOf = async (databaseUrl: string, script = 'cli.js', args: readonly string[] = ['migrate']) =>
  (await runNode(script, args, { DATABASE_URL: databaseUrl, DATA_DIR: dataDir })).stderr;

describe('an unreachable database', () => {
  it.each(ENTRY_POINTS)('is reported with the name of its variable: %s %j', async (script, args, prefix) => {
    const line = `${prefix}DATABASE_URL: ${REFUSED}\n`;
    expect(await errorOf('postgres://shop:s3cret@127.0.0.1:1/x', script, args)).toBe(line);
  });

  it('is reported with the name of its host', async () => {
    const line = /^DATABASE_URL: getaddrinfo (?:ENOTFOUND|EAI_AGAIN) nohost\.invalid\n$/;
    expect(await errorOf('postgres://shop:s3cret@nohost.invalid/x')).toMatch(line);
  });

  it.each(['postgres://shop:s3%zzcret@127.0.0.1/x', 'postgres://shop:s3/cret@127.0.0.1/x'])(
    'is reported without the password of a malformed URL: %s',
    async (url) => {
      expect(await errorOf(url)).toMatch(/^DATABASE_URL: (?:URI malformed|Invalid URL)\n$/);
    },
  );
});

describe('a server that refuses the connection', () => {
  let server: Server;
  let message: string;
  beforeAll(async () => {
    server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(errorResponse(message)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => server.close());

  it.each([
    'password authentication failed for user "shop"',
    'sorry, too many clients already',
    'role "shop" does not exist',
    'database "x" does not exist',
  ])('is reported with the name of its variable: %s', async (text) => {
    message = text;
    const { port } = server.address() as AddressInfo;
    expect(await errorOf(`postgres://shop:s3cret@127.0.0.1:${port}/x`)).toBe(`DATABASE_URL: ${text}\n`);
  });
});

async function run(database: TestDatabase, statements: string): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(statements);
  await client.end();
}

describe('a database of another program', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await makeTestDatabase({ isEmpty: true });
    await run(database, 'create table products (id int)');
  });
  afterAll(() => database.drop());

  const line =
    'DATABASE_URL: relation "products" already exists; the database must be empty, or a database of this service\n';

  it('cannot be migrated, and must be empty', async () => {
    expect(await errorOf(database.url)).toBe(line);
  });

  it('is recognized if it records its own migrations', async () => {
    await run(database, "delete from migrations; insert into migrations (timestamp, name) values (1, 'Other1')");
    expect(await errorOf(database.url)).toBe(line);
  });
});

describe('a database of this service', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await makeTestDatabase();
    await run(database, "delete from migrations where name like 'AuditLog%'");
  });
  afterAll(() => database.drop());

  it('need not be empty if a migration fails', async () => {
    expect(await errorOf(database.url)).toMatch(/^DATABASE_URL: .+ already exists\n$/);
  });
});

describe('an unreachable store of rate limits', () => {
  it('is logged with the name of its variable', async () => {
    const environment = { DATABASE: 'memory', DEMO: '0', DATA_DIR: dataDir };
    const server = await startServer({ ...environment, RATE_LIMIT_STORE: 'redis://:s3cret@127.0.0.1:1' });
    // The process writes waiting log lines before it ends.
    expect(await server.stop()).toBe(0);
    const line = server
      .output()
      .split('\n')
      .find((text) => text.includes('rate limits are counted in memory'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ variable: 'RATE_LIMIT_STORE', error: { message: REFUSED } });
    expect(server.output()).not.toContain('s3cret');
  });
});

describe('an unreachable bucket', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await makeTestDatabase();
  });
  afterAll(() => database.drop());

  it('is reported by `check` with the name of its variable', async () => {
    const { code, stderr } = await runNode('cli.js', ['check'], {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      STORAGE: 's3',
      S3_ENDPOINT: 'http://127.0.0.1:1',
      S3_BUCKET: 'files',
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 's3cret',
    });
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([2, `S3_ENDPOINT: ${REFUSED}`]);
    expect(stderr).not.toContain('s3cret');
  });
});

/** The message with which PostgreSQL refuses a connection. */
function errorResponse(message: string): Buffer {
  const [severity, code] = ['FATAL', '28000'];
  const fields = Buffer.from([`S${severity}`, `C${code}`, `M${message}`, '', ''].join('\0'));
  const header = Buffer.alloc(5);
  header.write('E');
  header.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([header, fields]);
}
