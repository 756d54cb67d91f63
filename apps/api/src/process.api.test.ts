import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, createServer, type AddressInfo } from 'node:net';
import pg from 'pg';
import { installCitusStandIn } from './testing/citus-stand-in.js';
import { BUNDLE, startServer } from './testing/server-process.js';
import { testDatabase, type TestDatabase } from './testing/test-database.js';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runNode(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  const env = { PATH: process.env['PATH'], ...environment };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [BUNDLE + script, ...args],
      { env, timeout: 30_000 },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe('a bad environment', () => {
  it('ends the process with one line that names what is wrong', async () => {
    const { code, stdout, stderr } = await runNode('main.js', [], { PORT: '70000' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Bad configuration: PORT: .+\n$/);
  });

  it('a database that cannot be reached ends the start with one line', async () => {
    const { code, stderr } = await runNode('main.js', [], { DATABASE_URL: 'postgres://127.0.0.1:1/x' });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('a first start on a port that is taken', () => {
  it('leaves no database server behind, and the next start still shows the demo’s tokens', async () => {
    const home = mkdtempSync(join(tmpdir(), 'back-office-port-'));
    chmodSync(home, 0o755);
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await runNode('main.js', [], { DATA_DIR: home, PORT: String(port) });
    other.close();
    expect([code, stderr]).toEqual([1, expect.stringContaining('EADDRINUSE')]);
    expect(existsSync(join(home, 'postgres', 'data', 'postmaster.pid'))).toBe(false);

    const server = await startServer({ DATA_DIR: home, LOG_LEVEL: 'silent' });
    expect(server.output()).toMatch(/^ {2}bo_app_\S+$/m);
    expect(server.output()).toMatch(/^ {2}bo_session_\S+$/m);
    expect(await server.stop()).toBe(0);
    rmSync(home, { recursive: true, force: true });
  }, 40_000);
});

describe('a service that starts with nothing', () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'back-office-start-'));
    chmodSync(home, 0o755);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('brings its own database, a demo app, a customer’s session and one curl that works; the command line works beside it', async () => {
    const server = await startServer({ DATA_DIR: home, LOG_LEVEL: 'silent' });
    const [, token = ''] = /^ {2}(bo_app_\S+)$/m.exec(server.output()) ?? [];
    const [, url = ''] = /curl -H '[^']*' '([^']+)'/.exec(server.output()) ?? [];
    const list = await fetch(url.replace('localhost', '127.0.0.1'), { headers: { Authorization: `Bearer ${token}` } });
    expect(((await list.json()) as { data: unknown }).data).toHaveLength(3);
    const [, session = ''] = /^ {2}(bo_session_\S+)$/m.exec(server.output()) ?? [];
    const visits = await fetch(`${server.origin}/api/v2/customer/attendances`, {
      headers: { Authorization: `Bearer ${session}` },
    });
    expect([visits.status, await visits.json()]).toEqual([200, { data: [] }]);

    const made = await runNode('cli.js', ['app', 'create', '--name', 'Second', '--json'], { DATA_DIR: home });
    const { app_id: appId, access_token: second } = JSON.parse(made.stdout);
    const settings = await fetch(`${server.origin}/api/v2/app/settings`, {
      headers: { Authorization: `Bearer ${second}` },
    });
    expect(((await settings.json()) as { data: unknown }).data).toMatchObject({
      name: 'Second',
      currency: 'RSD',
      proforma: { lifetime_hours: 72 },
    });
    expect(appId).toBe(2);
    expect(await server.stop()).toBe(0);

    const again = await startServer({ DATA_DIR: home, LOG_LEVEL: 'silent' });
    expect(again.output()).not.toMatch(/demo app|bo_app_|bo_session_/);
    expect(await again.stop()).toBe(0);
  }, 60_000);
});

describe('a data folder that was copied while the service was stopped', () => {
  it('is a whole installation elsewhere: records, files, and every rule', async () => {
    const [home, copy] = ['home', 'copy'].map((name) => mkdtempSync(join(tmpdir(), `back-office-${name}-`)));
    for (const folder of [home, copy]) chmodSync(folder as string, 0o755);
    const server = await startServer({ DATA_DIR: home as string, LOG_LEVEL: 'silent' });
    const [, token = ''] = /^ {2}(bo_app_\S+)$/m.exec(server.output()) ?? [];
    const headers = { Authorization: `Bearer ${token}` };
    const form = new FormData();
    form.set('file', new Blob(['words to keep']), 'a.txt');
    const uploaded = await fetch(`${server.origin}/api/v2/cdn/files`, { method: 'POST', headers, body: form });
    const { data } = (await uploaded.json()) as { data: { key: string } };
    expect(await server.stop()).toBe(0);

    // With the owners of the files: PostgreSQL looks at them.
    await promisify(execFile)('cp', ['-a', `${home}/.`, copy as string]);
    rmSync(home as string, { recursive: true, force: true });
    const restored = await startServer({ DATA_DIR: copy as string, LOG_LEVEL: 'silent' });
    expect(await (await fetch(`${restored.origin}/media/${data.key}`)).text()).toBe('words to keep');
    const orders = await fetch(`${restored.origin}/api/v2/proforma_orders`, { headers });
    expect([orders.status, restored.output().includes('bo_app_')]).toEqual([200, false]);
    expect((await runNode('cli.js', ['check'], { DATA_DIR: copy as string })).code).toBe(0);
    expect(await restored.stop()).toBe(0);
    rmSync(copy as string, { recursive: true, force: true });
  }, 60_000);
});

describe('the command that distributes the tables', () => {
  it('ends with one line where there is no cluster, and on a database of the service’s own', async () => {
    const database = await testDatabase({ empty: true });
    const alone = await runNode('cli.js', ['distribute', '--json'], { DATABASE_URL: database.url });
    expect([alone.code, alone.stdout]).toEqual([1, '']);
    expect(alone.stderr).toMatch(/^This database has no Citus: .+\n$/);
    await database.drop();
    const embedded = await runNode('cli.js', ['distribute'], {});
    expect([embedded.code, embedded.stdout]).toEqual([1, '']);
    expect(embedded.stderr).toMatch(/^The embedded database stands alone: .+\n$/);
  });

  it('says what it has done, and then that nothing is left to do', async () => {
    const database = await testDatabase();
    await installCitusStandIn(database);
    const run = (...options: string[]) => runNode('cli.js', ['distribute', ...options], { DATABASE_URL: database.url });
    const { code, stdout } = await run('--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { changed: true, reference: ['access_tokens', 'apps'] }]);
    expect(await run('--json')).toEqual({
      code: 0,
      stdout: '{"changed":false,"distributed":[],"reference":[]}\n',
      stderr: '',
    });
    expect((await run()).stdout).toBe('Every table is spread already: nothing has been changed.\n');
    await database.drop();
  }, 120_000);
});

describe('a service on a server', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  it('makes no demo app unless it is told to', async () => {
    const server = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
    expect(server.output()).not.toContain('demo app');
    await server.stop();
  });

  it('finishes what runs and exits with 0 on SIGTERM, while new connections are refused and readiness is gone', async () => {
    const server = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
    const token = await appToken(database.url);
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('begin; lock table warehouses');
    const slow = fetch(`${server.origin}/api/v2/warehouse`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        warehouses: [{ code: 'S', name: 'S', address_line_1: 'x', city: 'y', postcode: '1', market_id: 1 }],
      }),
    });
    await waitUntilBlocked(blocker);
    const stopped = server.stop();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expect(fetch(`${server.origin}/health/live`)).rejects.toThrow();
    await blocker.query('rollback');
    await blocker.end();
    const answer = await slow;
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    expect(await stopped).toBe(0);
  });

  it('does not wait for an idle keep-alive connection', async () => {
    const server = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    const from = Date.now();
    expect(await server.stop()).toBe(0);
    expect(Date.now() - from).toBeLessThan(3_000);
    socket.destroy();
  });

  it('says that it is not ready while the database cannot be reached, and ready again afterwards', async () => {
    const server = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: 'error' });
    const ready = async (): Promise<number> => (await fetch(`${server.origin}/health/ready`)).status;
    expect(await ready()).toBe(200);
    const admin = new pg.Client({ connectionString: withDatabase(database.url, 'postgres') });
    await admin.connect();
    const [name = ''] = /back_office_test_\w+/.exec(database.url) ?? [];
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    expect(await ready()).toBe(503);
    expect((await fetch(`${server.origin}/health/live`)).status).toBe(200);
    const call = await fetch(`${server.origin}/api/v2/orders`, { headers: { Authorization: 'Bearer x' } });
    expect([call.status, call.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await call.json()).toEqual({ errors: { detail: 'Service Unavailable' } });
    await admin.query(`alter database ${name} allow_connections true`);
    await admin.end();
    expect(await ready()).toBe(200);
    expect(server.output()).toMatch(/"failed":\[\{"part":"database","error":\{.+"msg":"not ready"/);
    await server.stop();
  });

  it('serves metrics and the API reference without a token', async () => {
    const server = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
    await fetch(`${server.origin}/api/v2/orders`);
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    expect(metrics).toMatch(/http_request_duration_seconds_count\{method="GET",route="\/orders",status="401"\} 1/);
    expect(metrics).toContain('database_connections{state="open"}');
    const reference = (await (await fetch(`${server.origin}/openapi.json`)).json()) as { openapi: string };
    expect(reference.openapi).toBe('3.1.0');
    const page = await (await fetch(`${server.origin}/docs`)).text();
    for (const [, path] of page.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await fetch(server.origin + path)).status).toBe(200);
    }
    await server.stop();
  });

  it('logs requests as JSON with their ids, and neither tokens nor what they carried', async () => {
    const server = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: 'debug' });
    const token = await appToken(database.url);
    await fetch(`${server.origin}/api/v2/customers`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Request-Id': 'canary-1' },
      body: JSON.stringify({ customer: { email: 'secret@example.com', first_name: 'Tajna', last_name: 'Osoba' } }),
    });
    const refused = async (path: string, body: object) =>
      fetch(`${server.origin}/api/v2${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    await refused('/proforma_orders', { order_processing_id: 1 });
    await refused('/customers', { customer: { email: 'Tajna', first_name: '' } });
    await server.stop();
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ request_id: 'canary-1', method: 'POST', route: '/customers', status: 201 }),
    );
    const keys = lines.flatMap((line) => (JSON.parse(line) as { keys?: string[] }).keys ?? []);
    expect(keys).toEqual(['API.OrderProcessings.StaleEvaluation', 'is invalid', "can't be blank"]);
    for (const secret of [token, 'secret@example.com', 'Tajna']) expect(server.output()).not.toContain(secret);
  });
});

describe('several nodes starting at once on an empty database', () => {
  it('migrate it once, and all of them serve', async () => {
    const empty = await testDatabase({ empty: true });
    const servers = await Promise.all(
      Array.from({ length: 3 }, () => startServer({ DATABASE_URL: empty.url, LOG_LEVEL: 'silent' })),
    );
    for (const server of servers) expect((await fetch(`${server.origin}/health/ready`)).status).toBe(200);
    await Promise.all(servers.map((server) => server.stop()));
    await empty.drop();
  }, 60_000);
});

describe('the command line', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());
  const cli = (...args: string[]): Promise<Ended> => runNode('cli.js', args, { DATABASE_URL: database.url });

  it('issues and revokes tokens', async () => {
    const { app_id: appId } = JSON.parse(
      (await cli('app', 'create', '--name', 'A', '--currency', 'EUR', '--json')).stdout,
    );
    const issued = await cli(
      'token',
      'issue',
      '--app',
      String(appId),
      '--language',
      'sr',
      '--expires-in',
      '30d',
      '--json',
    );
    const { access_token: token, expires_at: until } = JSON.parse(issued.stdout);
    expect(Math.round((Date.parse(until) - Date.now()) / 3_600_000)).toBe(720);
    expect(JSON.parse((await cli('token', 'revoke', '--token', token, '--json')).stdout)).toEqual({ revoked: true });
  }, 120_000);

  it('makes a demo app with a token of its own and one of a customer’s session', async () => {
    expect(JSON.parse((await cli('demo', '--json')).stdout)).toEqual({
      app_id: expect.any(Number),
      access_token: expect.stringMatching(/^bo_app_/),
      session_token: expect.stringMatching(/^bo_session_/),
    });
  }, 120_000);

  it('expires proformas and migrates', async () => {
    expect(JSON.parse((await cli('proformas', 'expire', '--json')).stdout)).toEqual({ expired: 0, failed: 0 });
    expect(JSON.parse((await cli('migrate', '--json')).stdout)).toEqual({ migrated: true });
  }, 120_000);

  it('looks whether every rule holds, and says so by its exit code', async () => {
    const held = await cli('check', '--json');
    expect([held.code, JSON.parse(held.stdout).findings.length > 10]).toEqual([0, true]);
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query('update stocks set on_hand = on_hand + 1');
    await client.end();
    const elsewhere = { DATABASE_URL: database.url.replace(/[^/]+$/, 'nowhere') };
    expect((await runNode('cli.js', ['check'], elsewhere)).code).toBe(2);
    const broken = await cli('check');
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^BROKEN +Stock on hand is what its movements add up to: \d+ times\n +app \d+: /m);
  }, 120_000);

  it.each([
    [['app', 'create']],
    [['app', 'create', '--name', 'A', '--currency', 'XXX']],
    [['token', 'issue', '--app', '999']],
    [['token', 'issue', '--app', 'one']],
    [['token', 'revoke', '--token', 'nobody']],
    [['nonsense']],
  ])('refuses %j with exit code 1 and no stack', async (args) => {
    const { code, stderr } = await cli(...args);
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

async function appToken(url: string): Promise<string> {
  const { stdout } = await runNode('cli.js', ['app', 'create', '--name', 'P', '--json'], { DATABASE_URL: url });
  return JSON.parse(stdout).access_token as string;
}

async function waitUntilBlocked(client: pg.Client): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('Nothing waits for the lock');
}

function withDatabase(url: string, name: string): string {
  return url.replace(/\/back_office_test_\w+/, `/${name}`);
}
