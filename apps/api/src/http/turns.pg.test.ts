import { Agent } from 'node:http';
import { RawHttp } from '../testing/raw-http.js';
import { propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

const POOL_SIZE = 5;
const MAX_CALLS_OF_APP = POOL_SIZE * 20;

let api: TestApi;
let http: RawHttp;
let victim: Client;
beforeAll(async () => {
  api = await testApi({ DATABASE_POOL_SIZE: String(POOL_SIZE) });
  http = new RawHttp(api.origin, new Agent({ keepAlive: true, maxSockets: 200 }));
  victim = await api.app();
});
afterAll(async () => {
  http.close();
  await api.close();
});

const getSettings = async (token: string) =>
  (await http.call({ path: '/api/v2/app/settings', headers: { Authorization: `Bearer ${token}` } })).status;
const countSent = async (part: string, work: () => Promise<unknown>): Promise<number> => {
  const before = api.statements.length;
  await work();
  return api.statements.slice(before).filter((text) => text.includes(part)).length;
};

describe('an app whose calls wait for a lock on all of its connections', () => {
  it('does not delay calls of other apps, and is refused beyond its share', async () => {
    const hostile = await api.app();
    await stockShop(hostile, [{ code: 'A', stock: 10 }]);
    const { id } = await propose(hostile, [{ code: 'A', qty: 1 }]);
    const path = `/api/v2/proforma_orders/${id}/warehouse_confirm`;
    const headers = { Authorization: `Bearer ${hostile.token}`, 'Content-Type': 'application/json' };
    const confirm = async () => (await http.call({ method: 'POST', path, headers, body: '{}' })).status;
    const unlock = await lockProforma(hostile.appId, id);
    const confirmations = Array.from({ length: MAX_CALLS_OF_APP + 20 }, confirm);
    await Promise.any(confirmations.map((status) => status.then((value) => expect(value).toBe(503))));
    for (let call = 0; call < 5; call += 1) expect((await victim.get('/products')).status).toBe(200);
    expect((await fetch(`${api.origin}/health/ready`)).status).toBe(200);
    await unlock();
    const statuses = await Promise.all(confirmations);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(20);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(await confirm()).toBe(200);
  });
});

async function lockProforma(appId: number, id: number): Promise<() => Promise<void>> {
  let unlock = (): void => {};
  const unlocked = new Promise<void>((resolve) => (unlock = resolve));
  let transaction: Promise<void> | undefined;
  await new Promise<void>((resolve) => {
    transaction = api.database.transaction(async (sql) => {
      await sql.rows('select id from proforma_orders where app_id = $1 and id = $2 for update', [appId, id]);
      resolve();
      await unlocked;
    });
  });
  return async () => {
    unlock();
    await transaction;
  };
}

describe('a small body of unknown size', () => {
  it('does not block large calls during its work', async () => {
    const app = await api.app();
    await stockShop(app, [{ code: 'A', stock: 10 }]);
    const { id } = await propose(app, [{ code: 'A', qty: 1 }]);
    await victim.get('/app/settings');
    const headers = { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json' };
    const path = `/api/v2/proforma_orders/${id}/warehouse_confirm`;
    const unlock = await lockProforma(app.appId, id);
    const chunked = { ...headers, 'Transfer-Encoding': 'chunked' };
    const confirmation = http.call({ method: 'POST', path, headers: chunked, body: '{}' });
    const products = JSON.stringify({ products: [], padding: 'x'.repeat(20_000) });
    const imported = await http.call({ method: 'POST', path: '/api/v2/int/products', headers, body: products });
    expect(imported.status).toBe(200);
    await unlock();
    expect((await confirmation).status).toBe(200);
  });
});

describe('an unknown token', () => {
  it('is looked up at most once a second', async () => {
    const token = `bo_app_${'u'.repeat(43)}`;
    const callTwice = async () => expect([await getSettings(token), await getSettings(token)]).toEqual([401, 401]);
    expect(await countSent('token_hash = $1', callTwice)).toBe(1);
    api.clock.forward({ seconds: 1 });
    expect(await countSent('token_hash = $1', callTwice)).toBe(1);
  });
});

describe('a text that was never a token', () => {
  it.each(['bo_app_unknown', `bo_app_01_${'u'.repeat(43)}`])('is refused without a look-up: %s', async (text) => {
    const sent = await countSent('token_hash = $', async () => expect(await getSettings(text)).toBe(401));
    expect(sent).toBe(0);
  });
});

describe('many unknown tokens', () => {
  it('do not delay the first call of a new token', async () => {
    const unknownTokens = Array.from({ length: 100 }, (_, index) =>
      getSettings(`bo_app_${String(index).padStart(43, 'u')}`),
    );
    expect((await (await api.app()).get('/app/settings')).status).toBe(200);
    expect(new Set(await Promise.all(unknownTokens))).toEqual(new Set([401]));
  });
});

describe('an unknown public key', () => {
  const requestFile = async (key: string) => (await http.call({ path: `/media/${key}` })).status;

  it('is looked up at most once a second', async () => {
    const prefix = (await victim.get('/app/settings')).body.data.media.prefix as string;
    const requestTwice = async (key: string) =>
      expect([await requestFile(key), await requestFile(key)]).toEqual([404, 404]);
    expect(await countSent('from cdn_files', () => requestTwice(`${prefix}/none.txt`))).toBe(1);
    expect(await countSent('media_prefix = $1', () => requestTwice('unknown0/none.txt'))).toBe(1);
    api.clock.forward({ seconds: 1 });
    expect(await countSent('from cdn_files', () => requestTwice(`${prefix}/none.txt`))).toBe(1);
  });

  it('is found as soon as it is uploaded', async () => {
    const prefix = (await victim.get('/app/settings')).body.data.media.prefix as string;
    expect(await requestFile(`${prefix}/new.txt`)).toBe(404);
    await victim.upload('/cdn/files', { name: 'new.txt', bytes: Buffer.from('new') });
    expect(await requestFile(`${prefix}/new.txt`)).toBe(200);
  });
});
