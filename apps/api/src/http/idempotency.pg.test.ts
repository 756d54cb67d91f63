import { evaluate, methodId, propose, stockOf, stockShop, warehouse } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [{ code: 'A' }]);
});
const restoreFunctions: (() => void)[] = [];
afterEach(() => {
  for (const restore of restoreFunctions.splice(0)) restore();
});

function replaceMethod<Part extends object, Name extends keyof Part>(
  part: Part,
  name: Name,
  method: Part[Name],
): () => void {
  const ownDescriptor = Object.getOwnPropertyDescriptor(part, name);
  const restore = (): void => {
    if (ownDescriptor) Object.defineProperty(part, name, ownDescriptor);
    else Reflect.deleteProperty(part, name);
  };
  part[name] = method;
  restoreFunctions.push(restore);
  return restore;
}

const rejectAlways = (): Promise<never> => Promise.reject(new Error('crashed'));

const stockBody = (qty: number) => ({ stocks: [{ code: 'A', warehouse_code: 'W1', qty }] });
const readOnHand = async (client = shop): Promise<number> => (await stockOf(client, 'A')).on_hand;
const stripTimes = ({ text }: Reply): string => text.replace(/"expires_in_seconds":\d+/, '');
const isReplay = ({ headers }: Reply): boolean => headers['idempotency-replayed'] === 'true';
const countKeys = async () =>
  (await api.database.rows('select 1 from idempotency_keys where app_id = $1', [shop.appId])).length;

function loseAnswers(): void {
  replaceMethod(api.container.get(TOKENS.Database).keyedCalls, 'storeAnswer', rejectAlways);
}

describe('a repeated call', () => {
  it('runs once and returns the first answer', async () => {
    const firstReply = await shop.keyed('delivery-1').put('/int/stocks', stockBody(5));
    const secondReply = await shop.keyed('delivery-1').put('/int/stocks', stockBody(5));
    expect([firstReply.status, secondReply.status]).toEqual([200, 200]);
    expect(secondReply.text).toBe(firstReply.text);
    expect([isReplay(firstReply), isReplay(secondReply)]).toEqual([false, true]);
    expect(secondReply.headers['content-type']).toBe(firstReply.headers['content-type']);
    expect(await readOnHand()).toBe(15);
  });

  it('returns the first answer after later changes', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const firstReply = await shop.keyed('tag').patch(`/proforma_orders/${id}`, { tags: ['one'] });
    await shop.patch(`/proforma_orders/${id}`, { tags: ['two'] });
    const repeatedReply = await shop.keyed('tag').patch(`/proforma_orders/${id}`, { tags: ['one'] });
    expect(repeatedReply.text).toBe(firstReply.text);
    expect((await shop.get(`/proforma_orders/${id}`)).body.data.tags).toEqual(['two']);
  });

  it('replays an empty answer', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const firstReply = await shop.keyed('cancel').delete(`/proforma_orders/${id}`);
    const secondReply = await shop.keyed('cancel').delete(`/proforma_orders/${id}`);
    expect([firstReply.status, secondReply.status, secondReply.text, isReplay(secondReply)]).toEqual([
      204,
      204,
      '',
      true,
    ]);
  });

  it('replays a refusal even when the call would succeed now', async () => {
    const evaluation = await evaluate(shop, [{ code: 'A', qty: 11 }]);
    const createProforma = () => shop.keyed('big').post('/proforma_orders', { order_processing_id: evaluation });
    const firstReply = await createProforma();
    await shop.put('/int/stocks', stockBody(10));
    const secondReply = await createProforma();
    expect([firstReply.status, secondReply.status, secondReply.text]).toEqual([422, 422, firstReply.text]);
    expect([isReplay(firstReply), isReplay(secondReply)]).toEqual([false, true]);
  });

  it.each([
    ['a missing record', () => shop.keyed('none').post('/proforma_orders/999999999/convert'), 404],
    ['a wrong type', () => shop.keyed('none').put('/int/stocks', { stocks: 1 }), 400],
  ])('replays the answer to %s', async (_, call, status) => {
    expect([(await call()).status, isReplay(await call())]).toEqual([status, true]);
  });

  it.each(['{', '', '{"stocks":[]}}', '{"stocks":"\\ud8"}', '\u0000'])(
    'replays the answer to an invalid body: %j',
    async (body) => {
      const headers = {
        Authorization: `Bearer ${shop.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'k',
      };
      const send = (text: string) => fetch(`${api.origin}/api/v2/int/stocks`, { method: 'PUT', headers, body: text });
      const replies = [await send(body), await send(body)];
      expect(replies.map(({ status }) => status)).toEqual([400, 400]);
      expect(replies.map((reply) => reply.headers.has('idempotency-replayed'))).toEqual([false, true]);
      expect(await replies[1]?.json()).toEqual({ errors: { detail: 'Bad Request' } });
      expect((await send('{"stocks":[]}')).status).toBe(422);
    },
  );

  it('runs again when its key is older than 24 hours', async () => {
    const add = () => shop.keyed('daily').put('/int/stocks', stockBody(1));
    await add();
    api.clock.forward({ hours: 23, seconds: 3_590 });
    expect(isReplay(await add())).toBe(true);
    api.clock.forward({ seconds: 20 });
    expect(isReplay(await add())).toBe(false);
    expect(await readOnHand()).toBe(12);
    api.clock.forward({ hours: 25 });
    await api.container.get(TOKENS.Database).keyedCalls.purge();
    expect(await countKeys()).toBe(0);
  });
});

describe('an idempotency key', () => {
  it.each([
    ['another body', () => shop.keyed('k').put('/int/stocks', stockBody(2))],
    ['another order of the same body', () => shop.keyed('k').put('/int/stocks', { extra: 1, ...stockBody(1) })],
    ['another path', () => shop.keyed('k').put('/warehouse', { warehouses: [] })],
    ['another query', () => shop.keyed('k').put('/int/stocks?x=1', stockBody(1))],
    ['another method', () => shop.keyed('k').patch('/app/settings', {})],
  ])('is refused with %s', async (_, call) => {
    await shop.keyed('k').put('/int/stocks', stockBody(1));
    const { status, body } = await call();
    expect([status, body]).toEqual([422, { errors: { Idempotency: ['API.Idempotency.KeyReused'] } }]);
    expect(await readOnHand()).toBe(11);
  });

  it('belongs to one token', async () => {
    const otherApp = await api.app();
    await stockShop(otherApp, [{ code: 'A' }]);
    for (const client of [shop, otherApp]) await client.keyed('same').put('/int/stocks', stockBody(1));
    expect([await readOnHand(shop), await readOnHand(otherApp)]).toEqual([11, 11]);
  });

  it.each(['', 'x'.repeat(256)])('is refused when invalid: %j', async (key) => {
    expect((await shop.keyed(key).put('/int/stocks', stockBody(1))).status).toBe(400);
    expect(await readOnHand()).toBe(10);
  });

  it('may be any text of 255 characters', async () => {
    const oddKey = `'; drop table apps; -- %_\\"${'x'.repeat(230)}`.slice(0, 255);
    await shop.keyed(oddKey).put('/int/stocks', stockBody(1));
    expect(isReplay(await shop.keyed(oddKey).put('/int/stocks', stockBody(1)))).toBe(true);
  });

  it('is ignored by reads', async () => {
    for (let turn = 0; turn < 2; turn += 1) expect(isReplay(await shop.keyed('read').get('/orders'))).toBe(false);
    expect(await countKeys()).toBe(0);
  });

  it('is not used up by a refused body', async () => {
    const client = { ...shop.keyed('late') };
    expect(
      (await shop.keyed('late').put('/int/stocks', { stocks: Array.from({ length: 10_001 }, () => ({})) })).status,
    ).toBe(413);
    expect((await client.put('/int/stocks', stockBody(1))).status).toBe(200);
    expect(await readOnHand()).toBe(11);
  });
});

describe('concurrent calls with one key', () => {
  it('run the call once; the other calls get 409 or the stored answer', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => shop.keyed('rush').put('/int/stocks', stockBody(1))),
    );
    const statuses = new Set(replies.map(({ status }) => status));
    expect([...statuses].every((status) => status === 200 || status === 409)).toBe(true);
    expect(replies.filter((reply) => reply.status === 200 && !isReplay(reply))).toHaveLength(1);
    expect(await readOnHand()).toBe(11);
  });

  it('get 409 with Retry-After while the first call runs', async () => {
    await api.database.transaction(async (transaction) => {
      await transaction.rows('select 1 from stocks where app_id = $1 for update', [shop.appId]);
      const runningCall = shop.keyed('slow').put('/int/stocks', stockBody(1));
      while ((await countKeys()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const secondReply = await shop.keyed('slow').put('/int/stocks', stockBody(1));
      expect([secondReply.status, secondReply.headers['retry-after']]).toEqual([409, '1']);
      expect(secondReply.body).toEqual({ errors: { Idempotency: ['API.Idempotency.InProgress'] } });
      await transaction.runLast('select 1');
      expect((await runningCall).status).toBe(200);
    });
    expect(await readOnHand()).toBe(11);
  });
});

describe('a run that crashed or paused', () => {
  it('lets the call run again when it crashed before its write', async () => {
    const restoreCalls = [
      replaceMethod(api.container.get(TOKENS.Database).keyedCalls, 'release', rejectAlways),
      replaceMethod(api.container.get(TOKENS.Database).stock, 'add', rejectAlways),
    ];
    expect((await shop.keyed('dead').put('/int/stocks', stockBody(1))).status).toBe(500);
    for (const restore of restoreCalls) restore();
    expect((await shop.keyed('dead').put('/int/stocks', stockBody(1))).status).toBe(409);
    api.clock.forward({ seconds: 16 });
    expect((await shop.keyed('dead').put('/int/stocks', stockBody(1))).status).toBe(200);
    expect(await readOnHand()).toBe(11);
  });

  it('cannot write when it continues after another run has written', async () => {
    const stocks = api.container.get(TOKENS.Database).stock;
    const add = stocks.add.bind(stocks);
    let resume = (): void => {};
    const untilResumed = new Promise<void>((resolve) => (resume = resolve));
    const restore = replaceMethod(stocks, 'add', async (...rows) => {
      await untilResumed;
      return add(...rows);
    });
    const slowCall = shop.keyed('slow').put('/int/stocks', stockBody(1));
    while ((await countKeys()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    api.clock.forward({ seconds: 16 });
    restore();
    expect((await shop.keyed('slow').put('/int/stocks', stockBody(1))).status).toBe(200);
    resume();
    expect((await slowCall).status).toBe(409);
    expect(await readOnHand()).toBe(11);
  });

  it('is answered without a second write when it crashed after its write', async () => {
    loseAnswers();
    const firstReply = await shop.keyed('lost').put('/int/stocks', stockBody(5));
    expect((await shop.keyed('lost').put('/int/stocks', stockBody(5))).status).toBe(409);
    api.clock.forward({ seconds: 16 });
    const secondReply = await shop.keyed('lost').put('/int/stocks', stockBody(5));
    expect([secondReply.status, secondReply.text, isReplay(secondReply)]).toEqual([200, firstReply.text, true]);
    expect(await readOnHand()).toBe(15);
  });

  it('is answered without a second write for every kind of call, when it crashed after its write', async () => {
    loseAnswers();
    let turn = 0;
    const callTwice = async (call: (client: Client) => Promise<Reply>): Promise<Reply> => {
      const client = shop.keyed(`step-${(turn += 1)}`);
      const firstReply = await call(client);
      api.clock.forward({ seconds: 16 });
      const secondReply = await call(client);
      expect([secondReply.status, isReplay(secondReply)]).toEqual([firstReply.status, true]);
      expect(stripTimes(secondReply)).toBe(stripTimes(firstReply));
      return firstReply;
    };
    await callTwice((client) => client.put('/warehouse', { warehouses: [warehouse('W2')] }));
    await callTwice((client) =>
      client.post('/int/products', {
        products: [{ code: 'N', name: 'N', images: [{ image_url: '/n.png' }], variants: [{ code: 'N1' }] }],
      }),
    );
    await callTwice((client) =>
      client.post('/customers', { customer: { email: 'mira@example.com', first_name: 'Mira', last_name: 'Marić' } }),
    );
    const products = [
      { sku: 'N1', qty: 3 },
      { sku: 'none', qty: 1 },
    ];
    await callTwice((client) => client.post('/stock/reconcile?explain=true', { warehouse_code: 'W2', products }));
    const attributes = [{ external_ref: 'size', value: 'M' }];
    await callTwice((client) =>
      client.put('/int/product_attributes?explain=true', { product_attributes: [{ code: 'N1', attributes }] }),
    );
    const location = { name: 'Here', latitude: 1, longitude: 1 };
    await callTwice((client) => client.post('/int/app_locations', { app_locations: [location, null] }));
    await callTwice((client) => client.post('/product/verify?explain=true', { products: [{ code: 'N1' }, {}] }));
    await callTwice((client) => client.patch('/app/settings', { name: 'Shop' }));
    await callTwice((client) => client.put('/vouchers', { vouchers: [{ code: 'V', amount: 10 }] }));
    const items = [{ code: 'A', qty: 2 }];
    const order = {
      items,
      guest: {
        email: 'a@example.com',
        first_name: 'A',
        last_name: 'B',
        phone: '1',
        address_line_1: 'P',
        city: 'N',
        postcode: '1',
      },
    };
    const evaluation = await callTwice((client) => client.post('/order_processings', { order_processing: order }));
    const proforma = await callTwice((client) =>
      client.post('/proforma_orders', { order_processing_id: evaluation.body.data.id }),
    );
    const path = `/proforma_orders/${proforma.body.data.id}`;
    const payment = { payment_method_id: await methodId(shop, 'bank_transfer'), amount: 0 };
    const cardPayment = await callTwice((client) => client.post(`${path}/card_payments`, { payment: { amount: 5 } }));
    expect(cardPayment.body.payment).toMatchObject({ amount: 5, payment_status: 'pending' });
    const result = { status: 'failed' };
    await callTwice((client) => client.post(`${path}/card_payments/${cardPayment.body.payment.id}/result`, { result }));
    await callTwice((client) => client.post(`${path}/pay`, { payment }));
    const adjustments = [
      { proforma_order_item_id: proforma.body.data.items[0].proforma_order_item_id, qty_confirmed: 1 },
    ];
    await callTwice((client) => client.post(`${path}/warehouse_confirm`, { adjustments }));
    const { id, data_part, time_part } = (await callTwice((client) => client.post(`${path}/convert`))).body.data;
    const orders = [{ id, data_part, time_part, delivery_status_id: 2 }];
    await callTwice((client) => client.put('/orders/bulk_update', { orders }));
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 9, reserved: 0, available: 9 });
    const { images } = (await shop.get('/products?code=N')).body.data;
    expect(images).toHaveLength(1);
    expect((await shop.get('/vouchers')).body.data).toHaveLength(1);
    const locations = await api.database.rows('select 1 from app_locations where app_id = $1', [shop.appId]);
    expect(locations).toHaveLength(1);
    expect((await stockOf(shop, 'N1')).on_hand).toBe(3);
  });
});
