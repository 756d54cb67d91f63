import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BASE_PATH } from './http/base-path.js';
import { startServer } from './testing/server-process.js';

describe('DATABASE=memory npm start', () => {
  it('starts with a demo app, which is lost on exit', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const environment = { DATABASE: 'memory', DATA_DIR: dataDir, LOG_LEVEL: 'info' };
    const server = await startServer(environment);
    const token = /bo_app_\S+/.exec(server.output())?.[0] ?? '';
    const get = (path: string) =>
      fetch(`${server.origin}${BASE_PATH}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    const list = (await (await get('/proforma_orders?limit=3')).json()) as { data: unknown[] };
    expect(list.data).toHaveLength(3);
    expect((await fetch(`${server.origin}/health/ready`)).status).toBe(200);
    expect(server.output()).toContain('everything is gone when this process ends');
    expect(await server.stop()).toBe(0);
    expect(server.output()).toContain('"database":"memory"');

    const restartedServer = await startServer(environment);
    const response = await fetch(`${restartedServer.origin}${BASE_PATH}/products`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(401);
    await restartedServer.stop();
    await rm(dataDir, { recursive: true });
  }, 30_000);
});
