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
const tell = (id: number, payment: number, result: object): Promise<Reply> => shop.post(path(id, payment), { result });
/** The id of a card payment that has begun. */
const begun = async (id: number, amount?: number): Promise<number> => {
  const { status, body } = await begin(id, { amount });
  expect(status).toBe(201);
  return body.data.payments.at(-1).id;
};
const told = async (id: number, payment: number, status = 'settled') => {
  const reply = await tell(id, payment, { status });
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

describe('a card payment that begins', () => {
  it('is pending, counts for nothing yet, and the draft awaits it', async () => {
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

  it('is the one that its answer names, also among several at once', async () => {
    const { id } = await three();
    const amounts = [10, 20, 30, 40];
    const replies = await Promise.all(amounts.map((amount) => begin(id, { amount })));
    const named = replies.map(({ body }) => body.payment);
    expect(named.map(({ amount }: Payment) => amount)).toEqual(amounts);
    const stored: Payment[] = (await shown(id)).payments;
    for (const payment of named) expect(stored.find((each) => each.id === payment.id)).toEqual(payment);
  });

  it.each([[{}], [{ amount: null }], [{ amount: 0 }], [{ amount: -5 }]])(
    'with %j is for the whole debt',
    async (payment) => {
      const { id } = await three();
      await pay(id, 70);
      expect(payments((await begin(id, payment)).body.data).at(-1)).toEqual(['Card', 230, 'pending']);
    },
  );

  it('leaves every other open status as it is', async () => {
    const confirmed = await three();
    await confirm(confirmed, 3);
    expect((await begin(confirmed.id)).body.data).toMatchObject({ proforma_status: 'confirmed' });
    const partly = await three();
    await confirm(partly, 2);
    expect((await begin(partly.id)).body.data).toMatchObject({ proforma_status: 'partial_confirmed' });
  });

  it('leaves room for other payments of the debt', async () => {
    const { id } = await three();
    await begun(id);
    expect(await pay(id, 100)).toMatchObject({ proforma_status: 'awaiting_payment', paid: 100, debt: 200 });
    expect(await pay(id)).toMatchObject({ proforma_status: 'paid', paid: 300 });
  });

  it('is written in the name of the oldest method of kind card', async () => {
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
    ['Order debt is already paid', 'message', 'nothing is owed', (id: number) => pay(id), {}],
    [
      'Payment amount exceeds order debt',
      'message',
      'more than the debt is wanted',
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
      'its time is over',
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
  ])('is refused as %j', async (payment, status, body) => {
    const { id } = await three();
    const reply = await shop.post(path(id), { payment });
    expect([reply.status, reply.body]).toEqual([status, body]);
    expect(await shown(id)).toMatchObject({ proforma_status: 'draft', payments: [] });
  });
});

describe('a settled result', () => {
  it('is money that came in, and makes the proforma paid when it covers the total', async () => {
    const { id } = await three();
    const first = await begun(id, 100);
    const second = await begun(id, 200);
    api.clock.forward({ seconds: 30 });
    expect(await told(id, first)).toMatchObject({ proforma_status: 'awaiting_payment', paid: 100, debt: 200 });
    const data = await told(id, second);
    expect(data).toMatchObject({ proforma_status: 'paid', paid: 300, debt: 0 });
    expect(data.payments[1]).toMatchObject({
      payment_status: 'settled',
      finalized: true,
      payment_date: api.clock.now().toISOString().slice(0, 19),
    });
  });

  it('below the total leaves a draft when no other card payment is awaited', async () => {
    const { id } = await three();
    expect(await told(id, await begun(id, 100))).toMatchObject({ proforma_status: 'draft', paid: 100, debt: 200 });
  });

  it.each([
    [3, 'confirmed'],
    [2, 'partial_confirmed'],
  ])('of a proforma with %d pieces confirmed leaves it %s until it covers the total', async (qty, status) => {
    const made = await three();
    await confirm(made, qty);
    expect(await told(made.id, await begun(made.id, 100))).toMatchObject({ proforma_status: status, paid: 100 });
    expect(await told(made.id, await begun(made.id))).toMatchObject({ proforma_status: 'paid', debt: 0 });
  });

  it('that comes late for a draft again still counts', async () => {
    const { id } = await three();
    const [late, failed] = [await begun(id, 100), await begun(id, 50)];
    await told(id, failed, 'failed');
    expect(await told(id, late)).toMatchObject({ proforma_status: 'draft', paid: 100 });
  });

  it('gives back at once what exceeds the debt', async () => {
    const { id } = await three();
    const payment = await begun(id);
    await pay(id, 100);
    api.clock.forward({ seconds: 1 });
    const data = (await tell(id, payment, { status: 'settled', reference: 'tx-77' })).body.data;
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

  it('of a proforma that was paid otherwise goes back whole, and its status stays', async () => {
    const made = await three();
    const [first, second] = [await begun(made.id), await begun(made.id)];
    await pay(made.id);
    api.clock.forward({ seconds: 1 });
    expect(payments(await told(made.id, first)).slice(3)).toEqual([['Card', -300, 'refunded']]);
    await confirm(made, 3);
    expect(await told(made.id, second)).toMatchObject({ proforma_status: 'confirmed', paid: 300, debt: 0 });
  });

  it('leaves an alert when its excess cannot be given back', async () => {
    const { id } = await three();
    const payment = await begun(id);
    await pay(id, 100);
    api.clock.forward({ seconds: 1 });
    service.status = 400;
    const data = await told(id, payment);
    expect(data).toMatchObject({ proforma_status: 'paid', paid: 400, debt: 0, open_alerts_count: 1 });
    expect(data.alerts).toMatchObject([{ kind: 'refund_failed', resolved: false }]);
    expect(payments(data).at(-1)).toEqual(['Card', -100, 'refund_failed']);
  });

  it('gives back money before vouchers', async () => {
    await setUp(shop, 'vouchers', [{ code: 'V', amount: 50 }]);
    const made = await propose(shop, [{ code: 'A', qty: 3 }], { voucher_codes: ['V'] });
    const payment = await begun(made.id);
    await confirm(made, 2);
    expect(payments(await told(made.id, payment))).toEqual([
      ['voucher', 50, 'settled'],
      ['Card', 250, 'settled'],
      ['Card', -100, 'refunded'],
    ]);
  });
});

describe('a failed result', () => {
  it('leaves the debt, and a draft again when it was the last card payment', async () => {
    const { id } = await three();
    const [first, second] = [await begun(id), await begun(id)];
    expect(await told(id, first, 'failed')).toMatchObject({ proforma_status: 'awaiting_payment', paid: 0 });
    const data = await told(id, second, 'failed');
    expect(data).toMatchObject({ proforma_status: 'draft', paid: 0, debt: 300 });
    expect(payments(data)).toEqual([
      ['Card', 300, 'failed'],
      ['Card', 300, 'failed'],
    ]);
    expect(data.payments[0]).toMatchObject({ finalized: true });
  });

  it.each([3, 2])('of a proforma that is paid for and has %d pieces confirmed leaves its status', async (qty) => {
    const made = await three();
    const payment = await begun(made.id);
    await pay(made.id);
    const { proforma_status: status } = await confirm(made, qty);
    expect(await told(made.id, payment, 'failed')).toMatchObject({ proforma_status: status, debt: 0 });
  });

  it('of a final proforma changes nothing but the payment', async () => {
    const { id } = await three();
    const payment = await begun(id);
    await shop.delete(`/proforma_orders/${id}`);
    const data = await told(id, payment, 'failed');
    expect(data).toMatchObject({ proforma_status: 'canceled', paid: 0 });
    expect(payments(data)).toEqual([['Card', 300, 'failed']]);
    expect(service.asked).toEqual([]);
  });
});

describe('a result that comes again', () => {
  it.each([
    ['settled', ['settled', 'failed', 'settled']],
    ['failed', ['failed', 'failed']],
  ])('is answered with the same proforma, and the first word, %s, stands', async (status, more) => {
    const { id } = await three();
    const payment = await begun(id);
    const first = await told(id, payment, status);
    api.clock.forward({ seconds: 5 });
    const { expires_in_seconds, ...same } = first;
    for (const again of more) {
      expect(await told(id, payment, again)).toEqual({ ...same, expires_in_seconds: expires_in_seconds - 5 });
    }
    expect(service.asked).toEqual([]);
  });

  it('settled after it had failed leaves one alert, and counts for nothing', async () => {
    const { id } = await three();
    const payment = await begun(id);
    await told(id, payment, 'failed');
    await told(id, payment);
    const found = await told(id, payment);
    expect(payments(found)).toEqual([['Card', 300, 'failed']]);
    expect(found).toMatchObject({ paid: 0, debt: 300, proforma_status: 'draft', open_alerts_count: 1 });
    expect(found.alerts).toMatchObject([{ kind: 'refund_failed', details: { payment_id: payment } }]);
    expect(service.asked).toEqual([]);
  });

  it.each([
    ['converted', (id: number) => shop.post(`/proforma_orders/${id}/convert`)],
    ['canceled', (id: number) => shop.delete(`/proforma_orders/${id}`)],
    ['expired', async () => api.clock.forward({ hours: 72 })],
  ])('for a proforma that is %s moves no money twice', async (status, end) => {
    const { id } = await three();
    const payment = await begun(id, 100);
    await end(id);
    const first = await told(id, payment);
    const asked = service.asked.length;
    expect(first).toMatchObject({ proforma_status: status });
    expect(await told(id, payment)).toEqual(first);
    expect(service.asked).toHaveLength(asked);
  });

  it('ten times at once is counted once', async () => {
    const { id } = await three();
    const payment = await begun(id, 100);
    const replies = await Promise.all(Array.from({ length: 10 }, () => tell(id, payment, { status: 'settled' })));
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.data?.paid}`))).toEqual(new Set(['200 100']));
    expect(payments(await shown(id))).toEqual([['Card', 100, 'settled']]);
  });

  it('ten times at once for a cancelled proforma is refunded once', async () => {
    const { id } = await three();
    const payment = await begun(id);
    await shop.delete(`/proforma_orders/${id}`);
    await Promise.all(Array.from({ length: 10 }, () => told(id, payment)));
    expect(service.asked).toHaveLength(1);
    expect(payments(await shown(id))).toEqual([
      ['Card', 300, 'settled'],
      ['Card', -300, 'refunded'],
    ]);
  });

  it('of ten payments of the whole debt at once leaves one of them here', async () => {
    const { id } = await three();
    const ids = await Promise.all(Array.from({ length: 10 }, () => begun(id)));
    expect(new Set((await shown(id)).payments.map((each: Payment) => each.id)).size).toBe(10);
    await Promise.all((await shown(id)).payments.map((each: Payment) => told(id, each.id)));
    expect(ids).toHaveLength(10);
    expect(service.asked.map(({ amount }) => amount)).toEqual(Array.from({ length: 9 }, () => 300));
    expect(await shown(id)).toMatchObject({ proforma_status: 'paid', paid: 300, debt: 0 });
  });
});

describe('a late result', () => {
  it.each([
    ['canceled', (id: number) => shop.delete(`/proforma_orders/${id}`)],
    ['expired', async () => api.clock.forward({ hours: 72 })],
  ])('for a proforma that is %s is refunded whole', async (status, end) => {
    const { id } = await three();
    const payment = await begun(id);
    await end(id);
    const data = await told(id, payment);
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
  ])('for a proforma that is %s whose refund fails leaves the alert %s', async (status, kind, end) => {
    const { id } = await three();
    const payment = await begun(id);
    await end(id);
    service.status = 400;
    expect(await told(id, payment)).toMatchObject({ proforma_status: status, paid: 300, alerts: [{ kind }] });
  });

  describe('for a converted proforma', () => {
    const converted = async (id: number) => (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    const orderOf = async ({ id, data_part, time_part }: Record<string, number>) =>
      (await shop.get(`/orders/${id}?dataPart=${data_part}&timePart=${time_part}`)).body.data;

    it('is added to the payments of the order, and the proforma shows what it showed', async () => {
      const { id } = await three();
      const payment = await begun(id, 120);
      const order = await converted(id);
      expect(order).toMatchObject({ paid: 0, debt: 300, payment_status: 'unpaid' });
      const before = await shown(id);
      const { payment_instructions: _asks, ...same } = before;
      expect(await told(id, payment)).toMatchObject({ ...same, updated_at: expect.any(String) });
      const after = await orderOf(order);
      expect(after).toMatchObject({ paid: 120, debt: 180, payment_status: 'partial' });
      expect(payments(after)).toEqual([['Card', 120, 'settled']]);
      expect(service.asked).toEqual([]);
    });

    it('leaves a payment status that a person has set, unless money came', async () => {
      const { id } = await three();
      const [failing, settling] = [await begun(id), await begun(id, 120)];
      const { id: orderId, data_part, time_part } = await converted(id);
      const PAID = 3;
      await shop.put('/orders/bulk_update', {
        orders: [{ id: orderId, data_part, time_part, payment_status_id: PAID }],
      });
      await told(id, failing, 'failed');
      const { data } = (await shop.get('/orders')).body;
      expect(data).toMatchObject([{ paid: 0, debt: 300, payment_status: 'paid' }]);
      await told(id, settling);
      expect((await shop.get('/orders')).body.data).toMatchObject([{ paid: 120, payment_status: 'partial' }]);
    });

    it('leaves an alert when the order is cancelled by then', async () => {
      const { id } = await three();
      const [settling, failing] = [await begun(id, 120), await begun(id, 100)];
      const { id: orderId, data_part, time_part } = await converted(id);
      const CANCELED = 3;
      await shop.put('/orders/bulk_update', {
        orders: [{ id: orderId, data_part, time_part, order_status_id: CANCELED }],
      });
      expect(await told(id, failing, 'failed')).toMatchObject({ open_alerts_count: 0 });
      await told(id, settling);
      const found = await told(id, settling);
      expect(found.alerts).toMatchObject([{ kind: 'refund_failed', details: { payment_id: settling } }]);
      expect(await orderOf({ id: orderId, data_part, time_part })).toMatchObject({ paid: 120, debt: 180 });
    });

    it('goes back as far as it exceeds the debt of the order', async () => {
      const { id } = await three();
      const payment = await begun(id);
      await pay(id, 100);
      const order = await converted(id);
      api.clock.forward({ seconds: 1 });
      await told(id, payment);
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

describe('what is not there', () => {
  it('is a card payment of an unknown id, another payment, a refund, or one of another proforma', async () => {
    const made = await three();
    const other = await three();
    const foreign = await begun(other.id);
    const cash = (await pay(made.id, 100)).payments[0].id;
    const payment = await begun(made.id, 50);
    await shop.delete(`/proforma_orders/${made.id}`);
    await told(made.id, payment);
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

  it('is a proforma of another app, whatever the body', async () => {
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

describe('a result that breaks rules', () => {
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
  ])('%j changes nothing', async (result, status, body) => {
    const { id } = await three();
    const payment = await begun(id);
    const reply = await shop.post(path(id, payment), { result });
    expect([reply.status, reply.body]).toEqual([status, body]);
    expect(payments(await shown(id))).toEqual([['Card', 300, 'pending']]);
  });
});

it('a proforma with a card payment in progress expires like any other with debt', async () => {
  const mira = await newCustomer(shop, 'mira@example.com');
  const { id } = await propose(shop, [{ code: 'A', qty: 1 }], { ...mira, guest: undefined });
  await begun(id);
  api.clock.forward({ hours: 72 });
  expect(await shown(id)).toMatchObject({ proforma_status: 'expired', payments: [{ payment_status: 'pending' }] });
  expect(service.asked).toEqual([]);
});
