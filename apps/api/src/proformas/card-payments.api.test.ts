import { methodId, newCustomer, propose, setUp, stockShop } from '../testing/shop.js';
import { paymentService, type PaymentService } from '../testing/payment-service.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

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
  readonly payment_method: string;
  readonly payment_status: string;
}

const path = (id: number | string, payment?: number | string) =>
  `/proforma_orders/${id}/card_payments${payment === undefined ? '' : `/${payment}/result`}`;
const begin = (id: number, payment: object = {}): Promise<Reply> => shop.post(path(id), { payment });
const sendResult = (id: number, payment: number, result: object): Promise<Reply> =>
  shop.post(path(id, payment), { result });
const begun = async (id: number, amount?: number): Promise<number> => {
  const { status, body } = await begin(id, { amount });
  expect(status).toBe(201);
  return body.data.payments.at(-1).id;
};
const resultOf = async (id: number, payment: number, status = 'settled') => {
  const reply = await sendResult(id, payment, { status });
  expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
  return reply.body.data;
};
const pay = async (id: number, amount = 0) => {
  const payment = { payment_method_id: await methodId(shop, 'cash'), amount };
  return (await shop.post(`/proforma_orders/${id}/pay`, { payment })).body.data;
};
const shown = async (id: number, client = shop) => (await client.get(`/proforma_orders/${id}`)).body.data;
const payments = (record: { payments: readonly Payment[] }) =>
  record.payments.map((each) => [each.payment_method, each.amount, each.payment_status]);
const three = () => propose(shop, [{ code: 'A', qty: 3 }]);
const confirm = async (
  { id, items }: { id: number; items: readonly { proforma_order_item_id: number }[] },
  qty: number,
) => {
  const adjustments = items.map((item) => ({
    proforma_order_item_id: item.proforma_order_item_id,
    qty_confirmed: qty,
  }));
  return (await shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments })).body.data;
};

describe('a begun card payment', () => {
  it('is pending and unpaid, and makes the draft await payment', async () => {
    const { id } = await three();
    const { status, body } = await begin(id, { amount: 120.5 });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ proforma_status: 'awaiting_payment', paid: 0, debt: 300 });
    expect(body.data.payments).toEqual([
      {
        id: expect.any(Number),
        amount: 120.5,
        payment_method: 'Card',
        payment_method_id: await methodId(shop, 'card'),
        payment_status: 'pending',
        payment_date: api.clock.now().toISOString().slice(0, 19),
        finalized: false,
      },
    ]);
    expect(await shown(id)).toEqual(body.data);
    expect(body.payment).toEqual(body.data.payments[0]);
  });

  it('is the payment of its answer, even with concurrent calls', async () => {
    const { id } = await three();
    const amounts = [10, 20, 30, 40];
    const replies = await Promise.all(amounts.map((amount) => begin(id, { amount })));
    const named = replies.map(({ body }) => body.payment);
    expect(named.map(({ amount }: Payment) => amount)).toEqual(amounts);
    const stored: Payment[] = (await shown(id)).payments;
    for (const payment of named) expect(stored.find((each) => each.id === payment.id)).toEqual(payment);
  });

  it.each([[{}], [{ amount: null }], [{ amount: 0 }], [{ amount: -5 }]])(
    'is for the whole debt with %j',
    async (payment) => {
      const { id } = await three();
      await pay(id, 70);
      expect(payments((await begin(id, payment)).body.data).at(-1)).toEqual(['Card', 230, 'pending']);
    },
  );

  it('changes no other open status', async () => {
    const confirmed = await three();
    await confirm(confirmed, 3);
    expect((await begin(confirmed.id)).body.data).toMatchObject({ proforma_status: 'confirmed' });
    const partly = await three();
    await confirm(partly, 2);
    expect((await begin(partly.id)).body.data).toMatchObject({ proforma_status: 'partial_confirmed' });
  });

  it('does not reduce the debt for other payments', async () => {
    const { id } = await three();
    await begun(id);
    expect(await pay(id, 100)).toMatchObject({ proforma_status: 'awaiting_payment', paid: 100, debt: 200 });
    expect(await pay(id)).toMatchObject({ proforma_status: 'paid', paid: 300 });
  });

  it('has the oldest method of kind card', async () => {
    const [mine] = await setUp(shop, 'payment_methods', [{ code: 'card', name: 'Visa', kind: 'card' }]);
    await setUp(shop, 'payment_methods', [{ code: 'card2', name: 'Dina', kind: 'card' }]);
    const { id } = await three();
    expect((await begin(id)).body.data.payments).toMatchObject([
      { payment_method: 'Visa', payment_method_id: mine.id },
    ]);
  });

  it.each([
    [
      'API.PaymentMethod.NotSupported',
      'PaymentMethod',
      'the app takes no cards',
      () => setUp(shop, 'payment_methods', [{ code: 'card', kind: 'other' }]),
      {},
    ],
    ['Order debt is already paid', 'message', 'the debt is paid', (id: number) => pay(id), {}],
    [
      'Payment amount exceeds order debt',
      'message',
      'it exceeds the debt',
      (id: number) => pay(id, 100),
      { amount: 200.01 },
    ],
    [
      'API.ProformaOrders.AlreadyFinal',
      'ProformaOrders',
      'it is converted',
      (id: number) => shop.post(`/proforma_orders/${id}/convert`),
      {},
    ],
    [
      'API.ProformaOrders.AlreadyFinal',
      'ProformaOrders',
      'it is cancelled',
      (id: number) => shop.delete(`/proforma_orders/${id}`),
      {},
    ],
    [
      'API.ProformaOrders.AlreadyFinal',
      'ProformaOrders',
      'it is overdue',
      async () => api.clock.forward({ hours: 72 }),
      {},
    ],
  ])('%s (%s): refused when %s', async (key, area, _, first, payment) => {
    const { id } = await three();
    await first(id);
    const { status, body } = await begin(id, payment);
    expect([status, body]).toEqual([422, { errors: { [area]: [key] } }]);
    expect(payments(await shown(id)).filter(([method]) => method === 'Card')).toEqual([]);
  });

  it.each([
    [{ amount: 1.005 }, 422, { errors: { amount: ['is invalid'] } }],
    [{ amount: '1' }, 400, { errors: { detail: 'Bad Request' } }],
    [undefined, 400, { errors: { detail: 'Bad Request' } }],
    [[], 400, { errors: { detail: 'Bad Request' } }],
  ])('cannot begin with %j', async (payment, status, body) => {
    const { id } = await three();
    const reply = await shop.post(path(id), { payment });
    expect([reply.status, reply.body]).toEqual([status, body]);
    expect(await shown(id)).toMatchObject({ proforma_status: 'draft', payments: [] });
  });
});

describe('a settled result', () => {
  it('makes the proforma paid when it covers the total', async () => {
    const { id } = await three();
    const first = await begun(id, 100);
    const second = await begun(id, 200);
    api.clock.forward({ seconds: 30 });
    expect(await resultOf(id, first)).toMatchObject({ proforma_status: 'awaiting_payment', paid: 100, debt: 200 });
    const data = await resultOf(id, second);
    expect(data).toMatchObject({ proforma_status: 'paid', paid: 300, debt: 0 });
    expect(data.payments[1]).toMatchObject({
      payment_status: 'settled',
      finalized: true,
      payment_date: api.clock.now().toISOString().slice(0, 19),
    });
  });

  it('returns a partly paid proforma to draft without other card payments', async () => {
    const { id } = await three();
    expect(await resultOf(id, await begun(id, 100))).toMatchObject({ proforma_status: 'draft', paid: 100, debt: 200 });
  });

  it.each([
    [3, 'confirmed'],
    [2, 'partial_confirmed'],
  ])('with %d pieces confirmed keeps the status %s below the total', async (qty, status) => {
    const made = await three();
    await confirm(made, qty);
    expect(await resultOf(made.id, await begun(made.id, 100))).toMatchObject({ proforma_status: status, paid: 100 });
    expect(await resultOf(made.id, await begun(made.id))).toMatchObject({ proforma_status: 'paid', debt: 0 });
  });

  it('counts late for a proforma that is a draft again', async () => {
    const { id } = await three();
    const [late, failed] = [await begun(id, 100), await begun(id, 50)];
    await resultOf(id, failed, 'failed');
    expect(await resultOf(id, late)).toMatchObject({ proforma_status: 'draft', paid: 100 });
  });

  it('refunds the excess over the debt at once', async () => {
    const { id } = await three();
    const payment = await begun(id);
    await pay(id, 100);
    api.clock.forward({ seconds: 1 });
    const data = (await sendResult(id, payment, { status: 'settled', reference: 'tx-77' })).body.data;
    expect(data).toMatchObject({ proforma_status: 'paid', paid: 300, debt: 0, alerts: [] });
    expect(payments(data)).toEqual([
      ['Card', 300, 'settled'],
      ['Cash', 100, 'settled'],
      ['Card', -100, 'refunded'],
    ]);
    expect(service.asked).toMatchObject([
      { payment_id: payment, payment_method: 'Card', amount: 100, reference: 'tx-77' },
    ]);
  });

  it('is refunded in full when the proforma is paid already', async () => {
    const made = await three();
    const [first, second] = [await begun(made.id), await begun(made.id)];
    await pay(made.id);
    api.clock.forward({ seconds: 1 });
    expect(payments(await resultOf(made.id, first)).slice(3)).toEqual([['Card', -300, 'refunded']]);
    await confirm(made, 3);
    expect(await resultOf(made.id, second)).toMatchObject({ proforma_status: 'confirmed', paid: 300, debt: 0 });
  });

  it('raises an alert when its excess cannot be refunded', async () => {
    const { id } = await three();
    const payment = await begun(id);
    await pay(id, 100);
    api.clock.forward({ seconds: 1 });
    service.status = 400;
    const data = await resultOf(id, payment);
    expect(data).toMatchObject({ proforma_status: 'paid', paid: 400, debt: 0, open_alerts_count: 1 });
    expect(data.alerts).toMatchObject([{ kind: 'refund_failed', resolved: false }]);
    expect(payments(data).at(-1)).toEqual(['Card', -100, 'refund_failed']);
  });

  it('refunds money before vouchers', async () => {
    await setUp(shop, 'vouchers', [{ code: 'V', amount: 50 }]);
    const made = await propose(shop, [{ code: 'A', qty: 3 }], { voucher_codes: ['V'] });
    const payment = await begun(made.id);
    await confirm(made, 2);
    expect(payments(await resultOf(made.id, payment))).toEqual([
      ['voucher', 50, 'settled'],
      ['Card', 250, 'settled'],
      ['Card', -100, 'refunded'],
    ]);
  });
});

describe('a failed result', () => {
  it('keeps the debt, and returns to draft after the last one', async () => {
    const { id } = await three();
    const [first, second] = [await begun(id), await begun(id)];
    expect(await resultOf(id, first, 'failed')).toMatchObject({ proforma_status: 'awaiting_payment', paid: 0 });
    const data = await resultOf(id, second, 'failed');
    expect(data).toMatchObject({ proforma_status: 'draft', paid: 0, debt: 300 });
    expect(payments(data)).toEqual([
      ['Card', 300, 'failed'],
      ['Card', 300, 'failed'],
    ]);
    expect(data.payments[0]).toMatchObject({ finalized: true });
  });

  it.each([3, 2])('keeps the status of a paid proforma with %d confirmed pieces', async (qty) => {
    const made = await three();
    const payment = await begun(made.id);
    await pay(made.id);
    const { proforma_status: status } = await confirm(made, qty);
    expect(await resultOf(made.id, payment, 'failed')).toMatchObject({ proforma_status: status, debt: 0 });
  });

  it('changes only the payment of a final proforma', async () => {
    const { id } = await three();
    const payment = await begun(id);
    await shop.delete(`/proforma_orders/${id}`);
    const data = await resultOf(id, payment, 'failed');
    expect(data).toMatchObject({ proforma_status: 'canceled', paid: 0 });
    expect(payments(data)).toEqual([['Card', 300, 'failed']]);
    expect(service.asked).toEqual([]);
  });
});

describe('a repeated result', () => {
  it.each([
    ['settled', ['settled', 'failed', 'settled']],
    ['failed', ['failed', 'failed']],
  ])('returns the same proforma and keeps the first status, %s', async (status, more) => {
    const { id } = await three();
    const payment = await begun(id);
    const first = await resultOf(id, payment, status);
    api.clock.forward({ seconds: 5 });
    const { expires_in_seconds, ...same } = first;
    for (const again of more) {
      expect(await resultOf(id, payment, again)).toEqual({ ...same, expires_in_seconds: expires_in_seconds - 5 });
    }
    expect(service.asked).toEqual([]);
  });

  it('raises one alert and counts for nothing when settled after failed', async () => {
    const { id } = await three();
    const payment = await begun(id);
    await resultOf(id, payment, 'failed');
    await resultOf(id, payment);
    const found = await resultOf(id, payment);
    expect(payments(found)).toEqual([['Card', 300, 'failed']]);
    expect(found).toMatchObject({ paid: 0, debt: 300, proforma_status: 'draft', open_alerts_count: 1 });
    expect(found.alerts).toMatchObject([{ kind: 'refund_failed', details: { payment_id: payment } }]);
    expect(service.asked).toEqual([]);
  });

  it.each([
    ['converted', (id: number) => shop.post(`/proforma_orders/${id}/convert`)],
    ['canceled', (id: number) => shop.delete(`/proforma_orders/${id}`)],
    ['expired', async () => api.clock.forward({ hours: 72 })],
  ])('moves no money twice for a proforma that is %s', async (status, end) => {
    const { id } = await three();
    const payment = await begun(id, 100);
    await end(id);
    const first = await resultOf(id, payment);
    const asked = service.asked.length;
    expect(first).toMatchObject({ proforma_status: status });
    expect(await resultOf(id, payment)).toEqual(first);
    expect(service.asked).toHaveLength(asked);
  });

  it('counts once when sent ten times at once', async () => {
    const { id } = await three();
    const payment = await begun(id, 100);
    const replies = await Promise.all(Array.from({ length: 10 }, () => sendResult(id, payment, { status: 'settled' })));
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.data?.paid}`))).toEqual(new Set(['200 100']));
    expect(payments(await shown(id))).toEqual([['Card', 100, 'settled']]);
  });

  it('is refunded once when sent ten times for a cancelled proforma', async () => {
    const { id } = await three();
    const payment = await begun(id);
    await shop.delete(`/proforma_orders/${id}`);
    await Promise.all(Array.from({ length: 10 }, () => resultOf(id, payment)));
    expect(service.asked).toHaveLength(1);
    expect(payments(await shown(id))).toEqual([
      ['Card', 300, 'settled'],
      ['Card', -300, 'refunded'],
    ]);
  });

  it('keeps one of ten concurrent payments of the whole debt', async () => {
    const { id } = await three();
    const ids = await Promise.all(Array.from({ length: 10 }, () => begun(id)));
    expect(new Set((await shown(id)).payments.map((each: Payment) => each.id)).size).toBe(10);
    await Promise.all((await shown(id)).payments.map((each: Payment) => resultOf(id, each.id)));
    expect(ids).toHaveLength(10);
    expect(service.asked.map(({ amount }) => amount)).toEqual(Array.from({ length: 9 }, () => 300));
    expect(await shown(id)).toMatchObject({ proforma_status: 'paid', paid: 300, debt: 0 });
  });
});

describe('a late result', () => {
  it.each([
    ['canceled', (id: number) => shop.delete(`/proforma_orders/${id}`)],
    ['expired', async () => api.clock.forward({ hours: 72 })],
  ])('is refunded in full for a proforma that is %s', async (status, end) => {
    const { id } = await three();
    const payment = await begun(id);
    await end(id);
    const data = await resultOf(id, payment);
    expect(data).toMatchObject({ proforma_status: status, paid: 0 });
    expect(payments(data)).toEqual([
      ['Card', 300, 'settled'],
      ['Card', -300, 'refunded'],
    ]);
    expect(service.asked).toMatchObject([{ payment_id: payment, amount: 300 }]);
  });

  it.each([
    ['canceled', 'refund_failed', (id: number) => shop.delete(`/proforma_orders/${id}`)],
    ['expired', 'expiry_refund_failed', async () => api.clock.forward({ hours: 72 })],
  ])('with a failed refund, for a proforma that is %s, raises the alert %s', async (status, kind, end) => {
    const { id } = await three();
    const payment = await begun(id);
    await end(id);
    service.status = 400;
    expect(await resultOf(id, payment)).toMatchObject({ proforma_status: status, paid: 300, alerts: [{ kind }] });
  });

  describe('for a converted proforma', () => {
    const converted = async (id: number) => (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    const orderOf = async ({ id, data_part, time_part }: Record<string, number>) =>
      (await shop.get(`/orders/${id}?dataPart=${data_part}&timePart=${time_part}`)).body.data;

    it('is added to the order and leaves the proforma unchanged', async () => {
      const { id } = await three();
      const payment = await begun(id, 120);
      const order = await converted(id);
      expect(order).toMatchObject({ paid: 0, debt: 300, payment_status: 'unpaid' });
      const before = await shown(id);
      const { payment_instructions: _asks, ...same } = before;
      expect(await resultOf(id, payment)).toMatchObject({ ...same, updated_at: expect.any(String) });
      const after = await orderOf(order);
      expect(after).toMatchObject({ paid: 120, debt: 180, payment_status: 'partial' });
      expect(payments(after)).toEqual([['Card', 120, 'settled']]);
      expect(service.asked).toEqual([]);
    });

    it('keeps a payment status set by a person, unless money came', async () => {
      const { id } = await three();
      const [failing, settling] = [await begun(id), await begun(id, 120)];
      const { id: orderId, data_part, time_part } = await converted(id);
      const PAID = 3;
      await shop.put('/orders/bulk_update', {
        orders: [{ id: orderId, data_part, time_part, payment_status_id: PAID }],
      });
      await resultOf(id, failing, 'failed');
      const { data } = (await shop.get('/orders')).body;
      expect(data).toMatchObject([{ paid: 0, debt: 300, payment_status: 'paid' }]);
      await resultOf(id, settling);
      expect((await shop.get('/orders')).body.data).toMatchObject([{ paid: 120, payment_status: 'partial' }]);
    });

    it('raises an alert when the order is cancelled', async () => {
      const { id } = await three();
      const [settling, failing] = [await begun(id, 120), await begun(id, 100)];
      const { id: orderId, data_part, time_part } = await converted(id);
      const CANCELED = 3;
      await shop.put('/orders/bulk_update', {
        orders: [{ id: orderId, data_part, time_part, order_status_id: CANCELED }],
      });
      expect(await resultOf(id, failing, 'failed')).toMatchObject({ open_alerts_count: 0 });
      await resultOf(id, settling);
      const found = await resultOf(id, settling);
      expect(found.alerts).toMatchObject([{ kind: 'refund_failed', details: { payment_id: settling } }]);
      expect(await orderOf({ id: orderId, data_part, time_part })).toMatchObject({ paid: 120, debt: 180 });
    });

    it('is refunded as far as it exceeds the debt of the order', async () => {
      const { id } = await three();
      const payment = await begun(id);
      await pay(id, 100);
      const order = await converted(id);
      api.clock.forward({ seconds: 1 });
      await resultOf(id, payment);
      const after = await orderOf(order);
      expect(after).toMatchObject({ paid: 300, debt: 0, payment_status: 'paid' });
      expect(payments(after)).toEqual([
        ['Card', 300, 'settled'],
        ['Cash', 100, 'settled'],
        ['Card', -100, 'refunded'],
      ]);
      expect(await shown(id)).toMatchObject({ paid: 100, debt: 200 });
    });
  });
});

describe('a missing card payment', () => {
  it('is answered 404 for any other id', async () => {
    const made = await three();
    const other = await three();
    const foreign = await begun(other.id);
    const cash = (await pay(made.id, 100)).payments[0].id;
    const payment = await begun(made.id, 50);
    await shop.delete(`/proforma_orders/${made.id}`);
    await resultOf(made.id, payment);
    const refund = (await shown(made.id)).payments.find((each: Payment) => each.amount === -50).id;
    const before = [await shown(made.id), await shown(other.id)];
    for (const id of [foreign, cash, refund, 987_654, 0, -1, 'abc', '99999999999999999999']) {
      for (const result of [{ status: 'settled' }, { status: 'x' }]) {
        const { status, text } = await shop.post(path(made.id, id), { result });
        expect([status, text]).toEqual([404, '']);
      }
    }
    expect([await shown(made.id), await shown(other.id)]).toEqual(before);
  });

  it('is answered 404 for another app, whatever the body', async () => {
    const { id } = await three();
    const payment = await begun(id);
    const stranger = await api.app();
    for (const body of [{ payment: {} }, { payment: { amount: 0.001 } }]) {
      const { status, text } = await stranger.post(path(id), body);
      expect([status, text]).toEqual([404, '']);
    }
    for (const result of [{ status: 'settled' }, { status: 'x' }]) {
      const { status, text } = await stranger.post(path(id, payment), { result });
      expect([status, text]).toEqual([404, '']);
    }
    expect(payments(await shown(id))).toEqual([['Card', 300, 'pending']]);
  });
});

describe('an invalid result', () => {
  it.each([
    [{}, 422, { errors: { status: ["can't be blank"] } }],
    [{ status: null }, 422, { errors: { status: ["can't be blank"] } }],
    [{ status: 'pending' }, 422, { errors: { status: ['is invalid'] } }],
    [{ status: 'Settled' }, 422, { errors: { status: ['is invalid'] } }],
    [{ status: 'settled', reference: 'x'.repeat(256) }, 422, { errors: { reference: ['is too long'] } }],
    [{ status: 'settled', reference: 'a\0' }, 422, { errors: { reference: ['is invalid'] } }],
    [{ status: 1 }, 400, { errors: { detail: 'Bad Request' } }],
    [{ status: 'settled', reference: 5 }, 400, { errors: { detail: 'Bad Request' } }],
    [undefined, 400, { errors: { detail: 'Bad Request' } }],
    ['settled', 400, { errors: { detail: 'Bad Request' } }],
  ])('is refused as %j and changes nothing', async (result, status, body) => {
    const { id } = await three();
    const payment = await begun(id);
    const reply = await shop.post(path(id, payment), { result });
    expect([reply.status, reply.body]).toEqual([status, body]);
    expect(payments(await shown(id))).toEqual([['Card', 300, 'pending']]);
  });
});

it('a proforma with a pending card payment expires', async () => {
  const mira = await newCustomer(shop, 'mira@example.com');
  const { id } = await propose(shop, [{ code: 'A', qty: 1 }], { ...mira, guest: undefined });
  await begun(id);
  api.clock.forward({ hours: 72 });
  expect(await shown(id)).toMatchObject({ proforma_status: 'expired', payments: [{ payment_status: 'pending' }] });
  expect(service.asked).toEqual([]);
});
