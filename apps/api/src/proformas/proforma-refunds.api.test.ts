import { methodId, propose, stockShop } from '../testing/shop.js';
import { paymentService, type PaymentService } from '../testing/payment-service.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let service: PaymentService;
let api: TestApi;
let shop: Client;

beforeAll(async () => {
  service = await paymentService();
  api = await testApi({ REFUND_URL: service.url });
});
afterAll(async () => {
  await api.close();
  service.close();
});
beforeEach(async () => {
  service.status = 200;
  service.asked.length = 0;
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', price: 100, stock: 1_000 }]);
});

interface Payment {
  readonly id: number;
  readonly amount: number;
  readonly payment_status: string;
}

const shown = async (id: number) => (await shop.get(`/proforma_orders/${id}`)).body.data;
const record = (id: number, refund: number | string, body?: object): Promise<Reply> =>
  shop.post(`/proforma_orders/${id}/refunds/${refund}/record`, body);
const retry = (id: number, refund: number | string): Promise<Reply> =>
  shop.post(`/proforma_orders/${id}/refunds/${refund}/retry`);
const askAgain = async (times: number): Promise<void> => {
  for (let asked = 0; asked < times; asked += 1) {
    api.clock.forward({ hours: 1 });
    await api.container.get(TOKENS.Refunds).payOutDue();
  }
};
const statuses = ({ payments }: { payments: readonly Payment[] }) =>
  payments.map(({ amount, payment_status }) => [amount, payment_status]);

/** A paid proforma of 300 with one piece cut; the payment service answered its refund with `status`. */
async function cut(status: number): Promise<{ id: number; captured: number; refund: number }> {
  const { id, items } = await propose(shop, [{ code: 'A', qty: 3 }]);
  const payment = { payment_method_id: await methodId(shop, 'cash'), amount: 0 };
  await shop.post(`/proforma_orders/${id}/pay`, { payment });
  service.status = status;
  const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 2 }];
  const { body } = await shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments });
  const [captured, refund] = body.data.payments as [Payment, Payment];
  service.status = 200;
  return { id, captured: captured.id, refund: refund.id };
}

const keyOf = (refund: number) => new RegExp(`^refund-${shop.appId}-${refund}-[0-9a-f]{16}$`);
const REFUSED = 400;
const UNKNOWN = 503;

describe('a refused refund', () => {
  it('raises an alert with its details', async () => {
    const { id, captured, refund } = await cut(REFUSED);
    expect((await shown(id)).alerts).toEqual([
      {
        index: 0,
        kind: 'refund_failed',
        message: 'A refund failed',
        details: { reason: 'failed', payment_id: refund, refund_of: captured, payment_method: 'Cash', amount: 100 },
        resolved: false,
        resolved_at: null,
        inserted_at: expect.any(String),
      },
    ]);
  });

  it('is retried under a new key, and its alert is resolved', async () => {
    const { id, refund } = await cut(REFUSED);
    expect(await shown(id)).toMatchObject({ paid: 300, debt: 0 });
    const { status, body } = await retry(id, refund);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ paid: 200, open_alerts_count: 0, alerts: [{ resolved: true }] });
    expect(statuses(body.data)).toEqual([
      [300, 'settled'],
      [-100, 'refunded'],
    ]);
    expect(await shown(id)).toEqual(body.data);
    const keys = service.asked.map(({ key }) => key);
    expect(keys[0]).toMatch(keyOf(refund));
    expect(keys).toEqual([keys[0], `${keys[0]}-2`]);
  });

  it('raises another alert when refused again, then uses a third key', async () => {
    const { id, refund } = await cut(REFUSED);
    service.status = REFUSED;
    const { data } = (await retry(id, refund)).body;
    expect(data.alerts).toMatchObject([{ resolved: true }, { kind: 'refund_failed', resolved: false }]);
    service.status = 200;
    expect((await retry(id, refund)).body.data).toMatchObject({ paid: 200, alerts_count: 2, open_alerts_count: 0 });
    expect(service.asked.at(-1)?.key).toBe(`${service.asked[0]?.key}-3`);
  });

  it('is retried once by ten concurrent calls', async () => {
    const { id, refund } = await cut(REFUSED);
    service.asked.length = 0;
    const replies = await Promise.all(Array.from({ length: 10 }, () => retry(id, refund)));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(service.asked).toHaveLength(1);
    expect(await shown(id)).toMatchObject({ paid: 200, open_alerts_count: 0 });
  });
});

describe('a refund without an answer', () => {
  it('is retried under the same key, by the call and by the worker', async () => {
    const { id, refund } = await cut(UNKNOWN);
    service.status = UNKNOWN;
    await askAgain(2);
    const { alerts } = await shown(id);
    expect(alerts).toMatchObject([{ kind: 'refund_failed', details: { reason: 'unanswered', payment_id: refund } }]);
    expect(statuses((await retry(id, refund)).body.data).at(-1)).toEqual([-100, 'pending']);
    service.status = 200;
    await askAgain(1);
    expect(await shown(id)).toMatchObject({ paid: 200, open_alerts_count: 0 });
    expect(service.asked[0]?.key).toMatch(keyOf(refund));
    expect(new Set(service.asked.map(({ key }) => key)).size).toBe(1);
    expect(service.asked).toHaveLength(5);
  });

  it('keeps a key from before keys had a random part', async () => {
    const { refund } = await cut(UNKNOWN);
    await api.database.rows('update payments set key_part = null where app_id = $1 and id = $2', [shop.appId, refund]);
    await askAgain(1);
    expect(service.asked.at(-1)?.key).toBe(`refund-${shop.appId}-${refund}`);
  });

  it('gets three more attempts', async () => {
    const { id, refund } = await cut(UNKNOWN);
    service.status = UNKNOWN;
    await askAgain(2);
    await retry(id, refund);
    await askAgain(1);
    expect((await shown(id)).payments.at(-1)).toMatchObject({ payment_status: 'pending' });
    await askAgain(1);
    expect((await shown(id)).payments.at(-1)).toMatchObject({ payment_status: 'refund_failed' });
    expect((await shown(id)).alerts).toMatchObject([{ resolved: true }, { resolved: false }]);
  });
});

describe('a failed refund that a person has paid out', () => {
  it('is recorded as refunded, resolves its alert and is not retried', async () => {
    const { id, refund } = await cut(REFUSED);
    service.asked.length = 0;
    const { status, body } = await record(id, refund, { refund: { reference: 'bank-17' } });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ paid: 200, debt: 0, open_alerts_count: 0 });
    expect(body.data.alerts).toMatchObject([
      { resolved: true, details: { recorded: true, reference: 'bank-17', amount: 100 } },
    ]);
    expect(statuses(body.data).at(-1)).toEqual([-100, 'refunded']);
    await askAgain(1);
    expect(service.asked).toEqual([]);
    expect(
      await api.database.rows('select reference from payments where app_id = $1 and id = $2', [shop.appId, refund]),
    ).toEqual([{ reference: 'bank-17' }]);
  });

  it('is recorded once and not retried afterwards', async () => {
    const { id, refund } = await cut(REFUSED);
    service.asked.length = 0;
    const first = await record(id, refund);
    api.clock.forward({ seconds: 5 });
    for (const again of [await record(id, refund), await retry(id, refund)]) {
      expect([again.status, again.body.data.updated_at]).toEqual([200, first.body.data.updated_at]);
    }
    expect(service.asked).toEqual([]);
  });

  it('counts for the order', async () => {
    const { id, refund } = await cut(REFUSED);
    const { id: order, data_part, time_part } = (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    const paid = async () => (await shop.get(`/orders/${order}?dataPart=${data_part}&timePart=${time_part}`)).body.data;
    expect(await paid()).toMatchObject({ paid: 300 });
    expect((await record(id, refund)).body.data).toMatchObject({ proforma_status: 'converted', paid: 300 });
    expect(await paid()).toMatchObject({ paid: 200, payment_status: 'paid' });
  });

  it('is either recorded or retried when both are asked at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, refund } = await cut(REFUSED);
      service.asked.length = 0;
      const [recorded, retried] = await Promise.all([record(id, refund), retry(id, refund)]);
      expect(retried.status).toBe(200);
      expect([200, 422]).toContain(recorded.status);
      if (recorded.status === 422) expect(service.asked).toHaveLength(1);
      expect(await shown(id)).toMatchObject({ paid: 200, open_alerts_count: 0 });
    }
  });
});

describe('refused records and retries', () => {
  it('API.ProformaOrders.RefundPending: the payment service may still pay', async () => {
    const { id, refund } = await cut(UNKNOWN);
    const before = await shown(id);
    const { status, body } = await record(id, refund);
    expect([status, body]).toEqual([422, { errors: { ProformaOrders: ['API.ProformaOrders.RefundPending'] } }]);
    expect(await shown(id)).toEqual(before);
  });

  it('answers 404 for a payment that is no refund of the proforma', async () => {
    const { id, captured, refund } = await cut(REFUSED);
    const { id: other } = await propose(shop, [{ code: 'A', qty: 1 }]);
    for (const act of [record, retry]) {
      for (const [proforma, payment] of [
        [id, captured],
        [id, 'x'],
        [id, 987_654_321],
        [other, refund],
        [987_654_321, refund],
      ] as const) {
        const { status, text } = await act(proforma, payment);
        expect([status, text]).toEqual([404, '']);
      }
    }
    const mine = shop;
    shop = await api.app();
    expect([(await record(id, refund)).status, (await retry(id, refund)).status]).toEqual([404, 404]);
    shop = mine;
    expect(statuses(await shown(id)).at(-1)).toEqual([-100, 'refund_failed']);
  });

  it.each([
    [{ refund: 5 }, 400],
    [{ refund: { reference: 5 } }, 400],
    [{ refund: { reference: 'x'.repeat(256) } }, 422],
  ])('answers %j with %d and changes nothing', async (body, expected) => {
    const { id, refund } = await cut(REFUSED);
    expect((await record(id, refund, body)).status).toBe(expected);
    expect(statuses(await shown(id)).at(-1)).toEqual([-100, 'refund_failed']);
  });
});
