import { methodId, newCustomer, NO_PAYMENT_SOURCE, propose, setUp, stockShop } from '../testing/shop.js';
import { startPaymentService, type PaymentService } from '../testing/payment-service.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

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
  readonly payment_method: string;
  readonly payment_status: string;
}

const cardPaymentPath = (id: number | string, paymentId?: number | string) =>
  `/proforma_orders/${id}/card_payments${paymentId === undefined ? '' : `/${paymentId}/result`}`;
const beginPayment = (id: number, payment: object = {}): Promise<Reply> => shop.post(cardPaymentPath(id), { payment });
const sendResult = (id: number, paymentId: number, result: object): Promise<Reply> =>
  shop.post(cardPaymentPath(id, paymentId), { result });
const addCardPayment = async (id: number, amount?: number): Promise<number> => {
  const { status, body } = await beginPayment(id, { amount });
  expect(status).toBe(201);
  return body.data.payments.at(-1).id;
};
const recordResult = async (id: number, paymentId: number, status = 'settled') => {
  const reply = await sendResult(id, paymentId, { status });
  expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
  return reply.body.data;
};
const pay = async (id: number, amount = 0) => {
  const payment = { payment_method_id: await methodId(shop, 'cash'), amount };
  return (await shop.post(`/proforma_orders/${id}/pay`, { payment })).body.data;
};
const readProforma = async (id: number, client = shop) => (await client.get(`/proforma_orders/${id}`)).body.data;
const summarizePayments = (record: { payments: readonly Payment[] }) =>
  record.payments.map((payment) => [payment.payment_method, payment.amount, payment.payment_status]);
const proposeThreePieces = () => propose(shop, [{ code: 'A', qty: 3 }]);
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

describe('the ETag of a write', () => {
  it('is that of the next read, also after an earlier call has raised an alert', async () => {
    const { id } = await proposeThreePieces();
    const paymentId = await addCardPayment(id);
    await recordResult(id, paymentId, 'failed');
    await recordResult(id, paymentId);
    const path = `/proforma_orders/${id}`;
    const written = await shop.patch(path, { comment: 'call the customer' });
    expect(Object.keys(written.body.data.alerts[0].details).length).toBeGreaterThan(1);
    expect(written.headers['etag']).toBe((await shop.get(path)).headers['etag']);
  });
});

describe('a new card payment', () => {
  it('is pending, and changes the status of a draft to awaiting payment', async () => {
    const { id } = await proposeThreePieces();
    const { status, body } = await beginPayment(id, { amount: 120.5 });
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
        ...NO_PAYMENT_SOURCE,
      },
    ]);
    expect(await readProforma(id)).toEqual(body.data);
    expect(body.payment).toEqual(body.data.payments[0]);
  });

  it('is shown in the response of its call, even when calls run concurrently', async () => {
    const { id } = await proposeThreePieces();
    const amounts = [10, 20, 30, 40];
    const replies = await Promise.all(amounts.map((amount) => beginPayment(id, { amount })));
    const returnedPayments = replies.map(({ body }) => body.payment);
    expect(returnedPayments.map(({ amount }: Payment) => amount)).toEqual(amounts);
    const storedPayments: Payment[] = (await readProforma(id)).payments;
    for (const payment of returnedPayments)
      expect(storedPayments.find(({ id: storedId }) => storedId === payment.id)).toEqual(payment);
  });

  it.each([[{}], [{ amount: null }], [{ amount: 0 }], [{ amount: -5 }]])(
    'covers the whole debt with %j',
    async (payment) => {
      const { id } = await proposeThreePieces();
      await pay(id, 70);
      expect(summarizePayments((await beginPayment(id, payment)).body.data).at(-1)).toEqual(['Card', 230, 'pending']);
    },
  );

  it('lets other payments pay the debt', async () => {
    const { id } = await proposeThreePieces();
    await addCardPayment(id);
    expect(await pay(id, 100)).toMatchObject({ proforma_status: 'awaiting_payment', paid: 100, debt: 200 });
    expect(await pay(id)).toMatchObject({ proforma_status: 'paid', paid: 300 });
  });

  it('uses the oldest payment method of kind card', async () => {
    const [visaMethod] = await setUp(shop, 'payment_methods', [{ code: 'card', name: 'Visa', kind: 'card' }]);
    await setUp(shop, 'payment_methods', [{ code: 'card2', name: 'Dina', kind: 'card' }]);
    const { id } = await proposeThreePieces();
    expect((await beginPayment(id)).body.data.payments).toMatchObject([
      { payment_method: 'Visa', payment_method_id: visaMethod.id },
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
      'the amount exceeds the debt',
      (id: number) => pay(id, 100),
      { amount: 200.01 },
    ],
    [
      'API.ProformaOrders.AlreadyFinal',
      'ProformaOrders',
      'the proforma is converted',
      (id: number) => shop.post(`/proforma_orders/${id}/convert`),
      {},
    ],
    [
      'API.ProformaOrders.AlreadyFinal',
      'ProformaOrders',
      'the proforma is cancelled',
      (id: number) => shop.delete(`/proforma_orders/${id}`),
      {},
    ],
    [
      'API.ProformaOrders.AlreadyFinal',
      'ProformaOrders',
      'the proforma is overdue',
      async () => api.clock.forward({ hours: 72 }),
      {},
    ],
  ])('is refused with %s (%s) when %s', async (key, area, _, prepare, payment) => {
    const { id } = await proposeThreePieces();
    await prepare(id);
    const { status, body } = await beginPayment(id, payment);
    expect([status, body]).toEqual([422, { errors: { [area]: [key] } }]);
    expect(summarizePayments(await readProforma(id)).filter(([method]) => method === 'Card')).toEqual([]);
  });

  it.each([
    [{ amount: 1.005 }, 422, { errors: { amount: ['is invalid'] } }],
    [{ amount: '1' }, 400, { errors: { detail: 'Bad Request' } }],
    [undefined, 400, { errors: { detail: 'Bad Request' } }],
    [[], 400, { errors: { detail: 'Bad Request' } }],
  ])('is refused for %j', async (payment, status, body) => {
    const { id } = await proposeThreePieces();
    const reply = await shop.post(cardPaymentPath(id), { payment });
    expect([reply.status, reply.body]).toEqual([status, body]);
    expect(await readProforma(id)).toMatchObject({ proforma_status: 'draft', payments: [] });
  });
});

describe('a settled card payment', () => {
  it('pays the proforma in full when it covers the total', async () => {
    const { id } = await proposeThreePieces();
    const firstId = await addCardPayment(id, 100);
    const secondId = await addCardPayment(id, 200);
    api.clock.forward({ seconds: 30 });
    expect(await recordResult(id, firstId)).toMatchObject({
      proforma_status: 'awaiting_payment',
      paid: 100,
      debt: 200,
    });
    const data = await recordResult(id, secondId);
    expect(data).toMatchObject({ proforma_status: 'paid', paid: 300, debt: 0 });
    expect(data.payments[1]).toMatchObject({
      payment_status: 'settled',
      finalized: true,
      payment_date: api.clock.now().toISOString().slice(0, 19),
    });
  });

  it('is recorded after another payment has failed', async () => {
    const { id } = await proposeThreePieces();
    const [lateId, failedId] = [await addCardPayment(id, 100), await addCardPayment(id, 50)];
    await recordResult(id, failedId, 'failed');
    expect(await recordResult(id, lateId)).toMatchObject({ proforma_status: 'draft', paid: 100 });
  });

  it('causes an immediate refund of the excess over the debt', async () => {
    const { id } = await proposeThreePieces();
    const paymentId = await addCardPayment(id);
    await pay(id, 100);
    api.clock.forward({ seconds: 1 });
    const data = (await sendResult(id, paymentId, { status: 'settled', reference: 'tx-77' })).body.data;
    expect(data).toMatchObject({ proforma_status: 'paid', paid: 300, debt: 0, alerts: [] });
    expect(summarizePayments(data)).toEqual([
      ['Card', 300, 'settled'],
      ['Cash', 100, 'settled'],
      ['Card', -100, 'refunded'],
    ]);
    expect(service.receivedRefunds).toMatchObject([
      { payment_id: paymentId, payment_method: 'Card', amount: 100, reference: 'tx-77' },
    ]);
  });

  it('is refunded in full when the proforma is already paid', async () => {
    const proforma = await proposeThreePieces();
    const [firstId, secondId] = [await addCardPayment(proforma.id), await addCardPayment(proforma.id)];
    await pay(proforma.id);
    api.clock.forward({ seconds: 1 });
    expect(summarizePayments(await recordResult(proforma.id, firstId)).slice(3)).toEqual([['Card', -300, 'refunded']]);
    await confirm(proforma, 3);
    expect(await recordResult(proforma.id, secondId)).toMatchObject({
      proforma_status: 'confirmed',
      paid: 300,
      debt: 0,
    });
  });

  it('raises an alert when the excess cannot be refunded', async () => {
    const { id } = await proposeThreePieces();
    const paymentId = await addCardPayment(id);
    await pay(id, 100);
    api.clock.forward({ seconds: 1 });
    service.status = 400;
    const data = await recordResult(id, paymentId);
    expect(data).toMatchObject({ proforma_status: 'paid', paid: 400, debt: 0, open_alerts_count: 1 });
    expect(data.alerts).toMatchObject([{ kind: 'refund_failed', resolved: false }]);
    expect(summarizePayments(data).at(-1)).toEqual(['Card', -100, 'refund_failed']);
  });
});

describe('a failed card payment', () => {
  it('keeps the debt, and returns the proforma to draft when no other payment is pending', async () => {
    const { id } = await proposeThreePieces();
    const [firstId, secondId] = [await addCardPayment(id), await addCardPayment(id)];
    expect(await recordResult(id, firstId, 'failed')).toMatchObject({ proforma_status: 'awaiting_payment', paid: 0 });
    const data = await recordResult(id, secondId, 'failed');
    expect(data).toMatchObject({ proforma_status: 'draft', paid: 0, debt: 300 });
    expect(summarizePayments(data)).toEqual([
      ['Card', 300, 'failed'],
      ['Card', 300, 'failed'],
    ]);
    expect(data.payments[0]).toMatchObject({ finalized: true });
  });

  it('changes only the payment of a final proforma', async () => {
    const { id } = await proposeThreePieces();
    const paymentId = await addCardPayment(id);
    await shop.delete(`/proforma_orders/${id}`);
    const data = await recordResult(id, paymentId, 'failed');
    expect(data).toMatchObject({ proforma_status: 'canceled', paid: 0 });
    expect(summarizePayments(data)).toEqual([['Card', 300, 'failed']]);
    expect(service.receivedRefunds).toEqual([]);
  });
});

describe('a repeated result of a card payment', () => {
  it.each([
    ['settled', ['settled', 'failed', 'settled']],
    ['failed', ['failed', 'failed']],
  ])('returns the same proforma, and keeps the first status: %s', async (status, repeatedStatuses) => {
    const { id } = await proposeThreePieces();
    const paymentId = await addCardPayment(id);
    const firstProforma = await recordResult(id, paymentId, status);
    api.clock.forward({ seconds: 5 });
    const { expires_in_seconds, ...unchangedFields } = firstProforma;
    for (const repeatedStatus of repeatedStatuses) {
      expect(await recordResult(id, paymentId, repeatedStatus)).toEqual({
        ...unchangedFields,
        expires_in_seconds: expires_in_seconds - 5,
      });
    }
    expect(service.receivedRefunds).toEqual([]);
  });

  it.each([
    ['converted', (id: number) => shop.post(`/proforma_orders/${id}/convert`)],
    ['canceled', (id: number) => shop.delete(`/proforma_orders/${id}`)],
    ['expired', async () => api.clock.forward({ hours: 72 })],
  ])('refunds a repeated result at most once for a proforma that is %s', async (status, endProforma) => {
    const { id } = await proposeThreePieces();
    const paymentId = await addCardPayment(id, 100);
    await endProforma(id);
    const firstProforma = await recordResult(id, paymentId);
    const refundCountBefore = service.receivedRefunds.length;
    expect(firstProforma).toMatchObject({ proforma_status: status });
    expect(await recordResult(id, paymentId)).toEqual(firstProforma);
    expect(service.receivedRefunds).toHaveLength(refundCountBefore);
  });

  it('records only one of ten concurrent results', async () => {
    const { id } = await proposeThreePieces();
    const paymentId = await addCardPayment(id, 100);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => sendResult(id, paymentId, { status: 'settled' })),
    );
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.data?.paid}`))).toEqual(new Set(['200 100']));
    expect(summarizePayments(await readProforma(id))).toEqual([['Card', 100, 'settled']]);
  });

  it('refunds only once when ten calls settle a payment of a cancelled proforma', async () => {
    const { id } = await proposeThreePieces();
    const paymentId = await addCardPayment(id);
    await shop.delete(`/proforma_orders/${id}`);
    await Promise.all(Array.from({ length: 10 }, () => recordResult(id, paymentId)));
    expect(service.receivedRefunds).toHaveLength(1);
    expect(summarizePayments(await readProforma(id))).toEqual([
      ['Card', 300, 'settled'],
      ['Card', -300, 'refunded'],
    ]);
  });
});

describe('a late result of a card payment', () => {
  it.each([
    ['canceled', (id: number) => shop.delete(`/proforma_orders/${id}`)],
    ['expired', async () => api.clock.forward({ hours: 72 })],
  ])('refunds a late payment in full for a proforma that is %s', async (status, endProforma) => {
    const { id } = await proposeThreePieces();
    const paymentId = await addCardPayment(id);
    await endProforma(id);
    const data = await recordResult(id, paymentId);
    expect(data).toMatchObject({ proforma_status: status, paid: 0 });
    expect(summarizePayments(data)).toEqual([
      ['Card', 300, 'settled'],
      ['Card', -300, 'refunded'],
    ]);
    expect(service.receivedRefunds).toMatchObject([{ payment_id: paymentId, amount: 300 }]);
  });

  it.each([
    ['canceled', 'refund_failed', (id: number) => shop.delete(`/proforma_orders/${id}`)],
    ['expired', 'expiry_refund_failed', async () => api.clock.forward({ hours: 72 })],
  ])(
    'raises an alert when the refund of a late payment fails for a proforma that is %s: %s',
    async (status, kind, endProforma) => {
      const { id } = await proposeThreePieces();
      const paymentId = await addCardPayment(id);
      await endProforma(id);
      service.status = 400;
      expect(await recordResult(id, paymentId)).toMatchObject({
        proforma_status: status,
        paid: 300,
        alerts: [{ kind }],
      });
    },
  );

  describe('for a converted proforma', () => {
    const convert = async (id: number) => (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    const readOrder = async ({ id, data_part, time_part }: Record<string, number>) =>
      (await shop.get(`/orders/${id}?dataPart=${data_part}&timePart=${time_part}`)).body.data;

    it('adds a late payment to the order and leaves the proforma unchanged', async () => {
      const { id } = await proposeThreePieces();
      const paymentId = await addCardPayment(id, 120);
      const order = await convert(id);
      expect(order).toMatchObject({ paid: 0, debt: 300, payment_status: 'unpaid' });
      const proformaBefore = await readProforma(id);
      const { payment_instructions: _asks, ...unchangedFields } = proformaBefore;
      expect(await recordResult(id, paymentId)).toMatchObject({ ...unchangedFields, updated_at: expect.any(String) });
      const orderAfter = await readOrder(order);
      expect(orderAfter).toMatchObject({ paid: 120, debt: 180, payment_status: 'partial' });
      expect(summarizePayments(orderAfter)).toEqual([['Card', 120, 'settled']]);
      expect(service.receivedRefunds).toEqual([]);
    });

    it('keeps a payment status that a person has set until money arrives', async () => {
      const { id } = await proposeThreePieces();
      const [failingId, settlingId] = [await addCardPayment(id), await addCardPayment(id, 120)];
      const { id: orderId, data_part, time_part } = await convert(id);
      const PAID_STATUS_ID = 3;
      await shop.put('/orders/bulk_update', {
        orders: [{ id: orderId, data_part, time_part, payment_status_id: PAID_STATUS_ID }],
      });
      await recordResult(id, failingId, 'failed');
      const { data } = (await shop.get('/orders')).body;
      expect(data).toMatchObject([{ paid: 0, debt: 300, payment_status: 'paid' }]);
      await recordResult(id, settlingId);
      expect((await shop.get('/orders')).body.data).toMatchObject([{ paid: 120, payment_status: 'partial' }]);
    });

    it('raises an alert when a payment of a cancelled order settles', async () => {
      const { id } = await proposeThreePieces();
      const [settlingId, failingId] = [await addCardPayment(id, 120), await addCardPayment(id, 100)];
      const { id: orderId, data_part, time_part } = await convert(id);
      const CANCELED_STATUS_ID = 3;
      await shop.put('/orders/bulk_update', {
        orders: [{ id: orderId, data_part, time_part, order_status_id: CANCELED_STATUS_ID }],
      });
      expect(await recordResult(id, failingId, 'failed')).toMatchObject({ open_alerts_count: 0 });
      await recordResult(id, settlingId);
      const proforma = await recordResult(id, settlingId);
      expect(proforma.alerts).toMatchObject([{ kind: 'refund_failed', details: { payment_id: settlingId } }]);
      expect(await readOrder({ id: orderId, data_part, time_part })).toMatchObject({ paid: 120, debt: 0 });
    });

    it('refunds the excess of a late payment over the debt of the order', async () => {
      const { id } = await proposeThreePieces();
      const paymentId = await addCardPayment(id);
      await pay(id, 100);
      const order = await convert(id);
      api.clock.forward({ seconds: 1 });
      await recordResult(id, paymentId);
      const orderAfter = await readOrder(order);
      expect(orderAfter).toMatchObject({ paid: 300, debt: 0, payment_status: 'paid' });
      expect(summarizePayments(orderAfter)).toEqual([
        ['Card', 300, 'settled'],
        ['Cash', 100, 'settled'],
        ['Card', -100, 'refunded'],
      ]);
      expect(await readProforma(id)).toMatchObject({ paid: 100, debt: 200 });
    });
  });
});

describe('the result of a missing card payment', () => {
  it('returns 404 for an id that does not identify a card payment of the proforma', async () => {
    const proforma = await proposeThreePieces();
    const otherProforma = await proposeThreePieces();
    const foreignPaymentId = await addCardPayment(otherProforma.id);
    const cashPaymentId = (await pay(proforma.id, 100)).payments[0].id;
    const paymentId = await addCardPayment(proforma.id, 50);
    await shop.delete(`/proforma_orders/${proforma.id}`);
    await recordResult(proforma.id, paymentId);
    const refundId = (await readProforma(proforma.id)).payments.find(({ amount }: Payment) => amount === -50).id;
    const proformasBefore = [await readProforma(proforma.id), await readProforma(otherProforma.id)];
    for (const id of [foreignPaymentId, cashPaymentId, refundId, 987_654, 0, -1, 'abc', '99999999999999999999']) {
      for (const result of [{ status: 'settled' }, { status: 'x' }]) {
        const { status, text } = await shop.post(cardPaymentPath(proforma.id, id), { result });
        expect([status, text]).toEqual([404, '']);
      }
    }
    expect([await readProforma(proforma.id), await readProforma(otherProforma.id)]).toEqual(proformasBefore);
  });

  it('returns 404 for a proforma of another app, whatever the body is', async () => {
    const { id } = await proposeThreePieces();
    const paymentId = await addCardPayment(id);
    const otherApp = await api.app();
    for (const body of [{ payment: {} }, { payment: { amount: 0.001 } }]) {
      const { status, text } = await otherApp.post(cardPaymentPath(id), body);
      expect([status, text]).toEqual([404, '']);
    }
    for (const result of [{ status: 'settled' }, { status: 'x' }]) {
      const { status, text } = await otherApp.post(cardPaymentPath(id, paymentId), { result });
      expect([status, text]).toEqual([404, '']);
    }
    expect(summarizePayments(await readProforma(id))).toEqual([['Card', 300, 'pending']]);
  });
});

describe('an invalid result of a card payment', () => {
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
  ])('is refused and changes nothing: %j', async (result, status, body) => {
    const { id } = await proposeThreePieces();
    const paymentId = await addCardPayment(id);
    const reply = await shop.post(cardPaymentPath(id, paymentId), { result });
    expect([reply.status, reply.body]).toEqual([status, body]);
    expect(summarizePayments(await readProforma(id))).toEqual([['Card', 300, 'pending']]);
  });
});

it('a proforma with a pending card payment expires', async () => {
  const mira = await newCustomer(shop, 'mira@example.com');
  const { id } = await propose(shop, [{ code: 'A', qty: 1 }], { ...mira, guest: undefined });
  await addCardPayment(id);
  api.clock.forward({ hours: 72 });
  expect(await readProforma(id)).toMatchObject({
    proforma_status: 'expired',
    payments: [{ payment_status: 'pending' }],
  });
  expect(service.receivedRefunds).toEqual([]);
});
