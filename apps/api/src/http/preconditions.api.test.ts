import { evaluate, newCustomer, propose, startSession, stockShop } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
});

const tagOf = ({ headers }: Reply): string => {
  expect(headers['etag']).toMatch(/^"[\w-]{27}"$/);
  return headers['etag'] as string;
};
const ifMatch = (tag: string, client = shop): Client => client.with({ 'If-Match': tag });
const ifNoneMatch = (tag: string): Client => shop.with({ 'If-None-Match': tag });

async function makeProforma(): Promise<{ readonly id: number; readonly path: string }> {
  await stockShop(shop, [{ code: 'A' }]);
  const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
  return { id, path: `/proforma_orders/${id}` };
}

describe('the ETag of a record', () => {
  it('stays the same while time passes, and changes with the record', async () => {
    const { path } = await makeProforma();
    const tag = tagOf(await shop.get(path));
    api.clock.forward({ seconds: 60 });
    const later = await shop.get(path);
    expect([tagOf(later), later.body.data.expires_in_seconds]).toEqual([tag, expect.any(Number)]);
    await shop.patch(path, { comment: 'new' });
    expect(tagOf(await shop.get(path))).not.toBe(tag);
  });

  it('is sent with the answers of writes that show the record', async () => {
    await stockShop(shop, [{ code: 'A' }]);
    const evaluation = await evaluate(shop, [{ code: 'A', qty: 1 }]);
    const created = await shop.post('/proforma_orders', { order_processing_id: evaluation });
    const path = `/proforma_orders/${created.body.data.id}`;
    expect(tagOf(created)).toBe(tagOf(await shop.get(path)));
    const patched = await shop.patch(path, { comment: 'x' });
    expect(tagOf(patched)).toBe(tagOf(await shop.get(path)));
    const converted = await shop.post(`${path}/convert`);
    const { id, data_part, time_part } = converted.body.data;
    expect(tagOf(converted)).toBe(tagOf(await shop.get(`/orders/${id}?dataPart=${data_part}&timePart=${time_part}`)));
  });

  it('is the same when fields are selected', async () => {
    const { path } = await makeProforma();
    expect(tagOf(await shop.get(`${path}?fields=id`))).toBe(tagOf(await shop.get(path)));
  });

  it('is missing from failures, and from answers that show no record', async () => {
    expect((await shop.get('/proforma_orders/1')).headers).not.toHaveProperty('etag');
    expect((await shop.put('/int/stocks', { stocks: [] })).headers).not.toHaveProperty('etag');
  });
});

describe('If-None-Match', () => {
  it('is answered 304 without a body while a record is unchanged', async () => {
    const { path } = await makeProforma();
    const tag = tagOf(await shop.get(path));
    for (const header of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const reply = await ifNoneMatch(header).get(path);
      expect([reply.status, reply.text, reply.headers['etag']]).toEqual([304, '', tag]);
    }
    expect((await ifNoneMatch('"x"').get(path)).status).toBe(200);
    await shop.patch(path, { comment: 'new' });
    expect((await ifNoneMatch(tag).get(path)).status).toBe(200);
  });

  it('is answered 304 with the cursor while a list is unchanged', async () => {
    await stockShop(shop, [{ code: 'A' }]);
    for (let count = 0; count < 2; count += 1) await propose(shop, [{ code: 'A', qty: 1 }]);
    const list = await shop.get('/proforma_orders?limit=1');
    api.clock.forward({ seconds: 1 });
    const repeated = await ifNoneMatch(tagOf(list)).get('/proforma_orders?limit=1');
    expect([repeated.status, repeated.headers['next-cursor']]).toEqual([304, list.headers['next-cursor']]);
    await propose(shop, [{ code: 'A', qty: 1 }]);
    expect((await ifNoneMatch(tagOf(list)).get('/proforma_orders?limit=1')).status).toBe(200);
  });

  it('does not affect the answer for a missing record', async () => {
    expect((await ifNoneMatch('*').get('/proforma_orders/1')).status).toBe(404);
  });

  it('does not affect a write', async () => {
    const { path } = await makeProforma();
    expect((await ifNoneMatch(tagOf(await shop.get(path))).patch(path, { comment: 'x' })).status).toBe(200);
  });
});

describe('If-Match', () => {
  it('accepts a write while the record is unchanged, and refuses it with 412 after a change', async () => {
    const { path } = await makeProforma();
    const tag = tagOf(await shop.get(path));
    expect((await ifMatch(tag).patch(path, { comment: 'first' })).status).toBe(200);
    const refused = await ifMatch(tag).patch(path, { comment: 'second' });
    expect([refused.status, refused.body]).toEqual([412, { errors: { detail: 'Precondition Failed' } }]);
    expect((await shop.get(path)).body.data.comment).toBe('first');
    expect((await ifMatch('*').patch(path, { comment: 'third' })).status).toBe(200);
    expect((await ifMatch(`W/"x", ${tagOf(await shop.get(path))}`).patch(path, { tags: [] })).status).toBe(200);
  });

  it('reports a missing record as 404 and an invalid body as 422', async () => {
    const { path } = await makeProforma();
    expect((await ifMatch('"x"').patch('/proforma_orders/999', { comment: 'x' })).status).toBe(404);
    expect((await ifMatch('"x"').post(`${path}/warehouse_confirm`, { adjustments: [{}] })).status).toBe(422);
  });

  it('accepts only one of many concurrent writes', async () => {
    const { path } = await makeProforma();
    const tag = tagOf(await shop.get(path));
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => ifMatch(tag).patch(path, { comment: `comment ${index}` })),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(9);
    const winner = statuses.indexOf(200);
    expect((await shop.get(path)).body.data.comment).toBe(`comment ${winner}`);
  });

  it('refuses payments, confirmations, conversion and cancellation of a changed proforma', async () => {
    const { path } = await makeProforma();
    const stale = ifMatch('"stale"');
    const before = (await shop.get(path)).text;
    const { body } = await shop.get('/payment_methods');
    const payment = { payment_method_id: body.data[0].id, amount: 1 };
    const replies = [
      await stale.post(`${path}/pay`, { payment }),
      await stale.post(`${path}/card_payments`, { payment: {} }),
      await stale.post(`${path}/warehouse_confirm`),
      await stale.post(`${path}/convert`),
      await stale.put(path, { comment: 'x' }),
      await stale.delete(path),
    ];
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(412));
    expect((await shop.get(path)).text).toBe(before);
  });

  it('treats an overdue proforma as changed', async () => {
    const { path } = await makeProforma();
    const tag = tagOf(await shop.get(path));
    api.clock.forward({ hours: 720 });
    expect((await ifMatch(tag).patch(path, { comment: 'late' })).status).toBe(412);
    expect((await shop.get(path)).body.data.proforma_status).toBe('expired');
  });

  it('protects settings, files, webhook endpoints, consents and the erasure of customers', async () => {
    const file = (await shop.upload('/cdn/files', { name: 'a.txt', bytes: Buffer.from('text') })).body.data;
    const trashed = (await shop.upload('/cdn/files', { name: 'b.txt', bytes: Buffer.from('text') })).body.data;
    const endpoint = (await shop.post('/webhook_endpoints', { webhook_endpoint: { url: 'https://example.com/hook' } }))
      .body.data;
    const customer = await newCustomer(shop, 'ana@example.com');
    const [path, parts] = [
      `/customers/${customer.customer_id}`,
      `dataPart=${customer.data_part}&timePart=${customer.time_part}`,
    ];
    const phone = api.clientWith(shop.appId, await startSession(shop, customer));
    const cases: readonly [show: string, write: (client: Client) => Promise<Reply>, client?: Client][] = [
      ['/app/settings', (client) => client.patch('/app/settings', { name: 'New' })],
      [`/cdn/files/${file.id}`, (client) => client.patch('/cdn/file', { id: file.id, alt: 'New' })],
      [
        `/webhook_endpoints/${endpoint.id}`,
        (client) => client.patch(`/webhook_endpoints/${endpoint.id}`, { webhook_endpoint: { description: 'New' } }),
      ],
      [`/cdn/files/${trashed.id}`, (client) => client.delete(`/cdn?file=${trashed.key}`)],
      ['/customer/consents', (client) => client.put('/customer/consents/master', { state: 'revoked' }), phone],
      [`${path}?${parts}`, (client) => client.post(`${path}/erase?${parts}`)],
    ];
    for (const [show, write, client = shop] of cases) {
      const shown = await client.get(show);
      expect([show, (await write(ifMatch('"stale"', client))).status]).toEqual([show, 412]);
      expect((await client.get(show)).text).toBe(shown.text);
      expect((await write(ifMatch(tagOf(shown), client))).status).toBeLessThan(300);
      // Deleting a file only moves it to Trash, so the tag of the file does not change.
      const isChanged = tagOf(await client.get(show)) !== tagOf(shown);
      const expected = isChanged ? 412 : 200;
      expect([show, (await write(ifMatch(tagOf(shown), client))).status]).toEqual([show, expected]);
    }
  });

  it('is refused by calls that do not change exactly one record', async () => {
    const client = shop.with({ 'If-Match': '*', Accept: 'application/problem+json, application/json' });
    const { status, body } = await client.put('/int/stocks', { stocks: [] });
    expect([status, body.errors[0].key]).toEqual([412, 'Request.PreconditionUnsupported']);
    expect((await ifMatch('"x"').get('/app/settings')).status).toBe(200);
  });

  it('is not stored with the answer of a keyed call, and does not block its repeat', async () => {
    const { path } = await makeProforma();
    const tag = tagOf(await shop.get(path));
    const stale = shop.with({ 'If-Match': '"stale"', 'Idempotency-Key': 'k' });
    expect((await stale.patch(path, { comment: 'x' })).status).toBe(412);
    const fresh = shop.with({ 'If-Match': tag, 'Idempotency-Key': 'k' });
    expect((await fresh.patch(path, { comment: 'x' })).status).toBe(200);
    const repeated = await fresh.patch(path, { comment: 'x' });
    expect([repeated.status, repeated.headers['idempotency-replayed']]).toEqual([200, 'true']);
  });
});
