import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createServer, type AddressInfo } from 'node:net';
import { makeTestDatabase } from '@back-office/database-postgres/testing';
import { appToken } from './testing/app-token.js';
import { runNode } from './testing/run-node.js';
import { startServer } from './testing/server-process.js';

describe('a first start on an occupied port', () => {
  it('stops its database server, and the next start prints the demo tokens', async () => {
    const home = mkdtempSync(join(tmpdir(), 'back-office-port-'));
    chmodSync(home, 0o755);
    const occupyingServer = createServer().listen(0);
    await once(occupyingServer, 'listening');
    const { port } = occupyingServer.address() as AddressInfo;
    const { code, stderr } = await runNode('main.js', [], { DATA_DIR: home, PORT: String(port) });
    occupyingServer.close();
    expect([code, stderr]).toEqual([1, expect.stringContaining('EADDRINUSE')]);
    expect(existsSync(join(home, 'postgres', 'data', 'postmaster.pid'))).toBe(false);

    const server = await startServer({ DATA_DIR: home, LOG_LEVEL: 'silent' });
    expect(server.output()).toMatch(/^ {2}bo_app_\S+$/m);
    expect(server.output()).toMatch(/^ {2}bo_session_\S+$/m);
    expect(await server.stop()).toBe(0);
    rmSync(home, { recursive: true, force: true });
  }, 40_000);
});

describe('a copied data folder', () => {
  const home = mkdtempSync(join(tmpdir(), 'back-office-start-'));
  chmodSync(home, 0o755);

  it('contains a complete installation with records and files', async () => {
    const copiedFolder = mkdtempSync(join(tmpdir(), 'back-office-copy-'));
    chmodSync(copiedFolder, 0o755);
    const server = await startServer({ DATA_DIR: home, LOG_LEVEL: 'silent' });
    const token = await appToken({ DATA_DIR: home });
    const headers = { Authorization: `Bearer ${token}` };
    const form = new FormData();
    form.set('file', new Blob(['words to keep']), 'a.txt');
    const uploadResponse = await fetch(`${server.origin}/api/v2/cdn/files`, { method: 'POST', headers, body: form });
    const { data } = (await uploadResponse.json()) as { data: { key: string } };
    expect(await server.stop()).toBe(0);

    // `-a` keeps file owners, because PostgreSQL refuses a folder of another user.
    await promisify(execFile)('cp', ['-a', `${home}/.`, copiedFolder]);
    rmSync(home, { recursive: true, force: true });
    const restored = await startServer({ DATA_DIR: copiedFolder, LOG_LEVEL: 'silent' });
    expect(await (await fetch(`${restored.origin}/media/${data.key}`)).text()).toBe('words to keep');
    const ordersResponse = await fetch(`${restored.origin}/api/v2/proforma_orders`, { headers });
    expect([ordersResponse.status, restored.output().includes('bo_app_')]).toEqual([200, false]);
    expect((await runNode('cli.js', ['check'], { DATA_DIR: copiedFolder })).code).toBe(0);
    expect(await restored.stop()).toBe(0);
    rmSync(copiedFolder, { recursive: true, force: true });
  }, 60_000);
});

describe('nodes that start together on an empty database', () => {
  it('migrate the database once, and all become ready', async () => {
    const emptyDatabase = await makeTestDatabase({ isEmpty: true });
    const servers = await Promise.all(
      Array.from({ length: 3 }, () => startServer({ DATABASE_URL: emptyDatabase.url, LOG_LEVEL: 'silent' })),
    );
    for (const server of servers) expect((await fetch(`${server.origin}/health/ready`)).status).toBe(200);
    await Promise.all(servers.map((server) => server.stop()));
    await emptyDatabase.drop();
  }, 60_000);
});
