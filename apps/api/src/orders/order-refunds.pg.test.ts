import { failedRow, importOrder, methodId, newCustomer, propose, setUp, stockOf, stockShop } from '../testing/shop.js';
import { startPaymentService, type PaymentService } from '../testing/payment-service.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let service: PaymentService;
let api: TestApi;
let shop: Client;

beforeAll(async () => {
  service = await startPaymentService();
  api = await testApi({ REFUND_URL: service.url });
});
afterAll(async () => {
  await api.close();
  service.close();
});
beforeEach(async () => {
  service.status = 200;
  service.receivedRefunds.length = 0;
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', price: 100, stock: 1_000 }]);
});

interface Order {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
  readonly proforma_order_id: number;
}

const CANCELED_STATUS_ID = 3;
const partsOf = ({ id, data_part, time_part }: Order) => ({ id, data_part, time_part });
const REFUND = { refund: true };
const cancellationOf = (order: Order, fields: object = REFUND) => ({
  ...partsOf(order),
  order_status_id: CANCELED_STATUS_ID,
  ...fields,
});
const update = (orders: readonly object[], query = ''): Promise<Reply> =>
  shop.put(`/orders/bulk_update${query}`, { orders });
const updateOrders = async (orders: readonly object[], query?: string) => {
  const { status, body } = await update(orders, query);
  expect(status).toBe(200);
  return body.data;
};
const ONE_UPDATED = { updated: 1, failed: [] };
const getOrder = async ({ id, data_part: data, time_part: time }: Order) =>
  (await shop.get(`/orders/${id}?dataPart=${data}&timePart=${time}`)).body.data;
const getProforma = async ({ proforma_order_id: id }: Order) => (await shop.get(`/proforma_orders/${id}`)).body.data;
const summarizePayments = ({ payments: rows }: { payments: readonly Record<string, unknown>[] }) =>
  rows.map((payment) => [payment['payment_method'], payment['amount'], payment['payment_status']]);
const pay = async (id: number, amount = 0): Promise<Reply> =>
  shop.post(`/proforma_orders/${id}/pay`, { payment: { payment_method_id: await methodId(shop, 'cash'), amount } });
async function makePaidOrder(fields: object = {}): Promise<Order> {
  const { id } = await propose(shop, [{ code: 'A', qty: 3 }], fields);
  await pay(id);
  return (await shop.post(`/proforma_orders/${id}/convert`)).body.data as Order;
}
const findUnbalancedVouchers = async (): Promise<unknown[]> =>
  api.database.rows(
    `select v.code from vouchers v where v.app_id = $1 and v.spent <> (
       select coalesce(sum(amount), 0) from payments y where y.app_id = $1 and y.voucher_id = v.id
         and y.order_id is not null and y.status in ('settled', 'refunded'))`,
    [shop.appId],
  );

describe('a canceled order', () => {
  it('returns money, vouchers, points and pieces with refund, and does not change its proforma', async () => {
    await shop.patch('/app/settings', { loyalty: { points_per_amount: 10 } });
    await setUp(shop, 'vouchers', [{ code: 'V', amount: 120 }]);
    const mira = await newCustomer(shop, 'mira@example.com');
    const readPoints = async () =>
      (await shop.get(`/customers/${mira.customer_id}?dataPart=${mira.data_part}&timePart=${mira.time_part}`)).body.data
        .loyalty_points;
    const order = await makePaidOrder({ guest: undefined, ...mira, delivery: ADDRESS, voucher_codes: ['V'] });
    expect([await readPoints(), summarizePayments(await getOrder(order))]).toEqual([
      30,
      [
        ['voucher', 120, 'settled'],
        ['Cash', 180, 'settled'],
      ],
    ]);
    const proformaBefore = await getProforma(order);
    expect(await updateOrders([cancellationOf(order)])).toEqual(ONE_UPDATED);
    const orderAfter = await getOrder(order);
    expect(orderAfter).toMatchObject({ order_status: 'canceled', payment_status: 'refunded', paid: 0, debt: 0 });
    expect(summarizePayments(orderAfter)).toEqual([
      ['voucher', 120, 'settled'],
      ['Cash', 180, 'settled'],
      ['Cash', -180, 'refunded'],
      ['voucher', -120, 'refunded'],
    ]);
    expect(service.receivedRefunds).toMatchObject([{ amount: 180, payment_method: 'Cash' }]);
    expect(await readPoints()).toBe(0);
    expect(await stockOf(shop, 'A')).toMatchObject({ reserved: 0 });
    expect(await getProforma(order)).toEqual({ ...proformaBefore, updated_at: expect.any(String) });
    expect(await findUnbalancedVouchers()).toEqual([]);
    const nextProforma = await propose(shop, [{ code: 'A', qty: 2 }], { voucher_codes: ['V'] });
    expect(nextProforma).toMatchObject({ paid: 120, debt: 80 });
  });

  it('returns points when it is unpaid, even without refund', async () => {
    await shop.patch('/app/settings', { loyalty: { points_per_amount: 10 } });
    const mira = await newCustomer(shop, 'mira@example.com');
    const { id } = await propose(shop, [{ code: 'A', qty: 3 }], { guest: undefined, ...mira, delivery: ADDRESS });
    const { data: order } = (await shop.post(`/proforma_orders/${id}/convert`)).body;
    const readPoints = async () =>
      (await shop.get(`/customers/${mira.customer_id}?dataPart=${mira.data_part}&timePart=${mira.time_part}`)).body.data
        .loyalty_points;
    expect(await readPoints()).toBe(30);
    expect(await updateOrders([cancellationOf(order, {})])).toEqual(ONE_UPDATED);
    expect([await readPoints(), (await getOrder(order)).payments]).toEqual([0, []]);
    expect(service.receivedRefunds).toEqual([]);
  });

  it('can be refunded later if it was cancelled without refund', async () => {
    const order = await makePaidOrder();
    for (const fields of [{}, { refund: false }, { refund: null }]) {
      expect(await updateOrders([cancellationOf(order, fields)])).toEqual(ONE_UPDATED);
    }
    expect(await getOrder(order)).toMatchObject({ order_status: 'canceled', paid: 300, payment_status: 'paid' });
    expect(service.receivedRefunds).toEqual([]);
    expect(await updateOrders([{ ...partsOf(order), refund: true }])).toEqual(ONE_UPDATED);
    expect(await getOrder(order)).toMatchObject({ paid: 0, payment_status: 'refunded' });
  });

  it('gets an alert for a failed refund, which can be retried', async () => {
    const order = await makePaidOrder();
    service.status = 400;
    expect(await updateOrders([cancellationOf(order)])).toEqual(ONE_UPDATED);
    const proforma = await getProforma(order);
    expect(proforma.alerts).toMatchObject([{ kind: 'refund_failed', details: { amount: 300 } }]);
    expect(summarizePayments(await getOrder(order)).at(-1)).toEqual(['Cash', -300, 'refund_failed']);
    service.status = 200;
    const refund = proforma.alerts[0].details.payment_id;
    await shop.post(`/proforma_orders/${proforma.id}/refunds/${refund}/retry`);
    expect(await getOrder(order)).toMatchObject({ paid: 0, payment_status: 'refunded' });
  });

  it('refunds a late card payment when a refund is requested again, and resolves its alert', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 3 }]);
    const cardPayment = await shop.post(`/proforma_orders/${id}/card_payments`, { payment: {} });
    const order = (await shop.post(`/proforma_orders/${id}/convert`)).body.data as Order;
    expect(await updateOrders([cancellationOf(order)])).toEqual(ONE_UPDATED);
    const result = { result: { status: 'settled', reference: 'tx-1' } };
    await shop.post(`/proforma_orders/${id}/card_payments/${cardPayment.body.payment.id}/result`, result);
    expect(await getProforma(order)).toMatchObject({
      open_alerts_count: 1,
      alerts: [{ kind: 'refund_failed', details: { reason: 'order_canceled', amount: 300, reference: 'tx-1' } }],
    });
    expect(service.receivedRefunds).toEqual([]);
    expect(await updateOrders([cancellationOf(order)])).toEqual(ONE_UPDATED);
    expect(await getProforma(order)).toMatchObject({ open_alerts_count: 0 });
    expect(await getOrder(order)).toMatchObject({ paid: 0, payment_status: 'refunded' });
  });

  it('leaves many refunds to the worker, with a constant number of statements', async () => {
    const orders: Order[] = [];
    for (let count = 0; count < 52; count += 1) orders.push(await makePaidOrder());
    const countStatements = async (batch: readonly Order[]): Promise<number> => {
      api.statements.length = 0;
      expect(await updateOrders(batch.map((order) => cancellationOf(order)))).toMatchObject({ failed: [] });
      return api.statements.length;
    };
    const statementsForMany = await countStatements(orders.slice(0, 51));
    expect(service.receivedRefunds).toEqual([]);
    expect(summarizePayments(await getOrder(orders[0] as Order)).at(-1)).toEqual(['Cash', -300, 'pending']);
    for (let batch = 0; batch < 2; batch += 1) await api.container.get(TOKENS.Refunds).payOutDue();
    expect(service.receivedRefunds).toHaveLength(51);
    expect(await getOrder(orders[50] as Order)).toMatchObject({ paid: 0, payment_status: 'refunded' });
    // A call with a single refund also reads and locks the proforma and its order, stores both, and audits the refund.
    const refundStatements = 5;
    expect(await countStatements(orders.slice(51))).toBe(statementsForMany + refundStatements);
  });

  it('is refunded only once by a repeated keyed call', async () => {
    const order = await makePaidOrder();
    const client = shop.keyed('cancel');
    const firstReply = await client.put('/orders/bulk_update', { orders: [cancellationOf(order)] });
    const secondReply = await client.put('/orders/bulk_update', { orders: [cancellationOf(order)] });
    expect([firstReply.status, secondReply.text]).toEqual([200, firstReply.text]);
    expect(service.receivedRefunds).toHaveLength(1);
  });
});

describe('a refund of an order', () => {
  const failureOf = (input: object, message: string, field: string | null = null) => ({
    updated: 0,
    failed: [failedRow(0, input, message, field)],
  });

  it.each([
    ['without a cancellation', {}, 'API.Orders.RefundIsInvalid'],
    ['with another status', { order_status_id: 2 }, 'API.Orders.RefundIsInvalid'],
    ['with a text as refund', { order_status_id: CANCELED_STATUS_ID, refund: 'yes' }, 'API.Orders.WrongDataType'],
  ])('is refused %s', async (_, fields, key) => {
    const order = await makePaidOrder();
    const row = { ...partsOf(order), refund: true, ...fields };
    expect(await updateOrders([row])).toEqual(failureOf(row, key, 'refund'));
    expect(await getOrder(order)).toMatchObject({ order_status: 'open', paid: 300 });
    expect(service.receivedRefunds).toEqual([]);
  });

  it('is refused with API.Order.AlreadyShipped for a shipped order', async () => {
    const order = await makePaidOrder();
    await updateOrders([{ ...partsOf(order), delivery_status_id: 2 }]);
    expect(await updateOrders([cancellationOf(order)])).toEqual(
      failureOf(cancellationOf(order), 'API.Order.AlreadyShipped'),
    );
    expect(await getOrder(order)).toMatchObject({ paid: 300 });
  });

  it('is refused with API.Orders.NotRefundable when another system has taken the payment', async () => {
    const cash = { payment_method_id: await methodId(shop, 'cash'), amount: 100 };
    const items = [{ code: 'A', qty: 1 }];
    const paidImport = await importOrder(shop, { external_ref: 'P', items, payments: [cash] });
    const unpaidImport = await importOrder(shop, { external_ref: 'U', items });
    expect(await updateOrders([cancellationOf(paidImport), cancellationOf(unpaidImport)])).toEqual({
      updated: 1,
      failed: [failedRow(0, cancellationOf(paidImport), 'API.Orders.NotRefundable')],
    });
    expect(await updateOrders([cancellationOf(paidImport, {})])).toEqual(ONE_UPDATED);
  });

  it('does not prevent refunds of other rows when it is refused', async () => {
    const [refundedOrder, openOrder] = [await makePaidOrder(), await makePaidOrder()];
    const invalidRow = { ...partsOf(openOrder), refund: true };
    expect(await updateOrders([cancellationOf(refundedOrder), invalidRow])).toMatchObject({
      updated: 1,
      failed: [{ input: invalidRow }],
    });
    expect([(await getOrder(refundedOrder)).paid, (await getOrder(openOrder)).paid]).toEqual([0, 300]);
  });
});

const ADDRESS = { address_line_1: 'Put 1', city: 'Niš', postcode: '18000' };
