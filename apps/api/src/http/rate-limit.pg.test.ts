import { setTimeout as pause } from 'node:timers/promises';
import { startRedis, type RedisServer } from '../testing/redis.js';
import { RawHttp } from '../testing/raw-http.js';
import { startSession } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

const WINDOW_S = 2;
const MAX_CALLS = 5;
const ORIGIN = 'https://shop.example';

let api: TestApi;
let http: RawHttp;

beforeAll(async () => {
  api = await testApi({ RATE_LIMIT: `${MAX_CALLS}/${WINDOW_S}`, CORS_ORIGINS: ORIGIN });
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

describe('the rate limit of a token', () => {
  let shop: Client;
  beforeEach(async () => {
    shop = await api.app();
  });

  it('shows the remaining calls, then answers 429 until the window ends', async () => {
    const firstReply = await getSettings(shop.token);
    expect(firstReply.headers).toMatchObject({
      'ratelimit-policy': `"token";q=${MAX_CALLS};w=${WINDOW_S}`,
      ratelimit: `"token";r=${MAX_CALLS - 1};t=${WINDOW_S}`,
    });
    const otherReplies = await callTimes(MAX_CALLS + 2, () => getSettings(shop.token));
    expect(statusesOf(otherReplies).sort((a, b) => a - b)).toEqual([200, 200, 200, 200, 429, 429, 429]);
    const refusedReply = await getSettings(shop.token);
    expect([refusedReply.status, refusedReply.text]).toEqual([429, '{"errors":{"detail":"Too Many Requests"}}']);
    expect(refusedReply.headers['ratelimit']).toMatch(/^"token";r=0;t=[12]$/);
    const waitSeconds = Number(refusedReply.headers['retry-after']);
    expect([1, WINDOW_S]).toContain(waitSeconds);
    await pause(waitSeconds * 1_000);
    expect((await getSettings(shop.token)).status).toBe(200);
  });

  it('counts each token separately', async () => {
    const [otherApp, session] = [await api.app(), await startSession(shop)];
    await callTimes(MAX_CALLS, () => getSettings(shop.token));
    expect((await getSettings(shop.token)).status).toBe(429);
    expect((await getSettings(otherApp.token)).status).toBe(200);
    const endSession = {
      method: 'DELETE',
      path: '/api/v2/sessions/current',
      headers: { Authorization: `Bearer ${session}` },
    };
    expect((await http.call(endSession)).status).toBe(204);
  });

  it('refuses a call with 429 before its body is read', async () => {
    await callTimes(MAX_CALLS, () => getSettings(shop.token));
    const headers = { Authorization: `Bearer ${shop.token}`, 'Content-Type': 'application/json' };
    const customer = { email: 'late@example.com', first_name: 'A', last_name: 'B' };
    for (const body of ['{"cut":', JSON.stringify({ customer })]) {
      expect((await http.call({ method: 'POST', path: '/api/v2/customers', headers, body })).status).toBe(429);
    }
    expect(await api.database.rows('select id from customers where app_id = $1', [shop.appId])).toEqual([]);
  });

  it('allows a keyed call to be repeated after a 429', async () => {
    await callTimes(MAX_CALLS, () => getSettings(shop.token));
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
    expect(await readRemainingCalls()).toBe(String(MAX_CALLS - 1));
    await shop.post('/customers', {});
    expect(await readRemainingCalls()).toBe(String(MAX_CALLS - 3));
  });

  it('counts calls for which the token lacks the scope', async () => {
    const { body } = await shop.post('/access_tokens', { access_token: { name: 'Narrow', scopes: ['stock:read'] } });
    const replies = await callTimes(MAX_CALLS + 2, () => getSettings(body.data.access_token));
    expect(statusesOf(replies)).toEqual([...Array.from({ length: MAX_CALLS }, () => 403), 429, 429]);
  });

  it('lets pages of other origins read the headers', async () => {
    const { headers } = await getSettings(shop.token, { Origin: ORIGIN });
    const exposedHeaders = String(headers['access-control-expose-headers']).split(',');
    expect(exposedHeaders).toEqual(
      expect.arrayContaining(['Deprecation', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'Sunset', 'X-Request-Id']),
    );
  });
});

describe('a service with RATE_LIMIT=off', () => {
  it('counts no calls', async () => {
    const unlimitedApi = await testApi({ RATE_LIMIT: 'off' });
    const shop = await unlimitedApi.app();
    const replies = await callTimes(100, () => shop.get('/app/settings'));
    expect(new Set(statusesOf(replies))).toEqual(new Set([200]));
    expect(replies[0]?.headers).not.toHaveProperty('ratelimit');
    await unlimitedApi.close();
  });
});

describe('callers without a valid token', () => {
  let strangersApi: TestApi;
  let strangers: RawHttp;
  beforeAll(async () => {
    strangersApi = await testApi({ RATE_LIMIT_PER_ADDRESS: `${MAX_CALLS}/60`, TRUST_PROXY: '1' });
    strangers = new RawHttp(strangersApi.origin);
  });
  afterAll(async () => {
    strangers.close();
    await strangersApi.close();
  });

  const callFrom = (address: string, token?: string) => {
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return strangers.call({ path: '/api/v2/app/settings', headers: { 'X-Forwarded-For': address, ...authorization } });
  };

  it('get a 429 above the limit of their address', async () => {
    const replies = [];
    for (let call = 0; call < MAX_CALLS; call += 1)
      replies.push(
        await callFrom('203.0.113.1', call % 2 === 0 ? `bo_app_${String(call).padStart(43, 'u')}` : undefined),
      );
    expect(new Set(statusesOf(replies))).toEqual(new Set([401]));
    const refused = await callFrom('203.0.113.1', `bo_app_${'a'.repeat(43)}`);
    expect([refused.status, refused.text]).toEqual([429, '{"errors":{"detail":"Too Many Requests"}}']);
    expect(refused.headers).toMatchObject({ 'ratelimit-policy': `"address";q=${MAX_CALLS};w=60`, 'retry-after': '60' });
    expect((await callFrom('203.0.113.2')).status).toBe(401);
  });

  it('do not block tokens that were valid before; calls with a valid token are not counted', async () => {
    const [shop, late] = [await strangersApi.app(), await strangersApi.app()];
    for (let call = 0; call < MAX_CALLS * 2; call += 1)
      expect((await callFrom('203.0.113.3', shop.token)).status).toBe(200);
    for (let call = 0; call < MAX_CALLS; call += 1) await callFrom('203.0.113.3');
    expect((await callFrom('203.0.113.3', shop.token)).status).toBe(200);
    expect((await callFrom('203.0.113.3', late.token)).status).toBe(429);
    expect((await callFrom('203.0.113.4', late.token)).status).toBe(200);
  });

  it('share the limit of an IPv6 network', async () => {
    for (let call = 0; call < MAX_CALLS; call += 1) await callFrom(`2001:db8::${call}`);
    expect((await callFrom('2001:db8:0:0:1::1')).status).toBe(429);
    expect((await callFrom('2001:db8:0:1::1')).status).toBe(401);
  });
});

describe('a service with a shared store', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });

  it('counts the calls of all nodes together, and continues when the store is unavailable', async () => {
    const environment = { RATE_LIMIT: `${MAX_CALLS}/60`, RATE_LIMIT_STORE: redis.url };
    const nodes = [await testApi(environment), await testApi(environment)] as const;
    const shops = [await nodes[0].app(), await nodes[1].app()] as const;
    // Each node has its own database, so both tokens have the same id and share one count.
    const [first, second] = [await shops[0].get('/app/settings'), await shops[1].get('/app/settings')];
    expect([first.headers['ratelimit'], second.headers['ratelimit']]).toEqual([
      `"token";r=${MAX_CALLS - 1};t=60`,
      `"token";r=${MAX_CALLS - 2};t=60`,
    ]);
    await callTimes(MAX_CALLS - 2, () => shops[0].get('/app/settings'));
    for (const shop of [...shops, ...shops]) expect((await shop.get('/app/settings')).status).toBe(429);
    await redis.close();
    const replies = [];
    for (let call = 0; call < MAX_CALLS; call += 1) replies.push(await shops[1].get('/app/settings'));
    expect(statusesOf(replies).at(-1)).toBe(200);
    await Promise.all(nodes.map((node) => node.close()));
  });
});
