import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ServerProcess, startServer } from '../testing/server-process.js';

type Line = Readonly<Record<string, unknown>>;

describe('the log of a service', () => {
  const WRONG_TOKEN = `bo_app_${'w'.repeat(43)}`;
  const dataDir = mkdtempSync(join(tmpdir(), 'back-office-log-'));
  let server: ServerProcess;
  let narrowToken: string;
  beforeAll(async () => {
    server = await startServer({ DATABASE: 'memory', DATA_DIR: dataDir, LOG_LEVEL: 'warn' });
    const [appToken = ''] = /bo_app_\S+/.exec(server.output()) ?? [];
    const body = JSON.stringify({ access_token: { name: 'Scale', scopes: ['stock:read'] } });
    const answer = await call(appToken, '/access_tokens', { method: 'POST', body });
    narrowToken = ((await answer.json()) as { data: { access_token: string } }).data.access_token;
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true });
  });

  const call = (token: string, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${server.origin}/api/v2${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    });
  const linesAbout = (message: string): Line[] =>
    server
      .output()
      .split('\n')
      .filter((text) => text.startsWith('{') && text.endsWith('}'))
      .map((text) => JSON.parse(text) as Line)
      .filter(({ msg }) => msg === message);
  /** The output of the process arrives after its answer. */
  const waitForLines = async (message: string): Promise<Line[]> => {
    const endMs = performance.now() + 5_000;
    while (linesAbout(message).length === 0 && performance.now() < endMs) await pause(20);
    return linesAbout(message);
  };

  it('names the address of a caller with a wrong token', async () => {
    expect((await call(WRONG_TOKEN, '/orders')).status).toBe(401);
    expect(await waitForLines('token failed')).toEqual([
      expect.objectContaining({ key: 'API.Tokens.Invalid', address: '127.0.0.1', token_hash: expect.any(String) }),
    ]);
  });

  it('names the token of a caller without the needed scope', async () => {
    expect((await call(narrowToken, '/orders')).status).toBe(403);
    expect(await waitForLines('scope refused')).toEqual([
      expect.objectContaining({ scope: 'orders:read', address: '127.0.0.1', token_id: expect.any(Number) }),
    ]);
  });

  it('never shows a token', async () => {
    await call(WRONG_TOKEN, '/orders');
    await call(narrowToken, '/orders');
    const log = [...(await waitForLines('token failed')), ...(await waitForLines('scope refused'))];
    expect(log).not.toEqual([]);
    expect(JSON.stringify(log)).not.toMatch(/bo_app_/);
  });
});
