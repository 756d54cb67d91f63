import {
  evaluate,
  GUEST,
  methodId,
  newCustomer,
  NO_PAYMENT_SOURCE,
  propose,
  setUp,
  stockShop,
} from '../testing/shop.js';
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
  service.receivedRefunds.length = 0;
  shop = await api.app();
  await stockShop(shop, [
    { code: 'A', price: 100, stock: 1_000 },
    { code: 'B', price: 50, vat: 10, stock: 1_000 },
    { code: 'C', price: 10, stock: 1_000 },
  ]);
});

const itemsOf = (basket: Readonly<Record<string, number>>) =>
  Object.entries(basket).map(([code, qty]) => ({ code, qty }));
const post = (basket: Readonly<Record<string, number>>, fields: object = {}): Promise<Reply> =>
  shop.post('/order_processings', { order_processing: { items: itemsOf(basket), ...fields } });
const evaluateBasket = async (basket: Readonly<Record<string, number>>, fields: object = {}) => {
  const { status, body } = await post(basket, fields);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data;
};
const expectRefused = async (fields: object): Promise<unknown> => {
  const { status, body } = await post({ A: 1 }, fields);
  expect(status).toBe(422);
  return body.errors;
};
const createProforma = (id: number): Promise<Reply> => shop.post('/proforma_orders', { order_processing_id: id });
const getProforma = async (id: number) => (await shop.get(`/proforma_orders/${id}`)).body.data;
const promotion = (code: string, fields: object) => ({
  code,
  name: `Offer ${code}`,
  kind: 'percentage',
  value: 10,
  ...fields,
});
const setPromotions = (...rows: readonly object[]) => setUp(shop, 'promotions', rows);
const dateTimeAfter = (hours: number): string =>
  new Date(api.clock.now().getTime() + hours * 3_600_000).toISOString().slice(0, 19);
const lineAmounts = ({ items }: { items: readonly Record<'sales' | 'discount' | 'end_sales', number>[] }) =>
  items.map(({ sales, discount, end_sales }) => [sales, discount, end_sales]);

interface Payment {
  readonly amount: number;
  readonly payment_method: string;
  readonly payment_status: string;
}
const summarizePayments = (proforma: { payments: readonly Payment[] }) =>
  proforma.payments.map((payment) => [payment.payment_method, payment.amount, payment.payment_status]);

describe('a percentage promotion', () => {
  it('splits a discount of the basket over its lines by largest remainder', async () => {
    await setPromotions(promotion('TEN', { value: 10.01 }));
    const evaluation = await evaluateBasket({ A: 1, B: 1, C: 1 });
    // 16.016 is 10.01 % of 160: 10.01 + 5.005 + 1.001. The second line gets the remaining 0.01.
    expect(lineAmounts(evaluation)).toEqual([
      [100, 10.01, 89.99],
      [50, 5.01, 44.99],
      [10, 1, 9],
    ]);
    expect(evaluation).toMatchObject({
      sales: 160,
      discount: 16.02,
      end_sales: 143.98,
      // 98.99 × 20/120 + 44.99 × 10/110, rounded per rate
      vat: 20.59,
      net_sales: 123.39,
      promotions: [{ code: 'TEN', name: 'Offer TEN', amount: 16.02 }],
    });
    expect(evaluation.items[1].promotions).toEqual([{ code: 'TEN', name: 'Offer TEN', amount: 5.01 }]);
  });

  it('reduces only its variants', async () => {
    await setPromotions(promotion('A25', { value: 25, variant_codes: ['A', 'C'] }));
    expect(lineAmounts(await evaluateBasket({ A: 2, B: 1 }))).toEqual([
      [200, 50, 150],
      [50, 0, 50],
    ]);
  });
});

describe('an amount promotion', () => {
  it('reduces the basket once, and splits the reduction by largest remainder', async () => {
    await setPromotions(promotion('OFF', { kind: 'amount', value: 30.01 }));
    expect(lineAmounts(await evaluateBasket({ A: 2, B: 1 }))).toEqual([
      [200, 24.01, 175.99],
      [50, 6, 44],
    ]);
  });
});

describe('buy x get y', () => {
  const buyTwoGetOne = (fields: object = {}) =>
    promotion('3FOR2', { kind: 'buy_x_get_y', value: null, buy_qty: 2, get_qty: 1, ...fields });

  it.each([
    [{ A: 1, B: 1 }, 0],
    [{ A: 2, B: 1 }, 50],
    [{ A: 4, B: 1 }, 50],
    [{ A: 5, B: 1 }, 150],
    [{ A: 3, C: 3 }, 20],
  ])('counts the pieces of all lines together and makes the cheapest pieces free: %j', async (basket, discount) => {
    await setPromotions(buyTwoGetOne());
    expect(await evaluateBasket(basket)).toMatchObject({ discount });
  });
});

describe('several promotions', () => {
  const amountOf20 = { kind: 'amount', value: 20 };

  it('apply by priority, each to the amount that earlier promotions leave', async () => {
    await setPromotions(promotion('X', { priority: 1 }), promotion('Y', { ...amountOf20, priority: 2 }));
    expect(await evaluateBasket({ A: 1 })).toMatchObject({
      discount: 30,
      promotions: [
        { code: 'X', amount: 10 },
        { code: 'Y', amount: 20 },
      ],
    });
    await setPromotions({ code: 'Y', priority: -1 });
    expect(await evaluateBasket({ A: 1 })).toMatchObject({
      discount: 28,
      promotions: [
        { code: 'Y', amount: 20 },
        { code: 'X', amount: 8 },
      ],
    });
  });
});

describe('the conditions of a promotion', () => {
  const discountOf = async (basket: Readonly<Record<string, number>>) => (await evaluateBasket(basket)).discount;

  it('compare min_qty with the number of pieces of its variants', async () => {
    await setPromotions(promotion('P', { variant_codes: ['A'], min_qty: 2 }));
    expect(await discountOf({ A: 1, B: 5 })).toBe(0);
    expect(await discountOf({ A: 2 })).toBe(20);
  });

  it('compare min_amount with the sum of items before discounts', async () => {
    await setPromotions(
      promotion('FIRST', { value: 50, priority: -1 }),
      promotion('P', { kind: 'amount', value: 1, min_amount: 150 }),
    );
    expect(await discountOf({ A: 1 })).toBe(50);
    expect(await discountOf({ A: 1, B: 1 })).toBe(76);
  });

  it('exclude a promotion of another app', async () => {
    await setUp(await api.app(), 'promotions', [promotion('P', {})]);
    expect(await discountOf({ A: 1 })).toBe(0);
  });
});

describe('a coupon', () => {
  const COUPON_NOT_FOUND = { Promotions: ['API.Promotions.CouponNotFound'] };

  it('applies only the promotion that requires this coupon', async () => {
    await setPromotions(
      promotion('P', { coupon_code: 'SUMMER' }),
      promotion('Q', { coupon_code: 'WINTER', value: 50 }),
    );
    expect((await evaluateBasket({ A: 1 })).discount).toBe(0);
    expect((await evaluateBasket({ A: 1 }, { coupon_codes: ['SUMMER', 'SUMMER'] })).discount).toBe(10);
    expect((await evaluateBasket({ A: 1 }, { coupon_codes: ['WINTER', 'SUMMER'] })).discount).toBe(55);
  });

  it.each([
    ['without a promotion', {}, 'WINTER'],
    ['of an inactive promotion', { active: false }, 'SUMMER'],
    ['before its window', { valid_from: '2099-01-01' }, 'SUMMER'],
    ['after its window', { valid_until: '2001-01-01' }, 'SUMMER'],
  ])('fails with API.Promotions.CouponNotFound %s', async (_, fields, coupon) => {
    await setPromotions(promotion('P', { coupon_code: 'SUMMER', ...fields }));
    expect(await expectRefused({ coupon_codes: [coupon] })).toEqual(COUPON_NOT_FOUND);
  });

  it('fails with API.Promotions.CouponNotFound when it belongs to another app', async () => {
    await setUp(await api.app(), 'promotions', [promotion('P', { coupon_code: 'SUMMER' })]);
    expect(await expectRefused({ coupon_codes: ['SUMMER'] })).toEqual(COUPON_NOT_FOUND);
  });
});

describe('the shipment fee', () => {
  const courierMethod = { code: 'courier', name: 'Courier', price: 30.5, vat_rate: 20, free_from: 180 };
  const byCourier = { shipment_method_code: 'courier' };
  beforeEach(() => setUp(shop, 'shipment_methods', [courierMethod]));

  it('is a line with its own VAT rate, which basket promotions do not reduce', async () => {
    await setPromotions(promotion('TEN', {}));
    const evaluation = await evaluateBasket({ B: 1 }, byCourier);
    expect(evaluation.fee_items).toEqual([
      {
        kind: 'shipment',
        name: 'Courier',
        qty: 1,
        price: 30.5,
        vat_rate: 20,
        sales: 30.5,
        discount: 0,
        end_sales: 30.5,
      },
    ]);
    expect(evaluation).toMatchObject({ sales: 80.5, discount: 5, end_sales: 75.5, vat: 9.17, net_sales: 66.33 });
    expect(await propose(shop, itemsOf({ B: 1 }), byCourier)).toMatchObject({
      fee_items: evaluation.fee_items,
      end_sales: 75.5,
      delivery_area: { shipment_method_code: 'courier', pickup_point_code: null },
      tax_brackets: [
        { vat_rate: 10, gross: 45 },
        { vat_rate: 20, gross: 30.5 },
      ],
    });
  });

  it('is waived when the discounted items reach free_from', async () => {
    expect((await evaluateBasket({ A: 1, B: 1, C: 2 }, byCourier)).fee_items).toMatchObject([{ price: 30.5 }]);
    expect((await evaluateBasket({ A: 1, B: 1, C: 3 }, byCourier)).fee_items).toMatchObject([
      { price: 0, end_sales: 0 },
    ]);
    await setPromotions(promotion('TEN', {}));
    expect(await evaluateBasket({ A: 1, B: 1, C: 3 }, byCourier)).toMatchObject({
      fee_items: [{ price: 30.5 }],
      end_sales: 192.5,
    });
    expect(await evaluateBasket({ A: 2 }, byCourier)).toMatchObject({ fee_items: [{ price: 0 }], end_sales: 180 });
  });

  it.each(['Courier', 'post'])('fails with API.ShipmentMethods.NotFound for the code %s', async (code) => {
    await setUp(await api.app(), 'shipment_methods', [{ ...courierMethod, code: 'post' }]);
    expect(await expectRefused({ shipment_method_code: code })).toEqual({
      ShipmentMethods: ['API.ShipmentMethods.NotFound'],
    });
  });
});

describe('the pickup point', () => {
  const lockerMethod = {
    code: 'locker',
    name: 'Locker',
    price: 0,
    vat_rate: 20,
    requires_pickup_point: true,
    pickup_points: [
      { code: 'P1', name: 'Station', available: true },
      { code: 'P2', name: 'Market', available: false },
    ],
  };
  const evaluateForPoint = (point?: string) =>
    evaluate(shop, itemsOf({ A: 1 }), { shipment_method_code: 'locker', pickup_point_code: point });
  beforeEach(() => setUp(shop, 'shipment_methods', [lockerMethod]));
  const createAndReadPoint = async (id: number) => {
    const { status, body } = await createProforma(id);
    return status === 201 ? body.data.delivery_area.pickup_point_code : body.errors.ShipmentMethods;
  };

  it('is kept when it is available', async () => {
    expect(await createAndReadPoint(await evaluateForPoint('P1'))).toBe('P1');
  });

  it.each([undefined, null, ''])('fails with API.ShipmentMethods.PickupPointRequired for %j', async (point) => {
    expect(await createAndReadPoint(await evaluateForPoint(point as string))).toEqual([
      'API.ShipmentMethods.PickupPointRequired',
    ]);
  });

  it.each(['P2', 'P3', 'p1'])('fails with API.ShipmentMethods.PickupPointUnavailable for %s', async (point) => {
    expect(await createAndReadPoint(await evaluateForPoint(point))).toEqual([
      'API.ShipmentMethods.PickupPointUnavailable',
    ]);
  });

  it('is checked when the proforma is made, not before', async () => {
    const [id, laterEvaluation] = [await evaluateForPoint('P1'), await evaluateForPoint('P2')];
    const points = [{ code: 'P2', name: 'Market', available: true }];
    await setUp(shop, 'shipment_methods', [{ code: 'locker', pickup_points: points }]);
    expect(await createAndReadPoint(id)).toEqual(['API.ShipmentMethods.PickupPointUnavailable']);
    expect(await createAndReadPoint(laterEvaluation)).toBe('P2');
  });
});

describe('a promotion that had no effect when the proforma was made', () => {
  it('applies when the warehouse confirms fewer pieces', async () => {
    await stockShop(shop, [
      { code: 'P', price: 10, stock: 10 },
      { code: 'D', price: 5, stock: 10 },
    ]);
    await setPromotions(
      promotion('ONE', {
        kind: 'buy_x_get_y',
        value: 100,
        buy_qty: 1,
        get_qty: 2,
        variant_codes: ['P', 'D'],
        coupon_code: 'C1',
        priority: 1,
      }),
      promotion('TWO', { value: 50, variant_codes: ['D', 'Z'], coupon_code: 'C1', priority: 2 }),
    );
    const evaluation = await evaluateBasket({ P: 1, D: 2 }, { guest: GUEST, coupon_codes: ['C1'] });
    expect(evaluation).toMatchObject({ end_sales: 10, promotions: [{ code: 'ONE', amount: 10 }] });
    const { id, items } = (await createProforma(evaluation.id)).body.data;
    const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 0 }];
    await setPromotions(promotion('TWO', { value: 10, variant_codes: ['D'], coupon_code: 'C1', priority: 2 }));
    const { body } = await shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments });
    expect(body.data).toMatchObject({ sales: 10, discount: 5, end_sales: 5 });
    expect(body.data.items[1].promotions).toEqual([{ code: 'TWO', name: 'Offer TWO', amount: 5 }]);
  });
});

describe('the frozen terms of an evaluation', () => {
  it('are shown by the proforma after promotions, fees and prices changed', async () => {
    await setPromotions(promotion('TEN', {}), promotion('C', { coupon_code: 'SUMMER', priority: 1 }));
    await setUp(shop, 'shipment_methods', [{ code: 'post', name: 'Post', price: 20, vat_rate: 20 }]);
    const fields = { shipment_method_code: 'post', coupon_codes: ['SUMMER'] };
    const { id, ...evaluation } = await evaluateBasket(
      { A: 2, B: 1 },
      { ...fields, guest: undefined, ...(await newCustomer(shop, 'm@example.com')) },
    );
    await setPromotions({ code: 'TEN', value: 90 }, { code: 'C', active: false }, promotion('NEW', { value: 99 }));
    await setUp(shop, 'shipment_methods', [{ code: 'post', name: 'Dearer', price: 99 }]);
    await shop.post('/int/products', { products: [{ code: 'A', price: 1 }] });
    const { data } = (await createProforma(id)).body;
    expect(data).toMatchObject({
      sales: evaluation.sales,
      discount: 47.5,
      net_sales: evaluation.net_sales,
      vat: evaluation.vat,
      end_sales: 222.5,
      fee_items: evaluation.fee_items,
      items: evaluation.items,
    });
  });

  it('are returned by GET /order_processings/{id}', async () => {
    await setPromotions(promotion('TEN', {}));
    await setUp(shop, 'vouchers', [{ code: 'V', amount: 30 }]);
    await setUp(shop, 'shipment_methods', [{ code: 'post', name: 'Post', price: 20, vat_rate: 20 }]);
    const evaluation = await evaluateBasket({ A: 1, B: 2 }, { shipment_method_code: 'post', voucher_codes: ['V'] });
    await setPromotions({ code: 'TEN', active: false });
    await propose(shop, itemsOf({ A: 1 }), { voucher_codes: ['V'] });
    expect((await shop.get(`/order_processings/${evaluation.id}`)).body.data).toEqual(evaluation);
  });

  it('price a partly confirmed proforma, without checking conditions again', async () => {
    await setPromotions(
      promotion('TEN', { min_qty: 4, min_amount: 400, coupon_code: 'SUMMER', valid_until: dateTimeAfter(1) }),
      promotion('OFF', { kind: 'amount', value: 60, priority: 1 }),
      promotion('3FOR2', { kind: 'buy_x_get_y', value: 100, buy_qty: 2, get_qty: 1, variant_codes: ['B'] }),
    );
    await setUp(shop, 'shipment_methods', [{ code: 'post', name: 'Post', price: 20, vat_rate: 20, free_from: 300 }]);
    const fields = { coupon_codes: ['SUMMER'], shipment_method_code: 'post' };
    const proforma = await propose(shop, itemsOf({ A: 4, B: 3 }), fields);
    expect(proforma).toMatchObject({ sales: 550, discount: 160, end_sales: 390, fee_items: [{ price: 0 }] });
    await setPromotions({ code: 'TEN', value: 90 }, { code: 'OFF', active: false }, { code: '3FOR2', value: 1 });
    api.clock.forward({ hours: 2 });
    const [a, b] = proforma.items;
    const adjustments = [
      { proforma_order_item_id: a.proforma_order_item_id, qty_confirmed: 1 },
      { proforma_order_item_id: b.proforma_order_item_id, qty_confirmed: 2 },
    ];
    const { data } = (await shop.post(`/proforma_orders/${proforma.id}/warehouse_confirm`, { adjustments })).body;
    // 100 + 100, less 10 %, less 60. Two pieces of B earn no free piece.
    expect(data).toMatchObject({ proforma_status: 'partial_confirmed', sales: 200, discount: 80, end_sales: 120 });
    expect(data.fee_items).toMatchObject([{ price: 0 }]);
    const confirmedProforma = (await shop.post(`/proforma_orders/${proforma.id}/warehouse_confirm`)).body.data;
    expect(confirmedProforma).toMatchObject({ proforma_status: 'confirmed', discount: 160, end_sales: 390 });
    expect((await shop.post(`/proforma_orders/${proforma.id}/convert`)).body.data).toMatchObject({
      discount: 160,
      end_sales: 390,
      items: confirmedProforma.items.map(({ code, promotions }: Record<string, unknown>) => ({ code, promotions })),
    });
  });
});

describe('a voucher', () => {
  const VOUCHER_NOT_AVAILABLE = { Vouchers: ['API.Vouchers.NotAvailable'] };
  const VOUCHER_CODES = { voucher_codes: ['V'] };
  const getVoucher = async (code = 'V') =>
    (await shop.get('/vouchers?limit=100')).body.data.find((candidate: { code: string }) => candidate.code === code);
  const issueVoucher = (amount: number, fields: object = {}) =>
    setUp(shop, 'vouchers', [{ code: 'V', amount, ...fields }]);
  const pay = async (id: number, amount = 0) => {
    const payment = { payment_method_id: await methodId(shop, 'cash'), amount };
    return (await shop.post(`/proforma_orders/${id}/pay`, { payment })).body.data;
  };

  it('appears in the evaluation, but is not reserved by it', async () => {
    await issueVoucher(60);
    for (let round = 0; round < 2; round += 1) {
      expect(await evaluateBasket({ A: 1 }, VOUCHER_CODES)).toMatchObject({
        vouchers: [{ code: 'V', amount: 60 }],
        end_sales: 100,
      });
    }
    expect((await evaluateBasket({ B: 1 }, VOUCHER_CODES)).vouchers).toEqual([{ code: 'V', amount: 50 }]);
    expect(await getVoucher()).toMatchObject({ spent: 0, proforma_order_id: null });
  });

  it('is reserved by the new proforma, which shows it as a settled payment', async () => {
    await issueVoucher(60);
    const proforma = await propose(shop, itemsOf({ A: 1 }), VOUCHER_CODES);
    expect(proforma).toMatchObject({
      proforma_status: 'draft',
      paid: 60,
      debt: 40,
      payment_instructions: { amount: 40 },
    });
    expect(proforma.payments).toEqual([
      {
        id: expect.any(Number),
        amount: 60,
        payment_method: 'voucher',
        payment_method_id: null,
        payment_status: 'settled',
        payment_date: dateTimeAfter(0),
        finalized: true,
        ...NO_PAYMENT_SOURCE,
      },
    ]);
    expect(await getVoucher()).toMatchObject({ spent: 0, proforma_order_id: proforma.id });
    expect(await getProforma(proforma.id)).toEqual(proforma);
  });

  it('pays after earlier vouchers, and is not reserved when earlier vouchers suffice', async () => {
    await setUp(
      shop,
      'vouchers',
      ['X', 'Y', 'Z'].map((code) => ({ code, amount: 60 })),
    );
    const proforma = await propose(shop, itemsOf({ A: 1 }), { voucher_codes: ['Y', 'X', 'Z', 'Y'] });
    expect(summarizePayments(proforma)).toEqual([
      ['voucher', 60, 'settled'],
      ['voucher', 40, 'settled'],
    ]);
    expect(
      [await getVoucher('X'), await getVoucher('Y'), await getVoucher('Z')].map(
        (heldVoucher) => heldVoucher.proforma_order_id,
      ),
    ).toEqual([proforma.id, proforma.id, null]);
  });

  it.each([
    ['unknown', 100, { code: 'W' }],
    ['before its window', 100, { valid_from: '2099-01-01' }],
    ['after its window', 100, { valid_until: '2001-01-01' }],
  ])('fails with API.Vouchers.NotAvailable when it is %s', async (_, amount, fields) => {
    await issueVoucher(amount, fields);
    expect(await expectRefused(VOUCHER_CODES)).toEqual(VOUCHER_NOT_AVAILABLE);
  });

  it('fails with API.Vouchers.NotAvailable when it belongs to another app', async () => {
    await setUp(await api.app(), 'vouchers', [{ code: 'V', amount: 5 }]);
    expect(await expectRefused(VOUCHER_CODES)).toEqual(VOUCHER_NOT_AVAILABLE);
  });

  it('fails with API.Vouchers.NotAvailable when it has changed since the evaluation', async () => {
    const mira = await newCustomer(shop, 'mira@example.com');
    for (const change of [{ customer_id: mira.customer_id }, { active: false }, { valid_until: dateTimeAfter(-1) }]) {
      await issueVoucher(60, { customer_id: null, active: true, valid_until: null });
      const id = await evaluate(shop, itemsOf({ A: 1 }), VOUCHER_CODES);
      await setUp(shop, 'vouchers', [{ code: 'V', ...change }]);
      const { status, body } = await createProforma(id);
      expect([status, body.errors]).toEqual([422, VOUCHER_NOT_AVAILABLE]);
    }
  });

  it('fails with API.Vouchers.NotAvailable while another proforma has reserved it', async () => {
    await issueVoucher(60);
    const earlyEvaluation = await evaluate(shop, itemsOf({ A: 1 }), VOUCHER_CODES);
    const reservingProforma = await propose(shop, itemsOf({ A: 1 }), VOUCHER_CODES);
    expect(await expectRefused(VOUCHER_CODES)).toEqual(VOUCHER_NOT_AVAILABLE);
    const { status, body } = await createProforma(earlyEvaluation);
    expect([status, body.errors]).toEqual([422, VOUCHER_NOT_AVAILABLE]);
    await shop.delete(`/proforma_orders/${reservingProforma.id}`);
    expect((await createProforma(earlyEvaluation)).status).toBe(201);
  });

  it('fails with API.Vouchers.NotAvailable when it has a smaller balance than at the evaluation', async () => {
    await issueVoucher(100);
    const [largeEvaluation, smallEvaluation] = [
      await evaluate(shop, itemsOf({ A: 1 }), VOUCHER_CODES),
      await evaluate(shop, itemsOf({ B: 1 }), VOUCHER_CODES),
    ];
    const { id } = await propose(shop, itemsOf({ B: 1 }), VOUCHER_CODES);
    await shop.post(`/proforma_orders/${id}/convert`);
    const { status, body } = await createProforma(largeEvaluation);
    expect([status, body.errors]).toEqual([422, VOUCHER_NOT_AVAILABLE]);
    expect((await createProforma(smallEvaluation)).body.data).toMatchObject({ paid: 50 });
  });

  it('does not deadlock when proformas use two vouchers in opposite orders', async () => {
    await setUp(
      shop,
      'vouchers',
      ['X', 'Y'].map((code) => ({ code, amount: 10 })),
    );
    const codeSequences = [
      ['X', 'Y'],
      ['Y', 'X'],
    ];
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        evaluate(shop, itemsOf({ A: 1 }), { voucher_codes: codeSequences[index % 2] }),
      ),
    );
    const statuses = (await Promise.all(ids.map(createProforma))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 422)).toHaveLength(19);
  });

  it('is released by a cancellation, without the payment service', async () => {
    await issueVoucher(60);
    const { id } = await propose(shop, itemsOf({ A: 1 }), VOUCHER_CODES);
    await shop.delete(`/proforma_orders/${id}`);
    expect(await getVoucher()).toMatchObject({ spent: 0, proforma_order_id: null });
    expect(summarizePayments(await getProforma(id))).toEqual([
      ['voucher', 60, 'settled'],
      ['voucher', -60, 'refunded'],
    ]);
    expect(service.receivedRefunds).toEqual([]);
    expect((await evaluateBasket({ A: 1 }, VOUCHER_CODES)).vouchers).toEqual([{ code: 'V', amount: 60 }]);
  });

  it('is released when a read expires its overdue proforma', async () => {
    await issueVoucher(60);
    const { id } = await propose(shop, itemsOf({ A: 1 }), VOUCHER_CODES);
    api.clock.forward({ hours: 72 });
    expect(await getProforma(id)).toMatchObject({ proforma_status: 'expired', paid: 0 });
    expect(await getVoucher()).toMatchObject({ spent: 0, proforma_order_id: null });
    expect(service.receivedRefunds).toEqual([]);
  });

  it('stays with a paid proforma unless the app expires paid proformas', async () => {
    await issueVoucher(100);
    const { id } = await propose(shop, itemsOf({ A: 1 }), VOUCHER_CODES);
    api.clock.forward({ hours: 72 });
    expect(await getProforma(id)).toMatchObject({ proforma_status: 'paid', alerts: [{ kind: 'paid_not_converted' }] });
    expect(await getVoucher()).toMatchObject({ proforma_order_id: id });
    await shop.patch('/app/settings', { proforma: { expire_paid: true } });
    expect((await shop.post(`/proforma_orders/${id}/warehouse_confirm`)).status).toBe(422);
    expect(await getProforma(id)).toMatchObject({ proforma_status: 'expired', paid: 0 });
    expect(await getVoucher()).toMatchObject({ spent: 0, proforma_order_id: null });
  });

  it('is released by the sweep when the app later expires paid proformas', async () => {
    await issueVoucher(100);
    const { id } = await propose(shop, itemsOf({ A: 1 }), VOUCHER_CODES);
    const sweep = api.container.get(TOKENS.ExpirySweep);
    api.clock.forward({ hours: 72 });
    await sweep.run();
    expect(await getProforma(id)).toMatchObject({ proforma_status: 'paid', open_alerts_count: 1 });
    await shop.patch('/app/settings', { proforma: { expire_paid: true } });
    await sweep.run();
    expect((await shop.get('/proforma_orders?status=expired')).body.data).toMatchObject([{ id }]);
    expect(await getVoucher()).toMatchObject({ spent: 0, proforma_order_id: null });
  });

  it('is refunded after all other payments, without the payment service', async () => {
    await issueVoucher(60);
    const { id, items } = await propose(shop, itemsOf({ A: 2 }), VOUCHER_CODES);
    await pay(id, 100);
    api.clock.forward({ seconds: 1 });
    await pay(id, 40);
    const confirmQuantity = async (qty: number) => {
      const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: qty }];
      return (await shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments })).body.data;
    };
    const partlyConfirmedProforma = await confirmQuantity(1);
    expect(partlyConfirmedProforma).toMatchObject({ end_sales: 100, paid: 100, debt: 0 });
    expect(summarizePayments(partlyConfirmedProforma).slice(3)).toEqual([
      ['Cash', -40, 'refunded'],
      ['Cash', -60, 'refunded'],
    ]);
    expect(await getVoucher()).toMatchObject({ spent: 0, proforma_order_id: id });
    const unconfirmedProforma = await confirmQuantity(0);
    expect(summarizePayments(unconfirmedProforma).slice(5)).toEqual([
      ['Cash', -40, 'refunded'],
      ['voucher', -60, 'refunded'],
    ]);
    expect(service.receivedRefunds.map(({ payment_method: method, amount }) => `${method} ${amount}`).sort()).toEqual([
      'Cash 40',
      'Cash 40',
      'Cash 60',
    ]);
  });

  it('pays again when the warehouse raises the confirmed quantity', async () => {
    await issueVoucher(500);
    const { id, items } = await propose(shop, itemsOf({ A: 5 }), VOUCHER_CODES);
    const confirmQuantity = async (qty: number) => {
      const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: qty }];
      return (await shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments })).body.data;
    };
    await confirmQuantity(2);
    const correctedProforma = await confirmQuantity(4);
    expect(correctedProforma).toMatchObject({ end_sales: 400, paid: 400, debt: 0 });
    expect(summarizePayments(correctedProforma)).toEqual([
      ['voucher', 500, 'settled'],
      ['voucher', -300, 'refunded'],
      ['voucher', 200, 'settled'],
    ]);
    expect(await confirmQuantity(5)).toMatchObject({ end_sales: 500, paid: 500 });
    expect(await confirmQuantity(4)).toMatchObject({ end_sales: 400, paid: 400 });
    const order = (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    expect(order).toMatchObject({ paid: 400, debt: 0, payment_status: 'paid' });
    expect(await getVoucher()).toMatchObject({ amount: 500, spent: 400, proforma_order_id: null });
  });
});

describe('loyalty points', () => {
  const readPoints = async ({ customer_id: id, data_part, time_part }: Record<string, number>) =>
    (await shop.get(`/customers/${id}?dataPart=${data_part}&timePart=${time_part}`)).body.data.loyalty_points;
  const setPointsPerAmount = async (amount: number) => {
    const { status } = await shop.patch('/app/settings', { loyalty: { points_per_amount: amount } });
    expect(status).toBe(200);
  };

  it('are booked only once by 20 concurrent conversions', async () => {
    await setPointsPerAmount(100);
    const mira = await newCustomer(shop, 'mira@example.com');
    const { id } = await propose(shop, itemsOf({ A: 2, B: 1 }), { ...mira, guest: undefined });
    expect(await readPoints(mira)).toBe(0);
    const replies = await Promise.all(Array.from({ length: 20 }, () => shop.post(`/proforma_orders/${id}/convert`)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await readPoints(mira)).toBe(2);
  });

  it('add up over all proformas of a customer', async () => {
    await setPointsPerAmount(31);
    await setPromotions(promotion('TEN', {}));
    const mira = await newCustomer(shop, 'mira@example.com');
    const proformas = await Promise.all(
      Array.from({ length: 5 }, () => propose(shop, itemsOf({ A: 1 }), { ...mira, guest: undefined })),
    );
    await Promise.all(proformas.map(({ id }) => shop.post(`/proforma_orders/${id}/convert`)));
    // Each order earns 90 / 31 = 2 points; without the discount it would earn 3.
    expect(await readPoints(mira)).toBe(10);
  });

  it('are not earned by unconfirmed lines or cancelled proformas', async () => {
    await setPointsPerAmount(100);
    const mira = await newCustomer(shop, 'mira@example.com');
    const { id, items } = await propose(shop, itemsOf({ A: 3 }), { ...mira, guest: undefined });
    const canceledProforma = await propose(shop, itemsOf({ A: 5 }), { ...mira, guest: undefined });
    await shop.delete(`/proforma_orders/${canceledProforma.id}`);
    const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 1 }];
    await shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments });
    await shop.post(`/proforma_orders/${id}/convert`);
    expect(await readPoints(mira)).toBe(1);
  });

  it.each([0, 1_000])('are 0 with points_per_amount %d', async (amount) => {
    await setPointsPerAmount(amount);
    const mira = await newCustomer(shop, 'mira@example.com');
    const { id } = await propose(shop, itemsOf({ A: 2 }), { ...mira, guest: undefined });
    expect((await shop.post(`/proforma_orders/${id}/convert`)).status).toBe(200);
    expect(await readPoints(mira)).toBe(0);
  });
});
