import { setTimeout as pause } from 'node:timers/promises';
import { RawHttp } from '../testing/raw-http.js';
import { startSession } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

const WINDOW_S = 2;
const CALLS = 5;
const ORIGIN = 'https://shop.example';

let api: TestApi;
let http: RawHttp;

beforeAll(async () => {
  api = await testApi({ RATE_LIMIT: `${CALLS}/${WINDOW_S}`, CORS_ORIGINS: ORIGIN });
  http = new RawHttp(api.origin);
});
afterAll(async () => {
  http.close();
  await api.close();
});

const getSettings = (token: string, headers: object = {}) =>
  http.call({ path: '/api/v2/app/settings', headers: { Authorization: `Bearer ${token}`, ...headers } });
const statusesOf = (replies: readonly { readonly status: number }[]) => replies.map(({ status }) => status);
const callTimes = <Result>(count: number, call: () => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, call));

describe('a token that exceeds the rate limit', () => {
  let shop: Client;
  beforeEach(async () => {
    shop = await api.app();
  });

  it('gets the remaining calls, then a 429 until the window ends', async () => {
    const firstReply = await getSettings(shop.token);
    expect(firstReply.headers).toMatchObject({
      'ratelimit-policy': `"token";q=${CALLS};w=${WINDOW_S}`,
      ratelimit: `"token";r=${CALLS - 1};t=${WINDOW_S}`,
    });
    const otherReplies = await callTimes(CALLS + 2, () => getSettings(shop.token));
    expect(statusesOf(otherReplies).sort((a, b) => a - b)).toEqual([200, 200, 200, 200, 429, 429, 429]);
    const refusedReply = await getSettings(shop.token);
    expect([refusedReply.status, refusedReply.text]).toEqual([429, '{"errors":{"detail":"Too Many Requests"}}']);
    expect(refusedReply.headers['ratelimit']).toMatch(/^"token";r=0;t=[12]$/);
    const waitSeconds = Number(refusedReply.headers['retry-after']);
    expect([1, WINDOW_S]).toContain(waitSeconds);
    await pause(waitSeconds * 1_000);
    expect((await getSettings(shop.token)).status).toBe(200);
  });

  it('does not count against other tokens', async () => {
    const [otherApp, session] = [await api.app(), await startSession(shop)];
    await callTimes(CALLS, () => getSettings(shop.token));
    expect((await getSettings(shop.token)).status).toBe(429);
    expect((await getSettings(otherApp.token)).status).toBe(200);
    const endSession = {
      method: 'DELETE',
      path: '/api/v2/sessions/current',
      headers: { Authorization: `Bearer ${session}` },
    };
    expect((await http.call(endSession)).status).toBe(204);
  });

  it('gets a 429 before its body is read', async () => {
    await callTimes(CALLS, () => getSettings(shop.token));
    const headers = { Authorization: `Bearer ${shop.token}`, 'Content-Type': 'application/json' };
    const customer = { email: 'late@example.com', first_name: 'A', last_name: 'B' };
    for (const body of ['{"cut":', JSON.stringify({ customer })]) {
      expect((await http.call({ method: 'POST', path: '/api/v2/customers', headers, body })).status).toBe(429);
    }
    expect(await api.database.rows('select id from customers where app_id = $1', [shop.appId])).toEqual([]);
  });

  it('can repeat a keyed call after a 429', async () => {
    await callTimes(CALLS, () => getSettings(shop.token));
    const customer = { email: 'keyed@example.com', first_name: 'A', last_name: 'B' };
    expect((await shop.keyed('k').post('/customers', { customer })).status).toBe(429);
    await pause(WINDOW_S * 1_000);
    expect((await shop.keyed('k').post('/customers', { customer })).status).toBe(201);
  });

  it('counts refused calls, except for path, Accept and token errors', async () => {
    const readRemainingCalls = async () =>
      /r=(\d)/.exec((await getSettings(shop.token)).headers['ratelimit'] as string)?.[1];
    await http.call({ path: '/api/v2/nowhere', headers: { Authorization: `Bearer ${shop.token}` } });
    await getSettings(shop.token, { Accept: 'text/html' });
    const unauthorizedReply = await getSettings(`${shop.token}x`);
    expect([unauthorizedReply.status, unauthorizedReply.headers['ratelimit']]).toEqual([401, undefined]);
    expect(await readRemainingCalls()).toBe(String(CALLS - 1));
    await shop.post('/customers', {});
    expect(await readRemainingCalls()).toBe(String(CALLS - 3));
  });

  it('lets pages of other origins read the headers', async () => {
    const { headers } = await getSettings(shop.token, { Origin: ORIGIN });
    const exposedHeaders = String(headers['access-control-expose-headers']).split(',');
    expect(exposedHeaders).toEqual(
      expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id']),
    );
  });
});

describe('without RATE_LIMIT', () => {
  it('counts no calls', async () => {
    const unlimitedApi = await testApi();
    const shop = await unlimitedApi.app();
    const replies = await callTimes(200, () => shop.get('/app/settings'));
    expect(new Set(statusesOf(replies))).toEqual(new Set([200]));
    expect(replies[0]?.headers).not.toHaveProperty('ratelimit');
    await unlimitedApi.close();
  });
});
