import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BUILD_FOLDER, startServer, type ServerProcess } from '../testing/server-process.js';
import { testApi, type TestApi } from '../testing/test-api.js';
import { makeTestDatabase } from '@back-office/database-postgres/testing';

const WORKER_PATH = `${BUILD_FOLDER}worker.js`;

describe('the metrics of requests', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await testApi();
  });
  afterAll(() => api.close());

  const readCounts = async (): Promise<Set<string | undefined>> => {
    const text = await (await fetch(`${api.origin}/metrics`)).text();
    return new Set([...text.matchAll(/^http_request_duration_seconds_count(\{.+\} \d+)$/gm)].map(([, count]) => count));
  };

  it('have one label per served path, and one label for all other paths', async () => {
    const paths = [
      '/health/live',
      '/health/ready',
      '/openapi.json',
      '/docs',
      '/docs/',
      '/docs/start.js',
      '/docs/reference/swagger-ui.css',
      '/docs/guides/media',
      '/docs/guides/none',
      '/media/abcdefgh/a.png',
      '/media/abcdefgh/b.png',
      '/api/v2/orders',
      '/docs/none',
      '/x',
      '/api/v2/none',
    ];
    for (const path of paths) await (await fetch(api.origin + path)).arrayBuffer();
    await fetch(`${api.origin}/api/v2/orders`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' },
    });
    await readCounts();
    expect(await readCounts()).toEqual(
      new Set([
        '{method="GET",route="/health/live",status="200"} 1',
        '{method="GET",route="/health/ready",status="200"} 1',
        '{method="GET",route="/openapi.json",status="200"} 1',
        '{method="GET",route="/docs",status="200"} 5',
        '{method="GET",route="/metrics",status="200"} 1',
        '{method="GET",route="/media/*",status="404"} 2',
        '{method="GET",route="/orders",status="401"} 1',
        '{method="GET",route="unknown",status="404"} 4',
        '{method="OPTIONS",route="preflight",status="404"} 1',
      ]),
    );
  });
});

describe('the metrics of a service', () => {
  it('show the waiting work of all apps', async () => {
    const server = await startServer({ DATABASE: 'memory', DEMO: '1', WORKER: 'off' });
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    const valueOf = (name: string): number =>
      Number(
        metrics
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length),
      );
    expect(valueOf('proformas_open{status="draft"}')).toBeGreaterThan(0);
    for (const kind of ['overdue_proformas', 'pending_refunds', 'due_jobs']) {
      expect(valueOf(`work_waiting{kind="${kind}"}`)).toBeGreaterThanOrEqual(0);
      expect(valueOf(`work_due_for_seconds{kind="${kind}"}`)).toBeGreaterThanOrEqual(0);
    }
    expect(valueOf('jobs_failed')).toBe(0);
    expect(valueOf('stock_reserved_lines')).toBeGreaterThan(0);
    expect(await server.stop()).toBe(0);
  });
});

describe('a worker with WORKER_PORT', () => {
  it('serves only health and metrics', async () => {
    const database = await makeTestDatabase();
    const child = spawn(process.execPath, [WORKER_PATH], {
      env: { PATH: process.env['PATH'], DATABASE_URL: database.url, WORKER_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const chunk of child.stdout) {
      output += String(chunk);
      if (output.includes('"working"')) break;
    }
    const [, port] = /"port":(\d+)/.exec(output) ?? [];
    const request = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect(await (await request('/health/live')).json()).toEqual({ status: 'live' });
    expect(await (await request('/health/ready')).json()).toEqual({ status: 'ready' });
    expect(await (await request('/metrics')).text()).toContain('database_connections{state="open"}');
    const response = await request('/api/v2/orders');
    expect([response.status, await response.json()]).toEqual([404, []]);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    await database.drop();
  });
});

describe('a service with ADMIN_PORT', () => {
  const ADMIN_PATHS = [
    '/health/live',
    '/health/ready',
    '/metrics',
    '/docs',
    '/docs/reference/swagger-ui.css',
    '/docs/guides/media',
    '/openapi.json',
  ];
  const fetchStatuses = (origin: string) =>
    Promise.all(ADMIN_PATHS.map(async (path) => (await fetch(origin + path)).status));
  const startWith = (environment: Readonly<Record<string, string>>) =>
    startServer({ DATABASE: 'memory', DEMO: '0', ...environment });
  const adminOriginOf = ({ output }: ServerProcess) =>
    (/API reference +(\S+)\/docs/.exec(output())?.[1] ?? '').replace('localhost', '127.0.0.1');

  it('serves health, metrics and the API reference only on that port', async () => {
    const server = await startWith({ ADMIN_PORT: '0' });
    const apiResponse = await fetch(`${server.origin}/api/v2/orders`);
    expect([await fetchStatuses(server.origin), apiResponse.status]).toEqual([ADMIN_PATHS.map(() => 404), 401]);
    const adminOrigin = adminOriginOf(server);
    expect(await fetchStatuses(adminOrigin)).toEqual(ADMIN_PATHS.map(() => 200));
    expect((await fetch(`${adminOrigin}/api/v2/orders`)).status).toBe(404);
    expect(await (await fetch(`${adminOrigin}/metrics`)).text()).toContain('route="/orders",status="401"} 1');
    expect(await server.stop()).toBe(0);
  });

  it('lists only guides that are for readers', async () => {
    const server = await startWith({});
    const send = async (method: string) => (await fetch(`${server.origin}/docs/guides/`, { method })).status;
    expect([await send('GET'), await send('HEAD'), await send('POST'), await send('DELETE')]).toEqual([
      200, 200, 404, 404,
    ]);
    expect(await server.stop()).toBe(0);
  });

  it('listens only on HOST and ADMIN_HOST', async () => {
    const server = await startWith({ HOST: '127.0.0.1', ADMIN_PORT: '0', ADMIN_HOST: '127.0.0.2' });
    const [port, adminPort] = [new URL(server.origin).port, new URL(adminOriginOf(server)).port];
    const isReachable = (host: string, portText: string) =>
      fetch(`http://${host}:${portText}/health/live`).then(
        () => true,
        () => false,
      );
    expect(await isReachable('127.0.0.1', port)).toBe(true);
    expect(await isReachable('127.0.0.2', port)).toBe(false);
    expect(await isReachable('127.0.0.1', adminPort)).toBe(false);
    expect(await isReachable('127.0.0.2', adminPort)).toBe(true);
    expect(await server.stop()).toBe(0);
  });

  it('ends with one line if the port is occupied', async () => {
    const server = await startWith({ ADMIN_PORT: '0' });
    const occupiedPort = new URL(adminOriginOf(server)).port;
    await expect(startWith({ ADMIN_PORT: occupiedPort })).rejects.toThrow(/ended with 1: Could not run: .*EADDRINUSE/);
    expect(await server.stop()).toBe(0);
  });
});

describe('a service with DOCS=off', () => {
  it('does not serve the API reference', async () => {
    const server = await startServer({ DATABASE: 'memory', DEMO: '0', DOCS: 'off' });
    const statuses = ['/docs', '/docs/start.js', '/docs/guides/media', '/openapi.json', '/health/live'].map(
      async (path) => (await fetch(server.origin + path)).status,
    );
    expect([await Promise.all(statuses), server.output()]).toEqual([
      [404, 404, 404, 404, 200],
      expect.not.stringContaining('API reference'),
    ]);
    expect(await server.stop()).toBe(0);
  });
});
