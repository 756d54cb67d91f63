import { Agent } from 'node:http';
import { MediaShop } from '../testing/media-shop.js';
import { RawHttp } from '../testing/raw-http.js';
import { testApi, type TestApi } from '../testing/test-api.js';

const CALL_COUNT = 1_100;
const MIN_DELAY_MS = 450;

let api: TestApi;
let http: RawHttp;
beforeAll(async () => {
  api = await testApi({ TRUST_PROXY: '1', RATE_LIMIT_PER_ADDRESS: '100000' });
  http = new RawHttp(api.origin, new Agent({ keepAlive: true, maxSockets: 50 }));
});
afterAll(async () => {
  http.close();
  await api.close();
});

const callFrom = (address: string, path: string, token = `bo_app_${'u'.repeat(43)}`) =>
  http.call({ path, headers: { 'X-Forwarded-For': address, Authorization: `Bearer ${token}` } });
const repeat = (...call: Parameters<typeof callFrom>) =>
  Promise.all(Array.from({ length: CALL_COUNT }, async () => (await callFrom(...call)).status));
const isDelayed = async (...call: Parameters<typeof callFrom>): Promise<boolean> =>
  (await callFrom(...call)).durationMs >= MIN_DELAY_MS;
const PATH = '/api/v2/app/settings';

describe('an address that sends many calls without a valid token', () => {
  it('is delayed, but tokens that were valid before and other addresses are not', async () => {
    const { token } = await api.app();
    await callFrom('203.0.113.1', PATH, token);
    expect(await isDelayed('203.0.113.1', PATH)).toBe(false);
    expect(new Set(await repeat('203.0.113.1', PATH))).toEqual(new Set([401]));
    for (const path of [PATH, '/media/unknown/a.png', '/health/ready'])
      expect([path, await isDelayed('203.0.113.1', path)]).toEqual([path, true]);
    expect(await isDelayed('203.0.113.1', PATH, token)).toBe(false);
    expect(await isDelayed('203.0.113.2', PATH)).toBe(false);
  });

  it('is not delayed by calls whose valid token lacks a scope', async () => {
    const { body } = await (
      await api.app()
    ).post('/access_tokens', {
      access_token: { name: 'Warehouse', scopes: ['stock:read'] },
    });
    const call = ['203.0.113.4', PATH, body.data.access_token] as const;
    expect(new Set(await repeat(...call))).toEqual(new Set([403]));
    expect(await isDelayed(...call)).toBe(false);
  });

  it('is not delayed by reading public files', async () => {
    const { url } = await new MediaShop(api, await api.app()).text('a.txt');
    const { pathname } = new URL(url);
    expect(new Set(await repeat('203.0.113.3', pathname))).toEqual(new Set([200]));
    expect(await isDelayed('203.0.113.3', pathname)).toBe(false);
  });
});
