import { methodId, propose, stockShop } from '../testing/shop.js';
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

interface Payment {
  readonly id: number;
  readonly amount: number;
  readonly payment_status: string;
}

const readProforma = async (id: number) => (await shop.get(`/proforma_orders/${id}`)).body.data;
const recordRefund = (id: number, refundId: number | string, body?: object): Promise<Reply> =>
  shop.post(`/proforma_orders/${id}/refunds/${refundId}/record`, body);
const retryRefund = (id: number, refundId: number | string): Promise<Reply> =>
  shop.post(`/proforma_orders/${id}/refunds/${refundId}/retry`);
const retryDueRefunds = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    api.clock.forward({ hours: 1 });
    await api.container.get(TOKENS.Refunds).payOutDue();
  }
};
const paymentStatuses = ({ payments }: { payments: readonly Payment[] }) =>
  payments.map(({ amount, payment_status }) => [amount, payment_status]);

async function reducePaidProforma(status: number): Promise<{ id: number; paymentId: number; refundId: number }> {
  const { id, items } = await propose(shop, [{ code: 'A', qty: 3 }]);
  const payment = { payment_method_id: await methodId(shop, 'cash'), amount: 0 };
  await shop.post(`/proforma_orders/${id}/pay`, { payment });
  service.status = status;
  const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 2 }];
  const { body } = await shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments });
  const [capturedPayment, refund] = body.data.payments as [Payment, Payment];
  service.status = 200;
  return { id, paymentId: capturedPayment.id, refundId: refund.id };
}

const keyPattern = (refundId: number) => new RegExp(`^refund-${shop.appId}-${refundId}-[0-9a-f]{16}$`);
const REFUSED_STATUS = 400;
const UNKNOWN_STATUS = 503;

describe('a refused refund', () => {
  it('raises an alert with its details', async () => {
    const { id, paymentId, refundId } = await reducePaidProforma(REFUSED_STATUS);
    expect((await readProforma(id)).alerts).toEqual([
      {
        index: 0,
        kind: 'refund_failed',
        message: 'A refund failed',
        details: { reason: 'failed', payment_id: refundId, refund_of: paymentId, payment_method: 'Cash', amount: 100 },
        resolved: false,
        resolved_at: null,
        inserted_at: expect.any(String),
      },
    ]);
  });

  it('is retried with a new key, which resolves its alert', async () => {
    const { id, refundId } = await reducePaidProforma(REFUSED_STATUS);
    expect(await readProforma(id)).toMatchObject({ paid: 300, debt: 0 });
    const { status, body } = await retryRefund(id, refundId);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ paid: 200, open_alerts_count: 0, alerts: [{ resolved: true }] });
    expect(paymentStatuses(body.data)).toEqual([
      [300, 'settled'],
      [-100, 'refunded'],
    ]);
    expect(await readProforma(id)).toEqual(body.data);
    const keys = service.receivedRefunds.map(({ key }) => key);
    expect(keys[0]).toMatch(keyPattern(refundId));
    expect(keys).toEqual([keys[0], `${keys[0]}-2`]);
  });

  it('raises another alert when a retry is refused, and then uses a third key', async () => {
    const { id, refundId } = await reducePaidProforma(REFUSED_STATUS);
    service.status = REFUSED_STATUS;
    const { data } = (await retryRefund(id, refundId)).body;
    expect(data.alerts).toMatchObject([{ resolved: true }, { kind: 'refund_failed', resolved: false }]);
    service.status = 200;
    expect((await retryRefund(id, refundId)).body.data).toMatchObject({
      paid: 200,
      alerts_count: 2,
      open_alerts_count: 0,
    });
    expect(service.receivedRefunds.at(-1)?.key).toBe(`${service.receivedRefunds[0]?.key}-3`);
  });

  it('is retried only once by ten concurrent calls', async () => {
    const { id, refundId } = await reducePaidProforma(REFUSED_STATUS);
    service.receivedRefunds.length = 0;
    const replies = await Promise.all(Array.from({ length: 10 }, () => retryRefund(id, refundId)));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(service.receivedRefunds).toHaveLength(1);
    expect(await readProforma(id)).toMatchObject({ paid: 200, open_alerts_count: 0 });
  });
});

describe('a refund without an answer', () => {
  it('is retried with the same key, by the call and by the worker', async () => {
    const { id, refundId } = await reducePaidProforma(UNKNOWN_STATUS);
    service.status = UNKNOWN_STATUS;
    await retryDueRefunds(2);
    const { alerts } = await readProforma(id);
    expect(alerts).toMatchObject([{ kind: 'refund_failed', details: { reason: 'unanswered', payment_id: refundId } }]);
    expect(paymentStatuses((await retryRefund(id, refundId)).body.data).at(-1)).toEqual([-100, 'pending']);
    service.status = 200;
    await retryDueRefunds(1);
    expect(await readProforma(id)).toMatchObject({ paid: 200, open_alerts_count: 0 });
    expect(service.receivedRefunds[0]?.key).toMatch(keyPattern(refundId));
    expect(new Set(service.receivedRefunds.map(({ key }) => key)).size).toBe(1);
    expect(service.receivedRefunds).toHaveLength(5);
  });

  it('keeps a key that was stored without a random part', async () => {
    const { refundId } = await reducePaidProforma(UNKNOWN_STATUS);
    await api.database.rows(
      `with proforma as (update proforma_orders set version = version + 1 where app_id = $1)
        update payments set key_part = null where app_id = $1 and id = $2`,
      [shop.appId, refundId],
    );
    await retryDueRefunds(1);
    expect(service.receivedRefunds.at(-1)?.key).toBe(`refund-${shop.appId}-${refundId}`);
  });

  it('gets three more attempts after a retry call', async () => {
    const { id, refundId } = await reducePaidProforma(UNKNOWN_STATUS);
    service.status = UNKNOWN_STATUS;
    await retryDueRefunds(2);
    await retryRefund(id, refundId);
    await retryDueRefunds(1);
    expect((await readProforma(id)).payments.at(-1)).toMatchObject({ payment_status: 'pending' });
    await retryDueRefunds(1);
    expect((await readProforma(id)).payments.at(-1)).toMatchObject({ payment_status: 'refund_failed' });
    expect((await readProforma(id)).alerts).toMatchObject([{ resolved: true }, { resolved: false }]);
  });
});

describe('a failed refund that a person has paid out', () => {
  it('is recorded as refunded, resolves its alert and is not retried', async () => {
    const { id, refundId } = await reducePaidProforma(REFUSED_STATUS);
    service.receivedRefunds.length = 0;
    const { status, body } = await recordRefund(id, refundId, { refund: { reference: 'bank-17' } });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ paid: 200, debt: 0, open_alerts_count: 0 });
    expect(body.data.alerts).toMatchObject([
      { resolved: true, details: { recorded: true, reference: 'bank-17', amount: 100 } },
    ]);
    expect(paymentStatuses(body.data).at(-1)).toEqual([-100, 'refunded']);
    await retryDueRefunds(1);
    expect(service.receivedRefunds).toEqual([]);
    expect(
      await api.database.rows('select reference from payments where app_id = $1 and id = $2', [shop.appId, refundId]),
    ).toEqual([{ reference: 'bank-17' }]);
  });

  it('is recorded only once, and is not retried afterwards', async () => {
    const { id, refundId } = await reducePaidProforma(REFUSED_STATUS);
    service.receivedRefunds.length = 0;
    const firstReply = await recordRefund(id, refundId);
    api.clock.forward({ seconds: 5 });
    for (const repeatedReply of [await recordRefund(id, refundId), await retryRefund(id, refundId)]) {
      expect([repeatedReply.status, repeatedReply.body.data.updated_at]).toEqual([
        200,
        firstReply.body.data.updated_at,
      ]);
    }
    expect(service.receivedRefunds).toEqual([]);
  });

  it('reduces the paid amount of the order', async () => {
    const { id, refundId } = await reducePaidProforma(REFUSED_STATUS);
    const { id: orderId, data_part, time_part } = (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    const readOrder = async () =>
      (await shop.get(`/orders/${orderId}?dataPart=${data_part}&timePart=${time_part}`)).body.data;
    expect(await readOrder()).toMatchObject({ paid: 300 });
    expect((await recordRefund(id, refundId)).body.data).toMatchObject({ proforma_status: 'converted', paid: 300 });
    expect(await readOrder()).toMatchObject({ paid: 200, payment_status: 'paid' });
  });

  it('is either recorded or retried when both calls run concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, refundId } = await reducePaidProforma(REFUSED_STATUS);
      service.receivedRefunds.length = 0;
      const [recordReply, retryReply] = await Promise.all([recordRefund(id, refundId), retryRefund(id, refundId)]);
      expect(retryReply.status).toBe(200);
      expect([200, 422]).toContain(recordReply.status);
      if (recordReply.status === 422) expect(service.receivedRefunds).toHaveLength(1);
      expect(await readProforma(id)).toMatchObject({ paid: 200, open_alerts_count: 0 });
    }
  });
});

describe('a failed refund whose debt comes back', () => {
  const confirm = async (id: number, qty: number) => {
    const { items } = await readProforma(id);
    const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: qty }];
    return (await shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments })).body.data;
  };

  it('is withdrawn with its alert, and a retry pays nothing', async () => {
    const { id, refundId } = await reducePaidProforma(REFUSED_STATUS);
    service.receivedRefunds.length = 0;
    const raised = await confirm(id, 3);
    expect(raised).toMatchObject({ end_sales: 300, paid: 300, debt: 0, open_alerts_count: 0 });
    expect(paymentStatuses(raised).at(-1)).toEqual([-100, 'failed']);
    const { status, body } = await retryRefund(id, refundId);
    expect([status, body]).toEqual([422, { errors: { ProformaOrders: ['API.ProformaOrders.RefundNotOwed'] } }]);
    expect(service.receivedRefunds).toEqual([]);
    expect((await recordRefund(id, refundId)).body.data).toMatchObject({ paid: 200, debt: 100 });
    expect((await readProforma(id)).alerts).toMatchObject([{ details: { recorded: true, paid: 200, debt: 100 } }]);
  });

  it('is not requested again by the worker, nor by a retry, while an earlier request has no answer', async () => {
    const { id, refundId } = await reducePaidProforma(UNKNOWN_STATUS);
    service.receivedRefunds.length = 0;
    await confirm(id, 3);
    await retryDueRefunds(1);
    expect((await readProforma(id)).alerts).toMatchObject([
      { resolved: false, details: { reason: 'unanswered', amount: 0, payment_id: refundId } },
    ]);
    expect((await retryRefund(id, refundId)).status).toBe(422);
    expect(service.receivedRefunds).toEqual([]);
  });

  it('is owed by the order only once the order is canceled', async () => {
    const { id, refundId } = await reducePaidProforma(REFUSED_STATUS);
    const { id: orderId, data_part, time_part } = (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    await api.database.rows(
      `with proforma as (update proforma_orders set version = version + 1 where app_id = $1 and id = $2)
        update payments set amount = 20000 where app_id = $1 and proforma_order_id = $2 and amount > 0`,
      [shop.appId, id],
    );
    service.receivedRefunds.length = 0;
    expect((await retryRefund(id, refundId)).status).toBe(422);
    await shop.put('/orders/bulk_update', { orders: [{ id: orderId, data_part, time_part, order_status_id: 3 }] });
    expect((await retryRefund(id, refundId)).status).toBe(200);
    expect(service.receivedRefunds).toMatchObject([{ amount: 100 }]);
  });
});

describe('a refused call to record or retry a refund', () => {
  it('returns API.ProformaOrders.RefundPending while the payment service may still pay', async () => {
    const { id, refundId } = await reducePaidProforma(UNKNOWN_STATUS);
    const proformaBefore = await readProforma(id);
    const { status, body } = await recordRefund(id, refundId);
    expect([status, body]).toEqual([422, { errors: { ProformaOrders: ['API.ProformaOrders.RefundPending'] } }]);
    expect(await readProforma(id)).toEqual(proformaBefore);
  });

  it('returns 404 for a payment that is not a refund of the proforma', async () => {
    const { id, paymentId, refundId } = await reducePaidProforma(REFUSED_STATUS);
    const { id: otherId } = await propose(shop, [{ code: 'A', qty: 1 }]);
    for (const call of [recordRefund, retryRefund]) {
      for (const [proforma, payment] of [
        [id, paymentId],
        [id, 'x'],
        [id, 987_654_321],
        [otherId, refundId],
        [987_654_321, refundId],
      ] as const) {
        const { status, text } = await call(proforma, payment);
        expect([status, text]).toEqual([404, '']);
      }
    }
    const ownShop = shop;
    shop = await api.app();
    expect([(await recordRefund(id, refundId)).status, (await retryRefund(id, refundId)).status]).toEqual([404, 404]);
    shop = ownShop;
    expect(paymentStatuses(await readProforma(id)).at(-1)).toEqual([-100, 'refund_failed']);
  });

  it.each([
    [{ refund: 5 }, 400],
    [{ refund: { reference: 5 } }, 400],
    [{ refund: { reference: 'x'.repeat(256) } }, 422],
  ])('with the body %j is answered %d and changes nothing', async (body, expected) => {
    const { id, refundId } = await reducePaidProforma(REFUSED_STATUS);
    expect((await recordRefund(id, refundId, body)).status).toBe(expected);
    expect(paymentStatuses(await readProforma(id)).at(-1)).toEqual([-100, 'refund_failed']);
  });
});
