import { GUEST, evaluate, methodId, propose, putStock, stockOf, stockShop, warehouse } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [
    { code: 'A', price: 100, stock: 10 },
    { code: 'B', price: 33.33, vat: 10, stock: 10 },
  ]);
});

const basket = [
  { code: 'A', qty: 2 },
  { code: 'B', qty: 1 },
];

describe('a basket that becomes an order', () => {
  it('keeps amounts, payments and stock consistent from the basket to the order', async () => {
    const draft = await propose(shop, basket);
    expect(draft).toMatchObject({ proforma_status: 'draft', sales: 233.33, end_sales: 233.33, paid: 0, debt: 233.33 });
    expect(draft.tax_brackets).toEqual([
      { vat_rate: 10, net: 30.3, vat: 3.03, gross: 33.33 },
      { vat_rate: 20, net: 166.67, vat: 33.33, gross: 200 },
    ]);
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 2, available: 8 });

    const cashMethodId = await methodId(shop, 'cash');
    const partialReply = await shop.post(`/proforma_orders/${draft.id}/pay`, {
      payment: { payment_method_id: cashMethodId, amount: 100 },
    });
    expect(partialReply.body.data).toMatchObject({ proforma_status: 'draft', paid: 100, debt: 133.33 });
    const paidReply = await shop.post(`/proforma_orders/${draft.id}/pay`, {
      payment: { payment_method_id: cashMethodId, amount: 0 },
    });
    expect(paidReply.body.data).toMatchObject({ proforma_status: 'paid', paid: 233.33, debt: 0 });

    const [firstLine] = draft.items;
    const adjustments = [{ proforma_order_item_id: firstLine.proforma_order_item_id, qty_confirmed: 1 }];
    const confirmedReply = await shop.post(`/proforma_orders/${draft.id}/warehouse_confirm`, { adjustments });
    expect(confirmedReply.body.data).toMatchObject({
      proforma_status: 'partial_confirmed',
      end_sales: 133.33,
      paid: 133.33,
      debt: 0,
    });
    expect(confirmedReply.body.data.payments.map((payment: { amount: number }) => payment.amount)).toEqual([
      100, 133.33, -100,
    ]);
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 1, available: 9 });

    const order = (await shop.post(`/proforma_orders/${draft.id}/convert`)).body.data;
    expect(order).toMatchObject({
      proforma_order_id: draft.id,
      proforma_number: draft.proforma_number,
      end_sales: 133.33,
      paid: 133.33,
      debt: 0,
      order_status: 'open',
      payment_status: 'paid',
      delivery_status: 'pending',
    });
    expect(order.items.map(({ code, qty }: { code: string; qty: number }) => [code, qty])).toEqual([
      ['A', 1],
      ['B', 1],
    ]);
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 1, available: 9 });

    const repeatedReply = await shop.post(`/proforma_orders/${draft.id}/convert`);
    expect(repeatedReply.body.data).toEqual(order);
    const parts = `dataPart=${order.data_part}&timePart=${order.time_part}`;
    expect((await shop.get(`/orders/${order.id}?${parts}`)).body.data).toEqual(order);
    const proforma = (await shop.get(`/proforma_orders/${draft.id}`)).body.data;
    expect(proforma).toMatchObject({
      proforma_status: 'converted',
      order_id: order.id,
      converted_order_number: order.order_number,
      expires_in_seconds: 0,
    });
  });

  it('takes at most 15 statements for the whole lifecycle, including entries in the audit log', async () => {
    const cash = await methodId(shop, 'cash');
    const runLifecycle = async (): Promise<void> => {
      const { id } = await propose(shop, basket);
      await shop.post(`/proforma_orders/${id}/pay`, { payment: { payment_method_id: cash, amount: 0 } });
      await shop.post(`/proforma_orders/${id}/warehouse_confirm`);
      expect((await shop.post(`/proforma_orders/${id}/convert`)).status).toBe(200);
    };
    await runLifecycle();
    api.statements.length = 0;
    await runLifecycle();
    expect(api.statements.length).toBeLessThanOrEqual(15);
  });
});

describe('GET /proforma_orders', () => {
  it('returns pages with the same columns as the full record, newest first', async () => {
    const firstProforma = await propose(shop, [{ code: 'A', qty: 1 }]);
    api.clock.forward({ seconds: 1 });
    const secondProforma = await propose(shop, [{ code: 'B', qty: 1 }], { tags: ['x', 'y'] });
    const { data } = (await shop.get('/proforma_orders')).body;
    expect(data.map(({ id }: { id: number }) => id)).toEqual([secondProforma.id, firstProforma.id]);
    const { proforma_status_name: name, ...columns } = data[0];
    expect(name).toBe('draft');
    expect(secondProforma).toMatchObject(columns);
    const page = (await shop.get('/proforma_orders?offset=1&limit=1')).body.data;
    expect(page.map(({ id }: { id: number }) => id)).toEqual([firstProforma.id]);
  });

  it('ignores invalid filters', async () => {
    await propose(shop, [{ code: 'A', qty: 1 }]);
    for (const query of [
      'limit=0',
      'limit=-1',
      'limit=abc',
      'offset=-5',
      'limit=1&limit=2',
      'x=%00',
      'limit=99999999',
    ]) {
      expect((await shop.get(`/proforma_orders?${query}`)).body.data).toHaveLength(1);
    }
  });
});

describe('POST /proforma_orders', () => {
  const create = (id: unknown) => shop.post('/proforma_orders', { order_processing_id: id });

  it('returns API.OrderProcessings.StaleEvaluation for a missing or used evaluation', async () => {
    const usedId = await evaluate(shop, basket);
    expect((await create(usedId)).status).toBe(201);
    for (const id of [usedId, 0, -1, 2 ** 52]) {
      const reply = await create(id);
      expect([reply.status, reply.body]).toEqual([
        422,
        { errors: { OrderProcessings: ['API.OrderProcessings.StaleEvaluation'] } },
      ]);
    }
  });

  it('returns API.OrderProcessings.StaleEvaluation for an evaluation older than 24 hours', async () => {
    const id = await evaluate(shop, basket);
    api.clock.forward({ hours: 24 });
    expect((await create(id)).body).toEqual({ errors: { OrderProcessings: ['API.OrderProcessings.StaleEvaluation'] } });
  });

  it('returns API.ProformaOrders.WrongApp for an evaluation of another app', async () => {
    const id = await evaluate(shop, basket);
    const otherApp = await api.app();
    const reply = await otherApp.post('/proforma_orders', { order_processing_id: id });
    expect([reply.status, reply.body]).toEqual([422, { errors: { ProformaOrders: ['API.ProformaOrders.WrongApp'] } }]);
    expect((await create(id)).status).toBe(201);
  });

  it('returns API.Products.MissingVat for a product without VAT', async () => {
    await stockShop(shop, [{ code: 'NOVAT', vat: null }]);
    const reply = await create(await evaluate(shop, [{ code: 'NOVAT', qty: 1 }]));
    expect([reply.status, reply.body]).toEqual([422, { errors: { Products: ['API.Products.MissingVat'] } }]);
  });

  it.each(Object.keys(GUEST))(
    'returns API.Orders.GuestDeliveryDataIncomplete for a guest without %s',
    async (field) => {
      const guest = { ...GUEST, [field]: undefined };
      const reply = await create(await evaluate(shop, basket, { guest }));
      expect([reply.status, reply.body]).toEqual([
        422,
        { errors: { Orders: ['API.Orders.GuestDeliveryDataIncomplete'] } },
      ]);
    },
  );

  it('reserves nothing when the stock of one line is insufficient', async () => {
    const reply = await create(
      await evaluate(shop, [
        { code: 'A', qty: 1 },
        { code: 'B', qty: 11 },
      ]),
    );
    expect([reply.status, reply.body]).toEqual([
      422,
      { errors: { message: ['Insufficient stock for product: Product B'] } },
    ]);
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 0, available: 10 });
    expect((await shop.get('/proforma_orders')).body.data).toEqual([]);
  });

  it('refuses several lines of one variant when their sum exceeds the stock', async () => {
    const reply = await create(
      await evaluate(shop, [
        { code: 'A', qty: 6 },
        { code: 'A', qty: 5 },
      ]),
    );
    expect(reply.body).toEqual({ errors: { message: ['Insufficient stock for product: Product A'] } });
  });

  it('reserves each line in one sellable warehouse: first in the default, then by code', async () => {
    await shop.put('/warehouse', {
      warehouses: [warehouse('W0', { sellable: false }), warehouse('W2'), warehouse('W3')],
    });
    await putStock(shop, [
      { code: 'A', warehouse_code: 'W0', qty: 100 },
      { code: 'A', warehouse_code: 'W2', qty: 12 },
      { code: 'A', warehouse_code: 'W3', qty: 5 },
    ]);
    await shop.patch('/app/settings', { default_warehouse_code: 'W3' });
    const { items } = await propose(shop, [
      { code: 'A', qty: 4 },
      { code: 'A', qty: 9 },
      { code: 'A', qty: 11 },
    ]);
    expect(items.map((item: { warehouse_code: string }) => item.warehouse_code)).toEqual(['W3', 'W1', 'W2']);
    const refusedReply = await create(await evaluate(shop, [{ code: 'A', qty: 13 }]));
    expect(refusedReply.body).toEqual({ errors: { message: ['Insufficient stock for product: Product A'] } });
  });
});

describe('POST /proforma_orders/{id}/pay', () => {
  const pay = (id: number, payment: object) => shop.post(`/proforma_orders/${id}/pay`, { payment });

  it.each([
    [
      'an unknown payment method',
      async () => ({ payment_method_id: 999_999, amount: 1 }),
      'API.PaymentMethod.NotSupported',
      'PaymentMethod',
    ],
    [
      'a payment method of kind card',
      async () => ({ payment_method_id: await methodId(shop, 'card') }),
      'API.PaymentMethod.NotSupported',
      'PaymentMethod',
    ],
    [
      'cash without an amount',
      async () => ({ payment_method_id: await methodId(shop, 'cash') }),
      'API.Payments.CashAmountRequired',
      'Payments',
    ],
    [
      'more than the debt',
      async () => ({ payment_method_id: await methodId(shop, 'cash'), amount: 233.34 }),
      'Payment amount exceeds order debt',
      'message',
    ],
  ])('refuses %s', async (_, payment, key, area) => {
    const { id } = await propose(shop, basket);
    const reply = await pay(id, await payment());
    expect([reply.status, reply.body]).toEqual([422, { errors: { [area]: [key] } }]);
    expect((await shop.get(`/proforma_orders/${id}`)).body.data).toMatchObject({ paid: 0, payments: [] });
  });

  it('refuses a payment after the debt is paid', async () => {
    const { id } = await propose(shop, basket);
    const bankTransfer = { payment_method_id: await methodId(shop, 'bank_transfer') };
    expect((await pay(id, bankTransfer)).body.data).toMatchObject({ paid: 233.33, proforma_status: 'paid' });
    const reply = await pay(id, { ...bankTransfer, amount: 1 });
    expect([reply.status, reply.body]).toEqual([422, { errors: { message: ['Order debt is already paid'] } }]);
  });

  it.each([1.005, 1e-7, 1_000_000_000_000.001])('refuses %d with more decimals than the currency', async (amount) => {
    const { id } = await propose(shop, basket);
    const reply = await pay(id, { payment_method_id: await methodId(shop, 'cash'), amount });
    expect([reply.status, reply.body]).toEqual([422, { errors: { amount: ['is invalid'] } }]);
  });

  it.each([0, -1, -1e20, -1e308])('pays the whole debt for the amount %d', async (amount) => {
    const { id } = await propose(shop, basket);
    const reply = await pay(id, { payment_method_id: await methodId(shop, 'cash'), amount });
    expect(reply.body.data).toMatchObject({ paid: 233.33, debt: 0, proforma_status: 'paid' });
  });

  describe.each([1_000_000_000_000.01, 1e20, 1e308])('an amount of %d, above the maximum', (amount) => {
    it('is refused as above the debt', async () => {
      const { id } = await propose(shop, basket);
      const reply = await pay(id, { payment_method_id: await methodId(shop, 'cash'), amount });
      expect([reply.status, reply.body]).toEqual([422, { errors: { message: ['Payment amount exceeds order debt'] } }]);
    });

    it('is refused for the method, a paid debt or a final status first', async () => {
      const { id } = await propose(shop, basket);
      const cash = await methodId(shop, 'cash');
      const errorsFor = async (method: number) => (await pay(id, { payment_method_id: method, amount })).body.errors;
      expect(await errorsFor(999_999)).toEqual({ PaymentMethod: ['API.PaymentMethod.NotSupported'] });
      await pay(id, { payment_method_id: cash, amount: 0 });
      expect(await errorsFor(cash)).toEqual({ message: ['Order debt is already paid'] });
      await shop.post(`/proforma_orders/${id}/convert`);
      expect(await errorsFor(cash)).toEqual({ ProformaOrders: ['API.ProformaOrders.AlreadyFinal'] });
    });
  });
});

describe('POST /proforma_orders/{id}/warehouse_confirm', () => {
  const confirm = (id: number, body?: object) => shop.post(`/proforma_orders/${id}/warehouse_confirm`, body);

  it('confirms every line in full without a body', async () => {
    const { id } = await propose(shop, basket);
    const { data } = (await confirm(id)).body;
    expect(data).toMatchObject({
      proforma_status: 'confirmed',
      end_sales: 233.33,
      items: [{ qty_confirmed: 2 }, { qty_confirmed: 1 }],
    });
  });

  it('reserves more pieces for a raised quantity, and refuses it when stock is missing', async () => {
    const { id, items } = await propose(shop, [{ code: 'A', qty: 8 }]);
    const adjust = (qty: number) =>
      confirm(id, { adjustments: [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: qty }] });
    await adjust(2);
    const otherProforma = await propose(shop, [{ code: 'A', qty: 6 }]);
    const refusedReply = await adjust(5);
    expect([refusedReply.status, refusedReply.body]).toEqual([
      422,
      { errors: { message: ['Insufficient stock for product: Product A'] } },
    ]);
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 8, available: 2 });
    expect((await adjust(4)).body.data).toMatchObject({ end_sales: 400, items: [{ qty_confirmed: 4 }] });
    await shop.delete(`/proforma_orders/${otherProforma.id}`);
    expect((await confirm(id)).body.data).toMatchObject({ proforma_status: 'confirmed', end_sales: 800 });
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 8, available: 2 });
  });

  it('raises a confirmed quantity only in the warehouse of the evaluation', async () => {
    const { id, items } = await propose(shop, [{ code: 'A', qty: 8 }], { warehouse_code: 'W1' });
    const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 0 }];
    await confirm(id, { adjustments });
    await propose(shop, [{ code: 'A', qty: 8 }]);
    await shop.put('/warehouse', { warehouses: [warehouse('W2')] });
    await putStock(shop, [{ code: 'A', warehouse_code: 'W2', qty: 100 }]);
    expect((await confirm(id)).body).toEqual({ errors: { message: ['Insufficient stock for product: Product A'] } });
  });

  it('refunds everything when no piece is confirmed, and prevents the conversion', async () => {
    const { id, items } = await propose(shop, [{ code: 'A', qty: 3 }]);
    await shop.post(`/proforma_orders/${id}/pay`, {
      payment: { payment_method_id: await methodId(shop, 'cash'), amount: 0 },
    });
    const zeroAdjustments = {
      adjustments: [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 0 }],
    };
    expect((await confirm(id, zeroAdjustments)).body.data).toMatchObject({
      end_sales: 0,
      paid: 0,
      debt: 0,
      tax_brackets: [{ gross: 0 }],
    });
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 0, available: 10 });
    const reply = await shop.post(`/proforma_orders/${id}/convert`);
    expect([reply.status, reply.body]).toEqual([
      422,
      { errors: { ProformaOrders: ['API.ProformaOrders.NothingConfirmed'] } },
    ]);
  });

  it.each([
    ['a negative quantity', -1, 'qty_confirmed'],
    ['more than was requested', 4, 'qty_confirmed'],
    ['a fraction', 1.5, 'qty_confirmed'],
    ['a text', '1', 'qty_confirmed'],
  ])('refuses %s and changes nothing', async (_, qty, field) => {
    const { id, items } = await propose(shop, [{ code: 'A', qty: 3 }]);
    const proformaBefore = (await shop.get(`/proforma_orders/${id}`)).body;
    const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: qty }];
    const reply = await confirm(id, { adjustments });
    expect([reply.status, reply.body]).toEqual([422, { errors: { [`adjustments.0.${field}`]: ['is invalid'] } }]);
    expect((await shop.get(`/proforma_orders/${id}`)).body).toEqual(proformaBefore);
  });

  it.each([null, undefined])('refuses a quantity of %p as missing', async (qty) => {
    const { id, items } = await propose(shop, [{ code: 'A', qty: 3 }]);
    const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: qty }];
    const reply = await confirm(id, { adjustments });
    expect([reply.status, reply.body]).toEqual([
      422,
      { errors: { 'adjustments.0.qty_confirmed': ["can't be blank"] } },
    ]);
  });

  it('refuses lines of another proforma and repeated lines', async () => {
    const { id, items } = await propose(shop, [{ code: 'A', qty: 3 }]);
    const otherProforma = await propose(shop, [{ code: 'A', qty: 1 }]);
    const ownAdjustment = { proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 1 };
    const foreignAdjustment = {
      proforma_order_item_id: otherProforma.items[0].proforma_order_item_id,
      qty_confirmed: 1,
    };
    const expectedErrors = { errors: { 'adjustments.1.proforma_order_item_id': ['is invalid'] } };
    for (const repeatedAdjustment of [foreignAdjustment, ownAdjustment])
      expect((await confirm(id, { adjustments: [ownAdjustment, repeatedAdjustment] })).body).toEqual(expectedErrors);
  });
});

describe('DELETE /proforma_orders/{id}', () => {
  it('cancels without a body', async () => {
    const { id } = await propose(shop, basket);
    expect((await shop.delete(`/proforma_orders/${id}`)).status).toBe(204);
    expect((await shop.get(`/proforma_orders/${id}`)).body.data).toMatchObject({ canceled: true, cancel_reason: null });
  });
});

describe('PUT and PATCH /proforma_orders/{id}', () => {
  it.each(['put', 'patch'] as const)('change tags and comment and keep absent fields: %s', async (method) => {
    const { id } = await propose(shop, basket);
    await shop[method](`/proforma_orders/${id}`, { tags: ['a', 'b', 'a'] });
    const { data } = (await shop[method](`/proforma_orders/${id}`, { comment: 'ring twice' })).body;
    expect(data).toMatchObject({ tags: ['a', 'b'], comment: 'ring twice' });
    expect((await shop[method](`/proforma_orders/${id}`, { comment: null })).body.data.comment).toBeNull();
  });

  it.each([
    ['tags that are no list', { tags: 'a' }, 'InvalidTags'],
    ['an empty tag', { tags: [''] }, 'InvalidTags'],
    ['51 tags', { tags: Array.from({ length: 51 }, (_, index) => `t${index}`) }, 'InvalidTags'],
    ['a comment that is no text', { comment: 5 }, 'InvalidComment'],
    ['a comment with NUL', { comment: 'a\0b' }, 'InvalidComment'],
    ['half of a surrogate pair', { tags: ['\ud800'] }, 'InvalidTags'],
    ['an alert that does not exist', { comment: 'kept out', alerts: [{ index: 0, resolved: true }] }, 'AlertNotFound'],
  ])('refuse %s and change nothing', async (_, body, rule) => {
    const { id } = await propose(shop, basket);
    const reply = await shop.patch(`/proforma_orders/${id}`, body);
    expect([reply.status, reply.body]).toEqual([422, { errors: { ProformaOrders: [`API.ProformaOrders.${rule}`] } }]);
    expect((await shop.get(`/proforma_orders/${id}`)).body.data).toMatchObject({ tags: [], comment: null });
  });
});

describe.each(['put', 'patch'] as const)('resolving alerts by %s', (method) => {
  const editAlerts = async (alerts: unknown) => {
    const { id } = await propose(shop, basket);
    await shop.post(`/proforma_orders/${id}/pay`, {
      payment: { payment_method_id: await methodId(shop, 'cash'), amount: 0 },
    });
    api.clock.forward({ hours: 73 });
    const reply = await shop[method](`/proforma_orders/${id}`, { comment: 'new', alerts });
    const { comment, open_alerts_count: open } = (await shop.get(`/proforma_orders/${id}`)).body.data;
    return { answer: [reply.status, reply.status === 200 || reply.body], comment, open };
  };
  const unchangedState = { comment: null, open: 1 };

  it.each([
    [5],
    ['x'],
    [true],
    [{ index: 0, resolved: true }],
    [[5]],
    [[null]],
    [[[]]],
    [[{ index: '0', resolved: true }]],
    [[{ index: 0.5, resolved: true }]],
    [[{ index: [0], resolved: true }]],
    [[{ index: 0, resolved: 'true' }]],
    [[{ index: 0, resolved: 1 }]],
    [[{ index: 0, resolved: true }, 'x']],
  ])('returns 400 for %j', async (alerts) => {
    expect(await editAlerts(alerts)).toEqual({
      answer: [400, { errors: { detail: 'Bad Request' } }],
      ...unchangedState,
    });
  });

  it.each([
    ['without an index', [{ resolved: true }], { 'alerts.0.index': ["can't be blank"] }],
    ['with a null index', [{ index: null, resolved: true }], { 'alerts.0.index': ["can't be blank"] }],
    ['with resolved: false', [{ index: 0, resolved: false }], { 'alerts.0.resolved': ['is invalid'] }],
    ['without a resolution', [{ index: 0 }], { 'alerts.0.resolved': ['is invalid'] }],
    ['with a null resolution', [{ index: 0, resolved: null }], { 'alerts.0.resolved': ['is invalid'] }],
    [
      'with an empty second alert',
      [{ index: 0, resolved: true }, {}],
      { 'alerts.1.index': ["can't be blank"], 'alerts.1.resolved': ['is invalid'] },
    ],
  ])('refuses alerts %s with an error for the field', async (_, alerts, errors) => {
    expect(await editAlerts(alerts)).toEqual({ answer: [422, { errors }], ...unchangedState });
  });

  it.each([1, -1, 2 ** 53, 1e20, -1e20])('returns API.ProformaOrders.AlertNotFound for the index %d', async (index) => {
    const errors = { ProformaOrders: ['API.ProformaOrders.AlertNotFound'] };
    expect(await editAlerts([{ index, resolved: true }])).toEqual({ answer: [422, { errors }], ...unchangedState });
  });

  it.each([null, undefined])('treats the alerts %p as absent', async (alerts) => {
    expect(await editAlerts(alerts)).toEqual({ answer: [200, true], comment: 'new', open: 1 });
  });

  it('resolves an alert', async () => {
    expect(await editAlerts([{ index: 0, resolved: true }])).toEqual({ answer: [200, true], comment: 'new', open: 0 });
  });
});

describe('an unknown proforma', () => {
  it.each(['0', '-1', '1', 'abc', '99999999999999999999', '1e3', '%00', '1%20'])(
    'returns 404 and an empty body for the id %s',
    async (id) => {
      const otherApp = await api.app();
      const replies = [
        await otherApp.get(`/proforma_orders/${id}`),
        await otherApp.post(`/proforma_orders/${id}/pay`, { payment: { payment_method_id: 1, amount: 1 } }),
        await otherApp.post(`/proforma_orders/${id}/pay`, { payment: {} }),
        await otherApp.post(`/proforma_orders/${id}/pay`, { payment: { payment_method_id: 1, amount: 0.001 } }),
        await otherApp.post(`/proforma_orders/${id}/warehouse_confirm`),
        await otherApp.post(`/proforma_orders/${id}/convert`),
        await otherApp.patch(`/proforma_orders/${id}`, { tags: 5 }),
        await otherApp.patch(`/proforma_orders/${id}`, { alerts: [{}] }),
        await otherApp.delete(`/proforma_orders/${id}`),
      ];
      for (const { status, text } of replies) expect([status, text]).toEqual([404, '']);
    },
  );
});

describe('an overdue proforma before the sweep', () => {
  it('expires at the first call with its id, and the call is refused', async () => {
    const { id } = await propose(shop, basket);
    await shop.post(`/proforma_orders/${id}/pay`, {
      payment: { payment_method_id: await methodId(shop, 'cash'), amount: 33.33 },
    });
    api.clock.forward({ hours: 72 });
    const refusedReply = await shop.post(`/proforma_orders/${id}/warehouse_confirm`);
    expect(refusedReply.body).toEqual({ errors: { ProformaOrders: ['API.ProformaOrders.AlreadyFinal'] } });
    const { data } = (await shop.get(`/proforma_orders/${id}`)).body;
    expect(data).toMatchObject({ proforma_status: 'expired', canceled: true, cancel_reason: 'expired', paid: 0 });
    expect(data.payments[1]).toMatchObject({ amount: -33.33, payment_status: 'refunded' });
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 0, available: 10 });
  });

  it('expires when it is read', async () => {
    const { id } = await propose(shop, basket);
    api.clock.forward({ hours: 71 });
    expect((await shop.get(`/proforma_orders/${id}`)).body.data).toMatchObject({
      proforma_status: 'draft',
      expires_in_seconds: 3600,
    });
    api.clock.forward({ hours: 1 });
    expect((await shop.get(`/proforma_orders/${id}`)).body.data).toMatchObject({ proforma_status: 'expired' });
  });

  it('stays open with one alert when it is paid', async () => {
    const { id } = await propose(shop, basket);
    await shop.post(`/proforma_orders/${id}/pay`, {
      payment: { payment_method_id: await methodId(shop, 'cash'), amount: 0 },
    });
    api.clock.forward({ hours: 73 });
    await shop.get(`/proforma_orders/${id}`);
    const { data } = (await shop.get(`/proforma_orders/${id}`)).body;
    expect(data).toMatchObject({
      proforma_status: 'paid',
      alerts_count: 1,
      open_alerts_count: 1,
      expires_in_seconds: 0,
    });
    const resolveReply = await shop.patch(`/proforma_orders/${id}`, { alerts: [{ index: 0, resolved: true }] });
    expect(resolveReply.body.data).toMatchObject({
      open_alerts_count: 0,
      alerts: [{ kind: 'paid_not_converted', resolved: true }],
    });
  });

  it('accepts a raised line after the deadline, then expires at the next call', async () => {
    const { id, items } = await propose(shop, [{ code: 'A', qty: 3 }]);
    const adjust = async (qty: number) => {
      const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: qty }];
      return (await shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments })).body.data;
    };
    const payment = { payment_method_id: await methodId(shop, 'cash'), amount: 0 };
    await shop.post(`/proforma_orders/${id}/pay`, { payment });
    api.clock.forward({ hours: 73 });
    expect(await adjust(1)).toMatchObject({ proforma_status: 'partial_confirmed', debt: 0 });
    const raisedProforma = await adjust(3);
    expect(raisedProforma).toMatchObject({
      proforma_status: 'confirmed',
      debt: 200,
      expires_in_seconds: 0,
      payment_instructions: { amount: 0, qr: null },
    });
    expect(Date.parse(`${raisedProforma.expires_at}Z`)).toBeLessThan(api.clock.now().getTime());
    expect((await shop.get(`/proforma_orders/${id}`)).body.data).toMatchObject({
      proforma_status: 'expired',
      expires_at: raisedProforma.expires_at,
    });
    expect(await stockOf(shop, 'A')).toMatchObject({ reserved: 0 });
  });

  it('has a deadline from the lifetime setting of the app', async () => {
    await shop.patch('/app/settings', { proforma: { lifetime_hours: 1 } });
    const { processing_date: from, expires_at: until } = await propose(shop, basket);
    expect(Date.parse(until) - Date.parse(from)).toBe(3_600_000);
  });
});
