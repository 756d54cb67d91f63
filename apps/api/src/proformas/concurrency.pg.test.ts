import { evaluate, methodId, propose, putStock, stockOf, stockShop, warehouse } from '../testing/shop.js';
import { startServer, type ServerProcess } from '../testing/server-process.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

/** The test uses two server processes, because calls within one process could share locks in memory. */
let api: TestApi;
let servers: ServerProcess[];
let shop: Client;
let alternatingClient: Client;

const SALES_OF_A_SHELF = 60;

beforeAll(async () => {
  api = await testApi();
  api.clock.setToSystemTime();
  const environment = { DATABASE_URL: api.url, LOG_LEVEL: 'silent' };
  servers = await Promise.all([startServer(environment), startServer(environment)]);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await api.close();
});

beforeEach(async () => {
  shop = await api.app();
  alternatingClient = api.withOrigins(
    shop,
    servers.map((server) => server.origin),
  );
  await stockShop(shop, [
    { code: 'A', stock: 10 },
    { code: 'B', stock: 1_000 },
    { code: 'C', stock: 1_000 },
  ]);
});

function repeatCall(count: number, call: (index: number) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
}

function countStatuses(replies: readonly Reply[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function expectLedgerToAgree(): Promise<void> {
  const rows = await api.database.rows<Record<'reserved' | 'held' | 'moved' | 'lines', number>>(
    `select s.reserved,
       (select coalesce(sum(qty), 0)::bigint from stock_reservations r where r.app_id = $1
          and r.product_variant_id = s.product_variant_id and r.warehouse_id = s.warehouse_id) as held,
       (select coalesce(sum(l.qty), 0)::bigint from stock_movement_lines l
          join stock_movements m on m.app_id = $1 and m.id = l.movement_id
          where l.app_id = $1 and l.product_variant_id = s.product_variant_id and m.warehouse_id = s.warehouse_id
          and m.kind in ('reserve', 'release')) as moved,
       (select coalesce(sum(coalesce(i.qty_confirmed, i.qty)), 0)::bigint from proforma_items i
          join proforma_orders p on p.app_id = $1 and p.id = i.proforma_order_id and p.status_id not in (7, 8)
          where i.app_id = $1 and i.product_variant_id = s.product_variant_id and i.warehouse_id = s.warehouse_id) as lines
     from stocks s where s.app_id = $1`,
    [shop.appId],
  );
  for (const { reserved, held, moved, lines } of rows) {
    expect([held, moved, lines]).toEqual([reserved, reserved, reserved]);
  }
}

describe('a service of two processes', () => {
  it('makes only one proforma when 30 concurrent calls use one evaluation', async () => {
    const id = await evaluate(shop, [{ code: 'A', qty: 10 }]);
    const replies = await repeatCall(30, () => alternatingClient.post('/proforma_orders', { order_processing_id: id }));
    expect(countStatuses(replies)).toEqual({ 201: 1, 422: 29 });
    const refusedReplies = replies.filter(({ status }) => status === 422);
    for (const { body } of refusedReplies) {
      expect(body).toEqual({ errors: { OrderProcessings: ['API.OrderProcessings.StaleEvaluation'] } });
    }
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 10, available: 0 });
    await expectLedgerToAgree();
  });

  it('makes 10 proformas when 40 concurrent calls want 10 pieces', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => evaluate(shop, [{ code: 'A', qty: 1 }])));
    const replies = await repeatCall(40, (index) =>
      alternatingClient.post('/proforma_orders', { order_processing_id: ids[index] }),
    );
    expect(countStatuses(replies)).toEqual({ 201: 10, 422: 30 });
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 10, available: 0 });
    await expectLedgerToAgree();
  });

  it('reserves no piece twice when 12 lines are raised concurrently', async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W2')] });
    const reducedProformas: { id: number; adjustments: object[] }[] = [];
    for (let count = 0; count < 12; count += 1) {
      const { id, items } = await propose(shop, [{ code: 'A', qty: 2 }]);
      const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 0 }];
      await shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments });
      reducedProformas.push({ id, adjustments });
    }
    await propose(shop, [{ code: 'A', qty: 5 }]);
    await putStock(shop, [{ code: 'A', warehouse_code: 'W2', qty: 7 }]);
    const replies = await repeatCall(12, (index) =>
      alternatingClient.post(`/proforma_orders/${reducedProformas[index]?.id}/warehouse_confirm`),
    );
    // Each line has two pieces: W1 can reserve two lines with its 5 pieces, W2 three with its 7.
    expect(countStatuses(replies)).toEqual({ 200: 5, 422: 7 });
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 17, reserved: 15, available: 2 });
    await expectLedgerToAgree();
  });

  it('makes only one order in 20 concurrent conversions', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 2 }]);
    const replies = await repeatCall(20, () => alternatingClient.post(`/proforma_orders/${id}/convert`));
    expect(countStatuses(replies)).toEqual({ 200: 20 });
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect((await shop.get('/orders')).body.data).toHaveLength(1);
    const [sale] = await api.database.rows<{ quantity: number }>(
      'select quantity from product_sales where app_id = $1',
      [shop.appId],
    );
    expect(sale).toEqual({ quantity: 2 });
  });

  it('either cancels or converts a proforma, but not both', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await propose(shop, [{ code: 'B', qty: 1 }]);
      const [convertReply, cancelReply] = await Promise.all([
        alternatingClient.post(`/proforma_orders/${id}/convert`),
        alternatingClient.delete(`/proforma_orders/${id}`),
      ]);
      expect([convertReply.status, cancelReply.status]).toEqual(convertReply.status === 200 ? [200, 422] : [422, 204]);
    }
    await expectLedgerToAgree();
  });

  it('accepts only one of 20 concurrent payments of the whole debt', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const payment = { payment_method_id: await methodId(shop, 'cash'), amount: 0 };
    const replies = await repeatCall(20, () => alternatingClient.post(`/proforma_orders/${id}/pay`, { payment }));
    expect(countStatuses(replies)).toEqual({ 200: 1, 422: 19 });
    expect((await shop.get(`/proforma_orders/${id}`)).body.data).toMatchObject({
      paid: 100,
      payments: [{ amount: 100 }],
    });
  });

  it('never accepts more than the debt in partial payments', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const payment = { payment_method_id: await methodId(shop, 'cash'), amount: 30 };
    const replies = await repeatCall(12, () => alternatingClient.post(`/proforma_orders/${id}/pay`, { payment }));
    expect(countStatuses(replies)).toEqual({ 200: 3, 422: 9 });
    expect((await shop.get(`/proforma_orders/${id}`)).body.data).toMatchObject({ paid: 90, debt: 10 });
  });

  it('does not deadlock when baskets list their lines in opposite orders', async () => {
    const lines = [
      { code: 'B', qty: 1 },
      { code: 'C', qty: 1 },
    ];
    const ids = await Promise.all(
      Array.from({ length: SALES_OF_A_SHELF }, (_, index) =>
        evaluate(shop, index % 2 === 0 ? lines : [...lines].reverse()),
      ),
    );
    const replies = await repeatCall(SALES_OF_A_SHELF, async (index) => {
      const creationReply = await alternatingClient.post('/proforma_orders', { order_processing_id: ids[index] });
      return index % 3 === 0
        ? alternatingClient.delete(`/proforma_orders/${creationReply.body.data.id}`)
        : creationReply;
    });
    const kept = (SALES_OF_A_SHELF * 2) / 3;
    expect(countStatuses(replies)).toEqual({ 201: kept, 204: SALES_OF_A_SHELF - kept });
    expect(await stockOf(shop, 'B')).toEqual({ on_hand: 1000, reserved: kept, available: 1000 - kept });
    await expectLedgerToAgree();
  });

  it('loses no added pieces when bulk calls list shelves in opposite orders', async () => {
    const rows = ['A', 'B', 'C'].map((code) => ({ code, warehouse_code: 'W1', qty: 1 }));
    const replies = await repeatCall(30, (index) =>
      alternatingClient.put('/int/stocks', { stocks: index % 2 === 0 ? rows : [...rows].reverse() }),
    );
    expect(countStatuses(replies)).toEqual({ 200: 30 });
    expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: 40 });
    expect(await stockOf(shop, 'C')).toMatchObject({ on_hand: 1030 });
  });

  it('creates each product only once in concurrent bulk calls', async () => {
    const products = Array.from({ length: 50 }, (_, index) => ({
      code: `N${index}`,
      name: 'New',
      variants: [{ code: `N${index}` }],
    }));
    const replies = await repeatCall(8, (index) =>
      alternatingClient.post('/int/products', { products: index % 2 === 0 ? products : [...products].reverse() }),
    );
    const createdProducts = replies
      .flatMap(({ body }) => body.data.products)
      .filter((product: { created: boolean }) => product.created);
    expect(countStatuses(replies)).toEqual({ 200: 8 });
    expect(createdProducts).toHaveLength(50);
  });

  it('makes only one warehouse when concurrent calls use one code', async () => {
    const row = { code: 'W9', name: 'W9', address_line_1: 'x', city: 'y', postcode: '1', market_id: 1 };
    const replies = await repeatCall(10, () => alternatingClient.put('/warehouse', { warehouses: [row] }));
    expect(new Set(replies.map(({ body }) => body.data.warehouses[0].id)).size).toBe(1);
  });

  it('expires each proforma only once', async () => {
    await shop.patch('/app/settings', { proforma: { lifetime_hours: 1 } });
    const { id } = await propose(shop, [{ code: 'A', qty: 3 }]);
    await api.database.rows('update proforma_orders set due_at = $2, expires_at = $2 where app_id = $1', [
      shop.appId,
      new Date(Date.now() - 1000),
    ]);
    for (let attempt = 0; attempt < 50 && (await stockOf(shop, 'A')).reserved > 0; attempt += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 0, available: 10 });
    expect((await shop.get(`/proforma_orders/${id}`)).body.data).toMatchObject({ proforma_status: 'expired' });
    await expectLedgerToAgree();
  });
});
