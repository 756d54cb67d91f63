import { GUEST, evaluate, methodId, propose, startSession, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', stock: 10 }]);
});

interface Event {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly sequence: string;
  readonly partid?: number;
  // eslint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

const readFeed = async (query = '', client = shop) => (await client.get(`/events${query}`)).body.data;
const readCursor = async (): Promise<string> => (await readFeed('?after=latest')).cursor;
/** Returns the events that the work publishes. */
const eventsOf = async (work: () => Promise<unknown>): Promise<Event[]> => {
  const after = await readCursor();
  await work();
  return (await readFeed(`?after=${after}`)).events;
};
const typesOf = (events: readonly Event[]): string[] => events.map(({ type }) => type);
const pay = async (id: number, amount = 0) =>
  shop.post(`/proforma_orders/${id}/pay`, {
    payment: { payment_method_id: await methodId(shop, 'bank_transfer'), amount },
  });
const upload = async (name: string) =>
  (await shop.upload('/cdn/files', { name, bytes: Buffer.from('words') })).body.data;

describe('GET /events', () => {
  it('shows each event as a CloudEvent with its record', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 2 }]);
    const after = await readCursor();
    await pay(id);
    const { events, has_more: hasMore } = await readFeed(`?after=${after}`);
    const { body } = await shop.get(`/proforma_orders/${id}`);
    expect(events[1]).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^\d+$/),
      source: expect.stringMatching(/^\/apps\/\d+$/),
      type: 'proforma.paid',
      time: `${api.clock.now().toISOString().slice(0, 19)}Z`,
      subject: `proforma_orders/${id}`,
      sequence: expect.stringMatching(/^\d{16}$/),
      datacontenttype: 'application/json',
      data: body.data,
    });
    expect(hasMore).toBe(false);
    expect((await readFeed()).events.length).toBeGreaterThan(events.length);
  });

  it('reports each change of a proforma from draft to order', async () => {
    const evaluationId = await evaluate(shop, [{ code: 'A', qty: 2 }]);
    let id = 0;
    const createdEvents = await eventsOf(async () => {
      id = (await shop.post('/proforma_orders', { order_processing_id: evaluationId })).body.data.id;
    });
    expect(typesOf(createdEvents)).toEqual(['proforma.created', 'stock.changed']);
    expect(createdEvents[0]?.subject).toBe(`proforma_orders/${id}`);
    expect(createdEvents[1]?.data).toMatchObject({ code: 'A', on_hand: 10, reserved: 2, available: 8 });
    expect(typesOf(await eventsOf(() => pay(id, 10)))).toEqual(['proforma.payment_received']);
    expect(typesOf(await eventsOf(() => pay(id)))).toEqual(['proforma.payment_received', 'proforma.paid']);
    expect(typesOf(await eventsOf(() => shop.post(`/proforma_orders/${id}/warehouse_confirm`)))).toEqual([
      'proforma.confirmed',
    ]);
    const convertedEvents = await eventsOf(() => shop.post(`/proforma_orders/${id}/convert`));
    expect(typesOf(convertedEvents)).toEqual(['proforma.converted', 'order.created']);
    expect(convertedEvents[1]).toMatchObject({ data: { proforma_order_id: id, order_status: expect.any(String) } });
    expect(typesOf(await eventsOf(() => shop.post(`/proforma_orders/${id}/convert`)))).toEqual([]);
  });

  it('reports refunds, alerts and cancellations', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    await pay(id);
    const events = await eventsOf(() => shop.delete(`/proforma_orders/${id}`));
    expect(typesOf(events)).toEqual(['proforma.canceled', 'stock.changed', 'refund.succeeded']);
    const { body } = await shop.get(`/proforma_orders/${id}`);
    expect(events[2]?.partid).toBe(body.data.payments[1].id);
  });

  it('reports shipped, delivered and cancelled orders', async () => {
    const makeOrder = async () => {
      const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
      return (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    };
    const update = (changes: object, { id, data_part, time_part }: Event['data']) =>
      shop.put('/orders/bulk_update', { orders: [{ id, data_part, time_part, ...changes }] });
    const [shipped, canceled] = [await makeOrder(), await makeOrder()];
    expect(typesOf(await eventsOf(() => update({ delivery_status_id: 2 }, shipped)))).toEqual([
      'order.shipped',
      'stock.changed',
    ]);
    expect(typesOf(await eventsOf(() => update({ delivery_status_id: 3, payment_status_id: 3 }, shipped)))).toEqual([
      'order.delivered',
      'order.payment_received',
    ]);
    expect(typesOf(await eventsOf(() => update({ order_status_id: 3 }, canceled)))).toEqual([
      'order.canceled',
      'stock.changed',
    ]);
  });

  it('reports other changes of proformas and orders, but no repeated calls', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const tag = () => shop.put(`/proforma_orders/${id}`, { tags: ['gift'] });
    expect(await eventsOf(tag)).toMatchObject([{ type: 'proforma.updated', data: { id, tags: ['gift'] } }]);
    expect(await eventsOf(tag)).toEqual([]);
    const { data_part, time_part, ...order } = (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    const row = { id: order.id, data_part, time_part, invoice_number: 'R-1' };
    const invoice = () => shop.put('/orders/bulk_update', { orders: [row] });
    expect(await eventsOf(invoice)).toMatchObject([{ type: 'order.updated', data: { invoice_number: 'R-1' } }]);
    expect(await eventsOf(invoice)).toEqual([]);
    const cancel = () => shop.put('/orders/bulk_update', { orders: [{ ...row, order_status_id: 3 }, row] });
    expect(typesOf(await eventsOf(cancel))).toEqual(['order.canceled', 'stock.changed']);
  });

  it('reports an imported order', async () => {
    const order = { external_ref: 'W-1', items: [{ code: 'A', qty: 1 }] };
    expect(typesOf(await eventsOf(() => shop.post('/int/orders', { order })))).toEqual(['order.created']);
    expect(typesOf(await eventsOf(() => shop.post('/int/orders', { order })))).toEqual([]);
  });

  it('reports each shelf that a call changes only once', async () => {
    const stocks = [
      { code: 'A', warehouse_code: 'W1', qty: 1 },
      { code: 'A', warehouse_code: 'W1', qty: 2 },
      { code: 'UNKNOWN', warehouse_code: 'W1', qty: 2 },
    ];
    const events = await eventsOf(() => shop.put('/int/stocks', { stocks }));
    expect(typesOf(events)).toEqual(['stock.changed']);
    const { product_variant_id: variantId, warehouse_id: warehouseId } = (events[0] as Event).data;
    expect(events[0]).toMatchObject({ subject: `stocks/${variantId}/${warehouseId}`, data: { on_hand: 13 } });
    const count = { warehouse_code: 'W1', products: [{ sku: 'A', qty: 13 }] };
    expect(await eventsOf(() => shop.post('/stock/reconcile', count))).toEqual([]);
    expect(await eventsOf(() => shop.put('/int/stocks?dry_run=true', { stocks }))).toEqual([]);
  });

  it('reports new and changed products, but no unchanged ones', async () => {
    const put = (products: readonly object[]) => () => shop.post('/int/products', { products });
    const product = { code: 'P', name: 'P', price: 5, variants: [{ code: 'P1' }] };
    const createdEvents = await eventsOf(put([product]));
    expect(createdEvents).toMatchObject([{ type: 'product.created', data: { code: 'P', variants: [{ code: 'P1' }] } }]);
    expect(await eventsOf(put([product]))).toEqual([]);
    const changes = [
      { ...product, variants: [{ code: 'P1', barcode: '77' }] },
      { code: 'Q', name: 'Q' },
    ];
    expect(typesOf(await eventsOf(put(changes)))).toEqual(['product.updated', 'product.created']);
    expect(
      await eventsOf(() => shop.post('/int/products?dry_run=true', { products: [{ code: 'R', name: 'R' }] })),
    ).toEqual([]);
  });

  it('reports customers, consents, and earned points', async () => {
    const customer = { email: 'ana@example.com', first_name: 'Ana', last_name: 'Kos', external_ref: 'ana' };
    const createdEvents = await eventsOf(() => shop.post('/customers', { customer }));
    expect(createdEvents).toMatchObject([{ type: 'customer.created', data: { email: 'ana@example.com' } }]);
    const session = api.clientWith(shop.appId, await startSession(shop, { customer_external_ref: 'ana' }));
    const revoke = () => session.put('/customer/consent', { channel: 'sms', state: 'revoked' });
    const changedEvents = await eventsOf(revoke);
    expect(changedEvents).toMatchObject([
      { type: 'consent.changed', data: { channels: { sms: { state: 'revoked' } } } },
    ]);
    expect(await eventsOf(revoke)).toEqual([]);
    await shop.patch('/app/settings', { loyalty: { points_per_amount: 1 } });
    const basket = { items: [{ code: 'A', qty: 1 }], customer_external_ref: 'ana', delivery: GUEST };
    const evaluation = await shop.post('/order_processings', { order_processing: basket });
    const proforma = await shop.post('/proforma_orders', { order_processing_id: evaluation.body.data.id });
    const events = await eventsOf(() => shop.post(`/proforma_orders/${proforma.body.data.id}/convert`));
    expect(typesOf(events)).toEqual(['proforma.converted', 'order.created', 'customer.updated']);
    const { id, data_part, time_part } = (createdEvents[0] as Event).data;
    const erasedEvents = await eventsOf(() =>
      shop.post(`/customers/${id}/erase?dataPart=${data_part}&timePart=${time_part}`),
    );
    expect(erasedEvents).toMatchObject([
      { type: 'customer.updated', data: { email: `erased-${id}@erased.invalid` } },
      { type: 'proforma.updated', data: { id: proforma.body.data.id, customer_email: null } },
      { type: 'order.updated', data: { customer_email: null } },
    ]);
    expect(JSON.stringify(await readFeed('?limit=1000'))).not.toContain('ana@example.com');
  });

  it('has one event for each record of a bulk call, in the order of the records', async () => {
    const products = Array.from({ length: 250 }, (_, index) => {
      const code = `BULK-${index}`;
      return { code, name: code, price: 100, vat_rate: 20, variants: [{ code }] };
    });
    const after = await readCursor();
    const { body } = await shop.post('/int/products', { products });
    const { events } = await readFeed(`?after=${after}&limit=1000`);
    const ids = (body.data.products as readonly { id: number }[]).map(({ id }) => id);
    expect((events as readonly Event[]).map(({ type, subject }) => [type, subject])).toEqual(
      ids.map((id) => ['product.created', `products/${id}`]),
    );
    const sequences = (events as readonly Event[]).map(({ sequence }) => Number(sequence));
    expect(sequences).toEqual(sequences.map((_, index) => (sequences[0] ?? 0) + index));
  });

  it('names each file that a call has purged', async () => {
    const files = [await upload('one.txt'), await upload('two.txt'), await upload('three.txt')];
    await shop.delete('/cdn/list', { files: files.map(({ key }) => ({ key })) });
    const events = await eventsOf(() => shop.delete('/cdn/files/purge', { ids: files.map(({ id }) => id) }));
    expect(events.map(({ type, data }) => [type, data])).toEqual(
      files.map(({ id, key }) => ['file.purged', expect.objectContaining({ id, key })]),
    );
  });

  it('writes no event for a refused call', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    expect(await eventsOf(() => pay(id, 1_000_000))).toEqual([]);
    expect(await eventsOf(() => propose(shop, [{ code: 'A', qty: 99 }]).catch(() => {}))).toEqual([]);
  });

  it('shows a single event for a keyed call and its repeat', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const payment = { payment_method_id: await methodId(shop, 'bank_transfer'), amount: 1 };
    const payOnce = () => shop.keyed(`k-${id}`).post(`/proforma_orders/${id}/pay`, { payment });
    expect(typesOf(await eventsOf(async () => [await payOnce(), await payOnce()]))).toEqual([
      'proforma.payment_received',
    ]);
  });

  it('filters by type and by record', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const { id: otherId } = await propose(shop, [{ code: 'A', qty: 1 }]);
    await pay(id);
    expect(typesOf((await readFeed('?types=proforma.paid,proforma.created')).events)).toEqual([
      'proforma.created',
      'proforma.created',
      'proforma.paid',
    ]);
    expect(typesOf((await readFeed(`?subject=proforma_orders/${otherId}`)).events)).toEqual(['proforma.created']);
    expect((await readFeed('?subject=proforma_orders/987654321')).events).toEqual([]);
    const { subject } = (await readFeed('?types=stock.changed')).events[0];
    expect((await readFeed(`?subject=${subject}`)).events.length).toBeGreaterThan(1);
  });

  it('returns pages by cursor, and shows whether more events follow', async () => {
    const allEvents = (await readFeed()).events;
    const pages: Event[] = [];
    let after = '';
    for (let hasMore = true; hasMore;) {
      const page = await readFeed(`?limit=2&after=${after}`);
      pages.push(...page.events);
      [after, hasMore] = [page.cursor, page.has_more];
    }
    expect(pages).toEqual(allEvents);
    expect([...allEvents].sort((a, b) => (a.sequence < b.sequence ? -1 : 1))).toEqual(allEvents);
  });

  it.each([
    'after=%00',
    'after=x',
    'after=ZTAwMQ',
    'types=proforma.payed',
    'subject=proforma_orders',
    'subject=stocks/1',
    'subject=proforma_orders/1/2',
    'subject=unknown/1',
    'subject=orders/x',
    'wait=31',
    'wait=-1',
    'wait=long',
  ])('answers 400 for %s', async (query) => {
    expect(await shop.get(`/events?${query}`)).toMatchObject({
      status: 400,
      body: { errors: { detail: 'Bad Request' } },
    });
  });

  it('shows only events of areas that the token may read', async () => {
    await propose(shop, [{ code: 'A', qty: 1 }]);
    const tokenWith = async (scopes: readonly string[]) => {
      const { body } = await shop.post('/access_tokens', { access_token: { name: 'Reader', scopes } });
      return api.clientWith(shop.appId, body.data.access_token);
    };
    const { events } = await readFeed('', await tokenWith(['events:read', 'stock:read']));
    expect(new Set(typesOf(events))).toEqual(new Set(['stock.changed']));
    expect((await (await tokenWith(['stock:read'])).get('/events')).status).toBe(403);
  });

  it('answers CursorExpired when events after the cursor have been purged', async () => {
    const after = await readCursor();
    await propose(shop, [{ code: 'A', qty: 1 }]);
    await shop.patch('/app/settings', { events: { retention_days: 1 } });
    api.clock.forward({ hours: 48 });
    await api.container.get(TOKENS.Database).eventFeed.purge();
    expect(await shop.get(`/events?after=${after}`)).toMatchObject({
      status: 422,
      body: { errors: { Events: ['API.Events.CursorExpired'] } },
    });
    expect((await shop.get('/events')).status).toBe(200);
  });

  describe('with the parameter wait', () => {
    it('answers as soon as an event is published', async () => {
      const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
      const waiting = readFeed(`?wait=30&after=${await readCursor()}`);
      await pay(id);
      expect(typesOf((await waiting).events)).toContain('proforma.payment_received');
    });

    it('returns an empty page when no event is published in time', async () => {
      const after = await readCursor();
      const startMs = performance.now();
      expect(await readFeed(`?wait=1&after=${after}`)).toEqual({ events: [], cursor: after, has_more: false });
      expect(performance.now() - startMs).toBeGreaterThan(900);
    });
  });
});
