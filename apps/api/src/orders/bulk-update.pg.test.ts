import { ShippedOrders1763700000007 } from '@back-office/database-postgres/testing';
import { failedRow, methodId, propose, putStock, stockOf, stockShop } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [
    { code: 'A', stock: 10 },
    { code: 'B', stock: 10 },
  ]);
});

interface Order {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
  readonly order_number: string;
}

async function makeOrder(items: readonly object[] = [{ code: 'A', qty: 3 }]): Promise<Order> {
  const { id } = await propose(shop, items);
  return (await shop.post(`/proforma_orders/${id}/convert`)).body.data as Order;
}

const partsOf = ({ id, data_part, time_part }: Order) => ({ id, data_part, time_part });
const update = (...orders: readonly unknown[]): Promise<Reply> => shop.put('/orders/bulk_update', { orders });
const updateOrders = async (...orders: readonly unknown[]): Promise<unknown> => {
  const { status, body } = await update(...orders);
  expect(status).toBe(200);
  return body.data;
};
const getOrder = async ({ id, data_part: data, time_part: time }: Order) =>
  (await shop.get(`/orders/${id}?dataPart=${data}&timePart=${time}`)).body.data;
const failureOf = (input: unknown, message: string) => ({ updated: 0, failed: [failedRow(0, input, message)] });
const readMovements = () =>
  api.database.rows(
    `select m.kind, m.reference, l.qty from stock_movements m
     join stock_movement_lines l on l.app_id = m.app_id and l.movement_id = m.id
     where m.app_id = $1 and m.kind in ('ship', 'release') order by m.id, l.product_variant_id`,
    [shop.appId],
  );

describe('PUT /orders/bulk_update', () => {
  it('changes the sent fields and keeps absent fields', async () => {
    const newOrder = await makeOrder();
    expect(
      await updateOrders({ ...partsOf(newOrder), order_status_id: 2, payment_status_id: 3, invoice_number: 'F-1' }),
    ).toEqual({
      updated: 1,
      failed: [],
    });
    expect(await getOrder(newOrder)).toMatchObject({
      order_status: 'completed',
      payment_status: 'paid',
      delivery_status: 'pending',
      invoice_number: 'F-1',
    });
    await updateOrders({ ...partsOf(newOrder), delivery_status_id: null });
    await updateOrders({ ...partsOf(newOrder), invoice_number: null });
    expect(await getOrder(newOrder)).toMatchObject({ order_status: 'completed', invoice_number: null });
  });

  it('does not cancel a shipped order, even after its delivery status has changed', async () => {
    const newOrder = await makeOrder();
    const cancellation = { ...partsOf(newOrder), order_status_id: 3 };
    for (const delivery of [2, 1, 4]) {
      await updateOrders({ ...partsOf(newOrder), delivery_status_id: delivery });
      expect(await updateOrders(cancellation)).toEqual(failureOf(cancellation, 'API.Order.AlreadyShipped'));
    }
    const shippedOrder = await makeOrder();
    const lateCancellation = { ...partsOf(shippedOrder), order_status_id: 3 };
    const rows = [
      { ...partsOf(shippedOrder), delivery_status_id: 3 },
      { ...partsOf(shippedOrder), delivery_status_id: 1 },
      lateCancellation,
    ];
    expect(await updateOrders(...rows)).toEqual({
      updated: 2,
      failed: [failedRow(2, lateCancellation, 'API.Order.AlreadyShipped')],
    });
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 4, reserved: 0, available: 4 });
  });

  it('cancels a returned order that never shipped, and releases its pieces', async () => {
    const newOrder = await makeOrder();
    await updateOrders({ ...partsOf(newOrder), delivery_status_id: 4 });
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 3, available: 7 });
    expect(await updateOrders({ ...partsOf(newOrder), order_status_id: 3 })).toEqual({ updated: 1, failed: [] });
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 0, available: 10 });
    expect(await readMovements()).toMatchObject([{ kind: 'release', qty: -3 }]);
  });

  it('recognizes orders shipped before shipping was recorded', async () => {
    const onePiece = [{ code: 'A', qty: 1 }];
    const [backOrder, deliveredOrder, returnedOrder, pendingOrder] = [
      await makeOrder(onePiece),
      await makeOrder(onePiece),
      await makeOrder(onePiece),
      await makeOrder(onePiece),
    ];
    await updateOrders(
      { ...partsOf(backOrder), delivery_status_id: 2 },
      { ...partsOf(deliveredOrder), delivery_status_id: 3 },
    );
    await updateOrders(
      { ...partsOf(backOrder), delivery_status_id: 1 },
      { ...partsOf(returnedOrder), delivery_status_id: 4 },
    );
    const readShippingTimes = () =>
      api.database.rows<{ shipped_at: Date | null }>(
        'select id, shipped_at from orders where app_id = $1 order by id',
        [shop.appId],
      );
    const recordedTimes = await readShippingTimes();
    expect(recordedTimes).toMatchObject(
      [backOrder, deliveredOrder, returnedOrder, pendingOrder].map(({ id }) => ({ id })),
    );
    const runner = api.database.source.createQueryRunner();
    await runner.query('alter table orders drop column shipped_at');
    await new ShippedOrders1763700000007().up(runner);
    await runner.release();
    expect(await readShippingTimes()).toEqual(recordedTimes);
    expect(recordedTimes.map(({ shipped_at }) => shipped_at === null)).toEqual([false, false, true, true]);
  });

  it('does not cancel a shipped order of another system', async () => {
    const { body } = await shop.post('/int/orders', { order: { external_ref: 'X', items: [{ code: 'A', qty: 1 }] } });
    const importedOrder = body.data as Order;
    await updateOrders({ ...partsOf(importedOrder), delivery_status_id: 2 });
    await updateOrders({ ...partsOf(importedOrder), delivery_status_id: 1 });
    const cancellation = { ...partsOf(importedOrder), order_status_id: 3 };
    expect(await updateOrders(cancellation)).toEqual(failureOf(cancellation, 'API.Order.AlreadyShipped'));
  });

  it('neither ships nor reopens a cancelled order', async () => {
    const newOrder = await makeOrder();
    await updateOrders({ ...partsOf(newOrder), order_status_id: 3 });
    for (const change of [{ delivery_status_id: 2 }, { order_status_id: 1 }]) {
      expect(await updateOrders({ ...partsOf(newOrder), ...change })).toEqual(
        failureOf({ ...partsOf(newOrder), ...change }, 'API.Orders.InvalidStatus'),
      );
    }
    expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: 10, reserved: 0 });
  });

  it('stores tracking, shows it in record and list, and clears it', async () => {
    const newOrder = await makeOrder();
    const tracking = [
      { carrier: 'Courier', number: ' RS1 ', url: 'https://courier.example/RS1', parcels: 2 },
      { number: 'RS2' },
    ];
    expect(await updateOrders({ ...partsOf(newOrder), delivery_status_id: 2, tracking })).toMatchObject({ updated: 1 });
    const stored = [
      { ...tracking[0], number: 'RS1' },
      { carrier: null, number: 'RS2', url: null, parcels: 1 },
    ];
    expect((await getOrder(newOrder)).tracking).toEqual(stored);
    expect((await shop.get('/orders?limit=1')).body.data[0].tracking).toEqual(stored);
    await updateOrders({ ...partsOf(newOrder), tracking: null });
    expect((await getOrder(newOrder)).tracking).toEqual([]);
  });

  it.each([
    [5, 'API.Orders.WrongDataType'],
    [['RS1'], 'API.Orders.WrongDataType'],
    [[{ number: 1 }], 'API.Orders.WrongDataType'],
    [[{ number: 'RS1', parcels: '1' }], 'API.Orders.WrongDataType'],
    [[{}], 'API.Orders.TrackingIsInvalid'],
    [[{ number: ' ' }], 'API.Orders.TrackingIsInvalid'],
    [[{ number: 'x'.repeat(256) }], 'API.Orders.TrackingIsInvalid'],
    [[{ number: 'RS1', url: 'javascript:alert(1)' }], 'API.Orders.TrackingIsInvalid'],
    [[{ number: 'RS1', parcels: 0 }], 'API.Orders.TrackingIsInvalid'],
    [Array.from({ length: 101 }, () => ({ number: 'RS1' })), 'API.Orders.TrackingIsInvalid'],
  ])('fails a row with the tracking %j', async (tracking, key) => {
    const row = { ...partsOf(await makeOrder()), tracking };
    expect(await updateOrders(row)).toEqual({ updated: 0, failed: [failedRow(0, row, key, 'tracking')] });
  });

  it.each([
    ['an unknown order status', { order_status_id: 4 }, 'API.Orders.InvalidStatus'],
    ['an order status of 0', { order_status_id: 0 }, 'API.Orders.InvalidStatus'],
    ['an unknown payment status', { payment_status_id: 5 }, 'API.Orders.InvalidStatus'],
    ['an unknown delivery status', { delivery_status_id: 5 }, 'API.Orders.InvalidStatus'],
    ['a status as text', { delivery_status_id: '2' }, 'API.Orders.InvalidStatus'],
    ['a fraction as status', { delivery_status_id: 1.5 }, 'API.Orders.InvalidStatus'],
    ['another id', { id: 987654321 }, 'API.Orders.NotFound'],
    ['an id as text', { id: '1' }, 'API.Orders.NotFound'],
    ['an id beyond 64 bits', { id: 1e300 }, 'API.Orders.NotFound'],
    ['another data_part', { data_part: 65 }, 'API.Orders.NotFound'],
    ['no time_part', { time_part: undefined }, 'API.Orders.NotFound'],
    ['an invoice number with NUL', { invoice_number: 'F\u0000' }, 'API.Orders.InvoiceNumberIsInvalid'],
    ['an overlong invoice number', { invoice_number: 'F'.repeat(256) }, 'API.Orders.InvoiceNumberIsTooLong'],
    ['a number as invoice number', { invoice_number: 5 }, 'API.Orders.WrongDataType'],
  ])('fails a row with %s, and writes the other rows', async (_, fault: object, key) => {
    const [failingOrder, validOrder] = [await makeOrder(), await makeOrder()];
    const row = { ...partsOf(failingOrder), invoice_number: 'F-1', ...fault };
    const { status, body } = await update(row, { ...partsOf(validOrder), invoice_number: 'F-2' }, null);
    expect([status, body.data.updated]).toEqual([200, 1]);
    expect(body.data.failed).toEqual([
      failedRow(0, JSON.parse(JSON.stringify(row)), key, key === 'API.Orders.NotFound' ? null : Object.keys(fault)[0]),
      failedRow(2, null, 'API.Orders.WrongDataType'),
    ]);
    expect(await getOrder(failingOrder)).toMatchObject({ invoice_number: null, delivery_status: 'pending' });
    expect(await getOrder(validOrder)).toMatchObject({ invoice_number: 'F-2' });
  });

  it('takes as many statements for 40 orders as for one', async () => {
    await putStock(shop, [{ code: 'A', warehouse_code: 'W1', qty: 1000 }]);
    const newOrders: Order[] = [];
    for (let count = 0; count < 41; count += 1) newOrders.push(await makeOrder([{ code: 'A', qty: 1 }]));
    const count = async (orders: readonly Order[]): Promise<number> => {
      api.statements.length = 0;
      expect(
        await updateOrders(...orders.map((newOrder) => ({ ...partsOf(newOrder), delivery_status_id: 2 }))),
      ).toEqual({
        updated: orders.length,
        failed: [],
      });
      return api.statements.length;
    };
    const statementsForOne = await count(newOrders.slice(0, 1));
    expect(await count(newOrders.slice(1))).toBe(statementsForOne);
    expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: 1010 - 41, reserved: 0 });
  });

  it('ships an order only once in concurrent calls that ship, cancel and sell', async () => {
    const newOrder = await makeOrder();
    const calls = await Promise.all([
      ...Array.from({ length: 10 }, () => update({ ...partsOf(newOrder), delivery_status_id: 2 })),
      ...Array.from({ length: 5 }, () => update({ ...partsOf(newOrder), order_status_id: 3 })),
      ...Array.from({ length: 5 }, () => propose(shop, [{ code: 'A', qty: 1 }]).then(() => ({ status: 200 }))),
    ]);
    expect(calls.every(({ status }) => status === 200)).toBe(true);
    const [movement] = (await readMovements()) as { kind: string }[];
    expect(await readMovements()).toHaveLength(1);
    expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: movement?.kind === 'ship' ? 7 : 10, reserved: 5 });
  });

  it('keeps the payments of an order cancelled without refund', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    await shop.post(`/proforma_orders/${id}/pay`, {
      payment: { payment_method_id: await methodId(shop, 'bank_transfer'), amount: 0 },
    });
    const paidOrder = (await shop.post(`/proforma_orders/${id}/convert`)).body.data as Order;
    await updateOrders({ ...partsOf(paidOrder), order_status_id: 3, payment_status_id: 4 });
    expect(await getOrder(paidOrder)).toMatchObject({ paid: 100, payment_status: 'refunded' });
  });
});
