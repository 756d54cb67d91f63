import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import pg from 'pg';
import { type TestDatabase, makeTestDatabase } from '@back-office/database-postgres/testing';
import { appToken } from './testing/app-token.js';
import { type ExitedProcess, runNode } from './testing/run-node.js';
import { LOCK_WAITS } from './testing/lock-waits.js';
import { type ServerProcess, startServer } from './testing/server-process.js';

describe('a bad environment', () => {
  it('ends the process with one line that names the variable', async () => {
    const { code, stdout, stderr } = await runNode('main.js', [], { PORT: '70000' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Bad configuration: PORT: .+\n$/);
  });

  it('ends the process with one line when the database is unreachable', async () => {
    const { code, stderr } = await runNode('main.js', [], { DATABASE_URL: 'postgres://127.0.0.1:1/x' });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('a service without configuration', () => {
  const home = mkdtempSync(join(tmpdir(), 'back-office-start-'));
  chmodSync(home, 0o755);
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('starts a database and a demo app, and answers the printed curl command', async () => {
    const server = await startServer({ DATA_DIR: home, LOG_LEVEL: 'silent' });
    const [, token = ''] = /^ {2}(bo_app_\S+)$/m.exec(server.output()) ?? [];
    const [, url = ''] = /curl -H '[^']*' '([^']+)'/.exec(server.output()) ?? [];
    const listResponse = await fetch(url.replace('localhost', '127.0.0.1'), {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(((await listResponse.json()) as { data: unknown }).data).toHaveLength(3);
    const [, session = ''] = /^ {2}(bo_session_\S+)$/m.exec(server.output()) ?? [];
    const visitsResponse = await fetch(`${server.origin}/api/v2/customer/attendances`, {
      headers: { Authorization: `Bearer ${session}` },
    });
    expect([visitsResponse.status, await visitsResponse.json()]).toEqual([200, { data: [] }]);

    const createdApp = await runNode('cli.js', ['app', 'create', '--name', 'Second', '--json'], { DATA_DIR: home });
    const { app_id: appId, access_token: second } = JSON.parse(createdApp.stdout);
    const settingsResponse = await fetch(`${server.origin}/api/v2/app/settings`, {
      headers: { Authorization: `Bearer ${second}` },
    });
    expect(((await settingsResponse.json()) as { data: unknown }).data).toMatchObject({
      name: 'Second',
      currency: 'RSD',
      proforma: { lifetime_hours: 72 },
    });
    expect(appId).toBe(2);
    expect(await server.stop()).toBe(0);

    const restartedServer = await startServer({ DATA_DIR: home });
    expect(restartedServer.output()).not.toMatch(/demo app|bo_app_|bo_session_/);
    expect(await restartedServer.stop()).toBe(0);
    // Lines wait up to 200 ms, so this one shows that the process wrote what was waiting before it ended.
    expect(restartedServer.output()).toContain('"msg":"stopping"');
  }, 60_000);
});

describe('a service on an external database', () => {
  let database: TestDatabase;
  /** All tests that change nothing use this service. */
  let sharedServer: ServerProcess;
  beforeAll(async () => {
    database = await makeTestDatabase();
    sharedServer = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: 'error' });
  });
  afterAll(async () => {
    await sharedServer.stop();
    await database.drop();
  });

  it('creates no demo app by default', () => {
    expect(sharedServer.output()).not.toContain('demo app');
  });

  it('finishes running calls and refuses new connections on SIGTERM', async () => {
    const server = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
    const token = await appToken({ DATABASE_URL: database.url });
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('begin; lock table warehouses');
    const slowCall = fetch(`${server.origin}/api/v2/warehouse`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        warehouses: [{ code: 'S', name: 'S', address_line_1: 'x', city: 'y', postcode: '1', market_id: 1 }],
      }),
    });
    await waitUntilBlocked(blocker);
    const exitCode = server.stop();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expect(fetch(`${server.origin}/health/live`)).rejects.toThrow();
    await blocker.query('rollback');
    await blocker.end();
    const answer = await slowCall;
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    expect(await exitCode).toBe(0);
  });

  it('does not wait for an idle keep-alive connection', async () => {
    const server = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    const startMs = Date.now();
    expect(await server.stop()).toBe(0);
    expect(Date.now() - startMs).toBeLessThan(3_000);
    socket.destroy();
  });

  it('is not ready while the database is unreachable', async () => {
    const fetchReadiness = async (): Promise<number> => (await fetch(`${sharedServer.origin}/health/ready`)).status;
    // The service caches the result for a second, so the test polls.
    const waitForReadiness = async (status: number): Promise<void> => {
      for (let attempt = 0; attempt < 100 && (await fetchReadiness()) !== status; attempt += 1)
        await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await fetchReadiness()).toBe(status);
    };
    await waitForReadiness(200);
    const admin = new pg.Client({ connectionString: withDatabase(database.url, 'postgres') });
    await admin.connect();
    const [name = ''] = /back_office_test_\w+/.exec(database.url) ?? [];
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await waitForReadiness(503);
    expect((await fetch(`${sharedServer.origin}/health/live`)).status).toBe(200);
    const callResponse = await fetch(`${sharedServer.origin}/api/v2/orders`, {
      headers: { Authorization: `Bearer bo_app_1_${'x'.repeat(43)}` },
    });
    expect([callResponse.status, callResponse.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await callResponse.json()).toEqual({ errors: { detail: 'Service Unavailable' } });
    await admin.query(`alter database ${name} allow_connections true`);
    await admin.end();
    await waitForReadiness(200);
    expect(sharedServer.output()).toMatch(/"failed":\[\{"part":"database","error":\{.+"msg":"not ready"/);
  });

  it('serves metrics and the API reference without a token', async () => {
    await fetch(`${sharedServer.origin}/api/v2/orders`);
    const metrics = await (await fetch(`${sharedServer.origin}/metrics`)).text();
    expect(metrics).toMatch(/http_request_duration_seconds_count\{method="GET",route="\/orders",status="401"\} 1/);
    expect(metrics).toContain('database_connections{state="open"}');
    const reference = (await (await fetch(`${sharedServer.origin}/openapi.json`)).json()) as { openapi: string };
    expect(reference.openapi).toBe('3.1.0');
    const page = await (await fetch(`${sharedServer.origin}/docs`)).text();
    for (const [, path] of page.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      expect((await fetch(sharedServer.origin + path)).status).toBe(200);
    }
  });

  it('logs requests as JSON without tokens and personal data', async () => {
    const server = await startServer({ DATABASE_URL: database.url, LOG_LEVEL: 'debug' });
    const token = await appToken({ DATABASE_URL: database.url });
    await fetch(`${server.origin}/api/v2/customers`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Request-Id': 'canary-1' },
      body: JSON.stringify({ customer: { email: 'secret@example.com', first_name: 'Tajna', last_name: 'Osoba' } }),
    });
    const sendRefusedCall = async (path: string, body: object) =>
      fetch(`${server.origin}/api/v2${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    await sendRefusedCall('/proforma_orders', { order_processing_id: 1 });
    await sendRefusedCall('/customers', { customer: { email: 'Tajna', first_name: '' } });
    await server.stop();
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ request_id: 'canary-1', method: 'POST', route: '/customers', status: 201 }),
    );
    const keys = lines.flatMap((line) => (JSON.parse(line) as { keys?: string[] }).keys ?? []);
    expect(keys).toEqual(['API.OrderProcessings.StaleEvaluation', 'Fields.IsInvalid', 'Fields.CantBeBlank']);
    for (const secret of [token, 'secret@example.com', 'Tajna']) expect(server.output()).not.toContain(secret);
  });
});

describe('the command line', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await makeTestDatabase();
  });
  afterAll(() => database.drop());
  const cli = (...args: string[]): Promise<ExitedProcess> => runNode('cli.js', args, { DATABASE_URL: database.url });

  it('issues and revokes tokens', async () => {
    const { app_id: appId } = JSON.parse(
      (await cli('app', 'create', '--name', 'A', '--currency', 'EUR', '--json')).stdout,
    );
    const issueResult = await cli(
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
    const { access_token: token, expires_at: expiresAt } = JSON.parse(issueResult.stdout);
    expect(Math.round((Date.parse(expiresAt) - Date.now()) / 3_600_000)).toBe(720);
    expect(JSON.parse((await cli('token', 'revoke', '--token', token, '--json')).stdout)).toEqual({
      revoked: true,
      webhook_endpoints: [],
    });
  }, 120_000);

  it('creates a demo app with an app token and a session token', async () => {
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

  it('checks every rule, and reports the result by exit code', async () => {
    const cleanResult = await cli('check', '--json');
    expect([cleanResult.code, JSON.parse(cleanResult.stdout).findings.length > 10]).toEqual([0, true]);
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query('update stocks set on_hand = on_hand + 1');
    await client.end();
    const missingDatabase = { DATABASE_URL: database.url.replace(/[^/]+$/, 'nowhere') };
    expect((await runNode('cli.js', ['check'], missingDatabase)).code).toBe(2);
    const brokenResult = await cli('check');
    expect(brokenResult.code).toBe(1);
    expect(brokenResult.stdout).toMatch(
      /^BROKEN +Stock on hand equals the sum of its movements: \d+ times\n +app \d+: /m,
    );
  }, 120_000);
});

async function waitUntilBlocked(client: pg.Client): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { rows } = await client.query(LOCK_WAITS);
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('Nothing waits for the lock');
}

function withDatabase(url: string, name: string): string {
  return url.replace(/\/back_office_test_\w+/, `/${name}`);
}
