import { paymentService, type PaymentService } from '../testing/payment-service.js';
import { RawHttp, type RawCall } from '../testing/raw-http.js';
import { GUEST, evaluate, methodId, newCustomer, propose, setUp, stockOf, stockShop } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

/*
 * Follows the proforma tables of the interface and of section 4 of the decisions, for entries without a suite of their
 * own.
 */

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
beforeEach(() => {
  service.status = 200;
  service.asked.length = 0;
});

const HOUR_MS = 3_600_000;
const OPEN = ['draft', 'awaiting_payment', 'paid', 'confirmed', 'partial_confirmed'];
const OPEN_WITH_DEBT = OPEN.filter((status) => status !== 'paid');
const FINAL = ['converted', 'canceled', 'expired'];
const ALREADY_FINAL = { errors: { ProformaOrders: ['API.ProformaOrders.AlreadyFinal'] } };

interface Payment {
  readonly id: number;
  readonly amount: number;
  readonly payment_method: string;
  readonly payment_status: string;
}

const time = (moment: Date): string => moment.toISOString().slice(0, 19);
const now = (): string => time(api.clock.now());
const newShop = async (stock = 10): Promise<Client> => {
  const client = await api.app();
  await stockShop(client, [
    { code: 'A', price: 100, stock },
    { code: 'B', price: 33.33, vat: 10, stock },
  ]);
  return client;
};
const path = (id: number, call = ''): string => `/proforma_orders/${id}${call && `/${call}`}`;
const done = ({ status, text, body }: Reply) => {
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body?.data;
};
const shown = async (id: number, client = shop) => done(await client.get(path(id)));
const pay = async (id: number, amount: number, client = shop) => {
  const payment = { payment_method_id: await methodId(client, 'cash'), amount };
  return done(await client.post(path(id, 'pay'), { payment }));
};
interface Made {
  readonly id: number;
  readonly items: readonly { readonly proforma_order_item_id: number }[];
}
/** Confirms `qty` pieces of the first line and all of the others. */
const confirm = async ({ id, items: [first] }: Made, qty: number, client = shop) => {
  const adjustments = [{ proforma_order_item_id: first?.proforma_order_item_id, qty_confirmed: qty }];
  return done(await client.post(path(id, 'warehouse_confirm'), { adjustments }));
};
const convert = async (id: number, client = shop) => done(await client.post(path(id, 'convert')));
const cancel = async (id: number, reason = 'changed mind', client = shop) =>
  done(await client.delete(path(id), { reason }));
const paymentsOf = ({ payments }: { payments: readonly Payment[] }) =>
  payments.map((each) => [each.amount, each.payment_status]);

/** Takes a draft of 3 pieces at 100 to each status. */
const TRANSITIONS: Readonly<Record<string, (made: Made) => Promise<unknown>>> = {
  draft: async () => undefined,
  awaiting_payment: async ({ id }) => done(await shop.post(path(id, 'card_payments'), { payment: { amount: 100 } })),
  paid: ({ id }) => pay(id, 0),
  confirmed: ({ id }) => shop.post(path(id, 'warehouse_confirm')),
  partial_confirmed: (made) => confirm(made, 2),
  converted: ({ id }) => convert(id),
  canceled: ({ id }) => cancel(id),
  expired: async () => api.clock.forward({ hours: 72 }),
};

const proformaIn = async (status: string) => {
  const made = await propose(shop, [{ code: 'A', qty: 3 }]);
  await TRANSITIONS[status]?.(made);
  const proforma = await shown(made.id);
  expect(proforma.proforma_status).toBe(status);
  return proforma;
};

describe('the fields of a proforma', () => {
  const ACCOUNT = {
    beneficiary: 'Shop',
    address: 'Put 1',
    account_number: '160-123456-54',
    purpose: 'Robe',
    payment_code: '221',
  };
  const OFFICE = { address_line_1: 'Trg 2', city: 'Niš', postcode: '18000', country: 'RS' };
  let began: number;
  let mira: { customer_id: number; data_part: number; time_part: number };
  /** `confirmed` is a customer's and partly paid; `canceled` has failed refunds; the others are of guests. */
  let ids: { confirmed: number; converted: number; canceled: number };
  let evaluations: Record<keyof typeof ids, number>;
  let order: { id: number; order_number: string };

  const at = (hours: number): string => time(new Date(began + hours * HOUR_MS));
  const until = (hours: number): void =>
    api.clock.forward({ hours: (began - api.clock.now().getTime()) / HOUR_MS + hours });
  const make = async (evaluation: number) =>
    done(await shop.post('/proforma_orders', { order_processing_id: evaluation }));

  beforeAll(async () => {
    shop = await newShop();
    began = api.clock.now().getTime();
    mira = await newCustomer(shop, 'mira@example.com');
    await shop.patch('/app/settings', { bank_account: ACCOUNT });
    await setUp(shop, 'promotions', [{ code: 'TEN', name: 'Ten off', kind: 'percentage', value: 10 }]);
    await setUp(shop, 'shipment_methods', [{ code: 'courier', name: 'Courier', price: 30.5, vat_rate: 20 }]);
    evaluations = await evaluateAll();
    until(1);
    const [confirmed, converted, canceled] = [
      await make(evaluations.confirmed),
      await make(evaluations.converted),
      await make(evaluations.canceled),
    ];
    ids = { confirmed: confirmed.id, converted: converted.id, canceled: canceled.id };
    until(2);
    await pay(ids.confirmed, 50);
    await pay(ids.canceled, 100);
    await pay(ids.canceled, 0);
    until(3);
    await confirm(confirmed, 2);
    until(4);
    order = await convert(ids.converted);
    until(5);
    service.status = 400;
    await cancel(ids.canceled);
    until(6);
    await shop.patch(path(ids.canceled), { alerts: [{ index: 0, resolved: true }] });
    until(7);
  });

  async function evaluateAll() {
    const items = [
      { code: 'A', qty: 2 },
      { code: 'B', qty: 1 },
    ];
    const where = { market_id: 7, sales_channel_id: 3, sales_channel: 'kiosk' };
    return {
      confirmed: await evaluate(shop, items, { ...mira, ...where, guest: undefined, tags: ['vip', 'fragile'] }),
      converted: await evaluate(shop, [{ code: 'A', qty: 1 }], { shipment_method_code: 'courier' }),
      canceled: await evaluate(shop, [{ code: 'A', qty: 3 }], { delivery: OFFICE }),
    };
  }

  describe('in a list', () => {
    let rows: Record<string, unknown>[];
    /** Values of the fields in the confirmed, the converted and the cancelled proforma. */
    const values = (...fields: readonly string[]) => rows.map((row) => fields.map((field) => row[field]));

    beforeAll(async () => {
      const { data } = (await shop.get('/proforma_orders')).body;
      rows = Object.values(ids).map((id) => data.find((each: { id: number }) => each.id === id));
    });

    it('are exactly those of the table', () => {
      const fields = `id proforma_number proforma_status_id proforma_status_name proforma_status_color
        proforma_status_final processing_date expires_at expires_in_seconds customer_id customer_email
        customer_first_name customer_last_name anonymous sales discount net_sales vat end_sales paid debt market_id
        currency_id sales_channel_id sales_channel warehouse_confirmed_at converted_at order_id canceled canceled_at
        cancel_reason tags alerts_count open_alerts_count inserted_at updated_at`.split(/\s+/);
      for (const row of rows) expect(new Set(Object.keys(row))).toEqual(new Set(fields));
    });

    it('id: an integer that identifies the proforma', async () => {
      for (const { id, proforma_number } of rows) {
        expect(Number.isInteger(id)).toBe(true);
        expect(await shown(id as number)).toMatchObject({ id, proforma_number });
      }
    });

    it('proforma_number: P-<year>-<6 characters>, unique within the app, not sequential', async () => {
      const client = await newShop(100);
      const made = await Promise.all(Array.from({ length: 30 }, () => propose(client, [{ code: 'A', qty: 1 }])));
      const numbers = made.map((each: { proforma_number: string }) => each.proforma_number).sort();
      for (const number of numbers) expect(number).toMatch(/^P-2026-[0-9A-HJKMNP-TV-Z]{6}$/);
      expect(new Set(numbers).size).toBe(30);
      const places = numbers.map((number) => parseInt(number.slice(7), 36));
      const steps = places.slice(1).map((place, index) => place - (places[index] ?? 0));
      expect(Math.max(...steps)).toBeGreaterThan(1_000_000);
    });

    it('proforma_status_id, proforma_status_name, proforma_status_final: the status', () => {
      expect(values('proforma_status_id', 'proforma_status_name', 'proforma_status_final')).toEqual([
        [4, 'confirmed', false],
        [6, 'converted', true],
        [7, 'canceled', true],
      ]);
    });

    it('processing_date: when prices were frozen, later than the evaluation', () => {
      expect(values('processing_date')).toEqual([[at(1)], [at(1)], [at(1)]]);
    });

    it('expires_at: 72 hours after processing_date', () => {
      expect(values('expires_at')).toEqual([[at(73)], [at(73)], [at(73)]]);
    });

    it('expires_in_seconds: the time left, 0 when final', () => {
      expect(values('expires_in_seconds')).toEqual([[66 * 3_600], [0], [0]]);
    });

    it('customer_id, customer_email, customer_first_name, customer_last_name: the customer, or the guest without an id', () => {
      const { email, first_name: first, last_name: last } = GUEST;
      expect(values('customer_id', 'customer_email', 'customer_first_name', 'customer_last_name')).toEqual([
        [mira.customer_id, 'mira@example.com', 'Mira', 'Marić'],
        [null, email, first, last],
        [null, email, first, last],
      ]);
    });

    it('anonymous: true for a guest', () => {
      expect(values('anonymous')).toEqual([[false], [true], [true]]);
    });

    it('sales, discount, net_sales, vat, end_sales: gross, discount, net, VAT, total to pay', () => {
      expect(values('sales', 'discount', 'net_sales', 'vat', 'end_sales')).toEqual([
        [233.33, 23.33, 177.27, 32.73, 210],
        [130.5, 10, 100.42, 20.08, 120.5],
        [300, 30, 225, 45, 270],
      ]);
    });

    it('paid, debt: paid until now, remaining debt', () => {
      expect(values('paid', 'debt')).toEqual([
        [50, 160],
        [0, 120.5],
        [270, 0],
      ]);
    });

    it('market_id, currency_id, sales_channel_id, sales_channel: where it was made', () => {
      expect(values('market_id', 'currency_id', 'sales_channel_id', 'sales_channel')).toEqual([
        [7, 941, 3, 'kiosk'],
        [1, 941, 1, 'web'],
        [1, 941, 1, 'web'],
      ]);
    });

    it('warehouse_confirmed_at, converted_at: datetimes, null before', () => {
      expect(values('warehouse_confirmed_at', 'converted_at')).toEqual([
        [at(3), null],
        [null, at(4)],
        [null, null],
      ]);
    });

    it('order_id: the order it became, null unless it is converted', () => {
      expect(values('order_id')).toEqual([[null], [order.id], [null]]);
    });

    it('canceled, canceled_at, cancel_reason: the cancellation', () => {
      expect(values('canceled', 'canceled_at', 'cancel_reason')).toEqual([
        [false, null, null],
        [false, null, null],
        [true, at(5), 'changed mind'],
      ]);
    });

    it("tags: the client's tags", () => {
      expect(values('tags')).toEqual([[['vip', 'fragile']], [[]], [[]]]);
    });

    it('alerts_count, open_alerts_count: alerts in total and unresolved ones', () => {
      expect(values('alerts_count', 'open_alerts_count')).toEqual([
        [0, 0],
        [0, 0],
        [2, 1],
      ]);
    });

    it('inserted_at, updated_at: creation and last change', () => {
      expect(values('inserted_at', 'updated_at')).toEqual([
        [at(1), at(3)],
        [at(1), at(4)],
        [at(1), at(6)],
      ]);
    });
  });

  describe('in full', () => {
    it('order_processing_id: the evaluation it was made from', async () => {
      for (const name of ['confirmed', 'converted', 'canceled'] as const)
        expect((await shown(ids[name])).order_processing_id).toBe(evaluations[name]);
    });

    it('items: the lines with requested and confirmed quantities', async () => {
      const { items } = await shown(ids.confirmed);
      const named = { proforma_order_item_id: expect.any(Number), product_id: expect.any(Number) };
      const line = { ...named, product_variant_id: expect.any(Number), barcode: null, warehouse_code: 'W1' };
      const a = { code: 'A', name: 'Product A', qty: 2, qty_confirmed: 2, price: 100, vat_rate: 20 };
      const b = { code: 'B', name: 'Product B', qty: 1, qty_confirmed: 1, price: 33.33, vat_rate: 10 };
      const ten = (amount: number) => ({ promotions: [{ code: 'TEN', name: 'Ten off', amount }] });
      expect(items).toEqual([
        { ...line, ...a, sales: 200, discount: 20, end_sales: 180, ...ten(20) },
        { ...line, ...b, sales: 33.33, discount: 3.33, end_sales: 30, ...ten(3.33) },
      ]);
      expect(items[0].proforma_order_item_id).not.toBe(items[1].proforma_order_item_id);
      expect((await shown(ids.converted)).items).toMatchObject([{ code: 'A', qty: 1, qty_confirmed: null }]);
    });

    it('fee_items: the lines without a product', async () => {
      expect((await shown(ids.converted)).fee_items).toEqual([
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
      expect((await shown(ids.confirmed)).fee_items).toEqual([]);
    });

    it('payments: each with amount, payment_method, payment_status, payment_date and finalized', async () => {
      expect((await shown(ids.confirmed)).payments).toEqual([
        {
          id: expect.any(Number),
          amount: 50,
          payment_method: 'Cash',
          payment_method_id: await methodId(shop, 'cash'),
          payment_status: 'settled',
          payment_date: at(2),
          finalized: true,
        },
      ]);
    });

    it('payments: a captured payment stays settled, its refund is a negative entry', async () => {
      const { payments } = await shown(ids.canceled);
      expect(payments).toMatchObject([
        { amount: 100, payment_status: 'settled', payment_date: at(2), finalized: true },
        { amount: 170, payment_status: 'settled', payment_date: at(2), finalized: true },
        { amount: -170, payment_status: 'refund_failed', payment_date: at(5), finalized: true },
        { amount: -100, payment_status: 'refund_failed', payment_date: at(5), finalized: true },
      ]);
      expect(new Set(payments.map((each: Payment) => each.id)).size).toBe(4);
    });

    it('payment_instructions: the bank account, the debt, a model 97 reference', async () => {
      const { proforma_number: number, payment_instructions: instructions } = await shown(ids.confirmed);
      expect(instructions).toEqual({
        beneficiary: 'Shop',
        address: 'Put 1',
        bank_account: '160-123456-54',
        amount: 160,
        currency: 'RSD',
        purpose: 'Robe',
        payment_code: '221',
        model: '97',
        reference: expect.stringMatching(new RegExp(`^\\d\\d${number.slice(1)}$`)),
        qr: `K:PR|V:01|C:1|R:160000000012345654|N:Shop, Put 1|I:RSD160,00|SF:221|S:Robe|RO:97${instructions.reference.replaceAll('-', '')}`,
      });
      expect(remainder97(instructions.reference)).toBe(1);
    });

    it('payment_instructions: empty for an app without an account', async () => {
      const client = await newShop();
      const { payment_instructions: instructions } = await propose(client, [{ code: 'A', qty: 1 }]);
      expect(instructions).toMatchObject({ beneficiary: '', bank_account: '', amount: 100, model: '97', qr: null });
    });

    it('tax_brackets: net, VAT and gross of each rate', async () => {
      expect((await shown(ids.confirmed)).tax_brackets).toEqual([
        { vat_rate: 10, net: 27.27, vat: 2.73, gross: 30 },
        { vat_rate: 20, net: 150, vat: 30, gross: 180 },
      ]);
    });

    it('transaction_reference: the payment reference', async () => {
      const { transaction_reference: reference, payment_instructions: instructions } = await shown(ids.converted);
      expect(reference).toBe(instructions.reference);
      expect(reference).toHaveLength('KK-2026-7K2M9Q'.length);
    });

    it('delivery_area: the address, the shipment method and the pickup point', async () => {
      const { address_line_1, city, postcode } = GUEST;
      expect((await shown(ids.converted)).delivery_area).toEqual({
        address_line_1,
        city,
        postcode,
        country: null,
        shipment_method_code: 'courier',
        pickup_point_code: null,
      });
      expect((await shown(ids.canceled)).delivery_area).toMatchObject(OFFICE);
    });

    it('alerts: each with index, resolution and details', async () => {
      const { alerts, payments } = await shown(ids.canceled);
      const about = { kind: 'refund_failed', message: 'A refund failed', inserted_at: at(5) };
      const detailsOf = (amount: number) => ({
        reason: 'failed',
        payment_id: expect.any(Number),
        refund_of: expect.any(Number),
        payment_method: 'Cash',
        amount,
      });
      expect(alerts).toEqual([
        { index: 0, ...about, details: detailsOf(170), resolved: true, resolved_at: at(6) },
        { index: 1, ...about, details: detailsOf(100), resolved: false, resolved_at: null },
      ]);
      const refunds = payments.slice(2).map((each: Payment) => each.id);
      const paymentIds = alerts.map((each: { details: { payment_id: number } }) => each.details.payment_id);
      expect(new Set(paymentIds)).toEqual(new Set(refunds));
    });

    it('converted_order_number: present once converted', async () => {
      expect((await shown(ids.converted)).converted_order_number).toBe(order.order_number);
      expect(order.order_number).toMatch(/^O-2026-/);
      expect((await shown(ids.confirmed)).converted_order_number).toBeNull();
    });

    it('lines, prices, customer and delivery cannot be edited', async () => {
      const before = await shown(ids.confirmed);
      const { status } = await shop.patch(path(ids.confirmed), {
        items: [],
        fee_items: [],
        sales: 1,
        end_sales: 1,
        paid: 210,
        payments: [],
        customer_email: 'x@example.com',
        customer_id: null,
        delivery_area: { city: 'Bor' },
        proforma_status: 'paid',
        proforma_number: 'P-2026-000000',
        expires_at: at(1_000),
      });
      expect(status).toBe(200);
      expect(await shown(ids.confirmed)).toEqual(before);
    });
  });
});

/** ISO 7064 MOD 97-10: letters count as two digits, and the leading check digits move to the end. */
function remainder97(reference: string): number {
  const [check = '', ...rest] = reference.split('-');
  const digits = [...rest.join(''), ...check].map((each) => parseInt(each, 36)).join('');
  return [...digits].reduce((remainder, digit) => (remainder * 10 + Number(digit)) % 97, 0);
}

describe('the statuses of a proforma', () => {
  beforeAll(async () => {
    shop = await newShop(100);
  });

  it.each([
    ['draft', 1, false, { paid: 0, debt: 300 }],
    ['awaiting_payment', 2, false, { paid: 0, debt: 300, payments: [{ payment_status: 'pending' }] }],
    ['paid', 3, false, { paid: 300, debt: 0 }],
    ['confirmed', 4, false, { end_sales: 300, items: [{ qty: 3, qty_confirmed: 3 }] }],
    ['partial_confirmed', 5, false, { end_sales: 200, items: [{ qty: 3, qty_confirmed: 2 }] }],
    ['converted', 6, true, { converted_at: expect.any(String), order_id: expect.any(Number), canceled: false }],
    ['canceled', 7, true, { canceled: true, cancel_reason: 'changed mind', order_id: null }],
    ['expired', 8, true, { canceled: true, cancel_reason: 'expired', order_id: null }],
  ])('%s has the id %d, final: %s', async (name, id, final, about) => {
    const proforma = await proformaIn(name);
    const columns = {
      proforma_status_id: id,
      proforma_status_color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      proforma_status_final: final,
    };
    expect(proforma).toMatchObject({ ...columns, ...about });
    const { data } = (await shop.get(`/proforma_orders?status=${name}`)).body;
    expect(data).toMatchObject([{ id: proforma.id, proforma_status_name: name, ...columns }]);
    expect(data[0].proforma_status_color).toBe(proforma.proforma_status_color);
  });
});

describe('the transitions of a proforma', () => {
  beforeEach(async () => {
    shop = await newShop();
  });
  const stock = (reserved: number) => ({ on_hand: 10, reserved, available: 10 - reserved });

  it('POST /proforma_orders: a draft with its prices frozen, its stock reserved and 72 hours to live', async () => {
    const evaluation = await evaluate(shop, [{ code: 'A', qty: 3 }]);
    api.clock.forward({ hours: 1 });
    await stockShop(shop, [{ code: 'A', price: 999, stock: 0 }]);
    const made = done(await shop.post('/proforma_orders', { order_processing_id: evaluation }));
    expect(made).toMatchObject({ proforma_status: 'draft', end_sales: 300, paid: 0, debt: 300, payments: [] });
    expect(made).toMatchObject({ processing_date: now(), expires_in_seconds: 72 * 3_600 });
    expect(made.expires_at).toBe(time(new Date(api.clock.now().getTime() + 72 * HOUR_MS)));
    expect(await stockOf(shop, 'A')).toEqual(stock(3));
    expect(await shown(made.id)).toEqual(made);
  });

  it.each(OPEN_WITH_DEBT)('%s, pay: below the total payments accumulate, then it is paid', async (status) => {
    const { id, debt } = await proformaIn(status);
    const partly = await pay(id, 60);
    expect(partly).toMatchObject({ proforma_status: status, paid: 60, debt: debt - 60 });
    const whole = await pay(id, 0);
    expect(whole).toMatchObject({ proforma_status: 'paid', paid: debt, debt: 0 });
    const cash = whole.payments.filter((each: Payment) => each.payment_method === 'Cash');
    expect(paymentsOf({ payments: cash })).toEqual([
      [60, 'settled'],
      [debt - 60, 'settled'],
    ]);
    expect(await shown(id)).toEqual(whole);
  });

  it.each(OPEN)('%s, warehouse_confirm with no line reduced: confirmed, lines left out in full', async (status) => {
    const { id } = await proformaIn(status);
    api.clock.forward({ seconds: 1 });
    const confirmed = done(await shop.post(path(id, 'warehouse_confirm'), { adjustments: [] }));
    expect(confirmed).toMatchObject({
      proforma_status: 'confirmed',
      warehouse_confirmed_at: now(),
      items: [{ qty: 3, qty_confirmed: 3 }],
      end_sales: 300,
    });
    expect(await stockOf(shop, 'A')).toEqual(stock(3));
    expect(await shown(id)).toEqual(confirmed);
  });

  it.each(OPEN)(
    '%s, warehouse_confirm with a line reduced: partial_confirmed, repriced, stock released',
    async (status) => {
      const confirmed = await confirm(await proformaIn(status), 1);
      expect(confirmed).toMatchObject({
        proforma_status: 'partial_confirmed',
        warehouse_confirmed_at: now(),
        items: [{ qty: 3, qty_confirmed: 1, sales: 100 }],
        end_sales: 100,
      });
      expect(await stockOf(shop, 'A')).toEqual(stock(1));
      expect(await shown(confirmed.id)).toEqual(confirmed);
    },
  );

  it('warehouse_confirm with a line reduced: the overpaid difference is refunded', async () => {
    const confirmed = await confirm(await proformaIn('paid'), 2);
    expect(confirmed).toMatchObject({ end_sales: 200, paid: 200, debt: 0, alerts: [] });
    expect(paymentsOf(confirmed)).toEqual([
      [300, 'settled'],
      [-100, 'refunded'],
    ]);
    expect(service.asked).toMatchObject([{ payment_id: confirmed.payments[0].id, amount: 100 }]);
  });

  it('warehouse_confirm with a line reduced: a failed refund does not fail the call but adds an alert', async () => {
    const proforma = await proformaIn('paid');
    service.status = 400;
    const confirmed = await confirm(proforma, 2);
    expect(confirmed).toMatchObject({ proforma_status: 'partial_confirmed', end_sales: 200, paid: 300, debt: 0 });
    expect(paymentsOf(confirmed).at(-1)).toEqual([-100, 'refund_failed']);
    expect(confirmed.alerts).toMatchObject([{ index: 0, kind: 'refund_failed', resolved: false }]);
  });

  it('warehouse_confirm with all lines at 0: no fees, total 0, everything refunded', async () => {
    await setUp(shop, 'shipment_methods', [{ code: 'courier', name: 'Courier', price: 30.5, vat_rate: 20 }]);
    const made = await propose(shop, [{ code: 'A', qty: 1 }], { shipment_method_code: 'courier' });
    expect(await pay(made.id, 0)).toMatchObject({ paid: 130.5, fee_items: [{ kind: 'shipment' }] });
    const confirmed = await confirm(made, 0);
    expect(confirmed).toMatchObject({ sales: 0, vat: 0, end_sales: 0, paid: 0, debt: 0, fee_items: [] });
    expect(paymentsOf(confirmed).at(-1)).toEqual([-130.5, 'refunded']);
  });

  it.each(OPEN)(
    '%s, convert: an order with confirmed quantities and the payments, stock reserved, once',
    async (status) => {
      const { id, items, end_sales, paid, payments } = await proformaIn(status);
      const qty = items[0].qty_confirmed ?? 3;
      const order = await convert(id);
      expect(order).toMatchObject({ proforma_order_id: id, items: [{ code: 'A', qty }], end_sales, paid, payments });
      const converted = await shown(id);
      expect(converted).toMatchObject({ proforma_status: 'converted', converted_at: now(), order_id: order.id });
      expect(converted.converted_order_number).toBe(order.order_number);
      expect(await stockOf(shop, 'A')).toEqual(stock(qty));
      expect(await convert(id)).toEqual(order);
      expect((await shop.get('/orders')).body.data).toHaveLength(1);
    },
  );

  it.each(OPEN)('%s, DELETE: canceled, captured payments refunded, stock released', async (status) => {
    const { id, paid, payments } = await proformaIn(status);
    const { status: answered, text } = await shop.delete(path(id), { reason: 'too late' });
    expect([answered, text]).toEqual([204, '']);
    const canceled = await shown(id);
    expect(canceled).toMatchObject({
      proforma_status: 'canceled',
      cancel_reason: 'too late',
      canceled_at: now(),
      paid: 0,
    });
    const refunds = paid === 0 ? [] : [[-paid, 'refunded']];
    expect(paymentsOf(canceled)).toEqual([...paymentsOf({ payments }), ...refunds]);
    expect(await stockOf(shop, 'A')).toEqual(stock(0));
  });

  it('pay: pending refunds do not count as paid', async () => {
    const made = await propose(shop, [{ code: 'A', qty: 5 }]);
    const { id } = made;
    await pay(id, 400);
    service.status = 503;
    await confirm(made, 3);
    expect(await confirm(made, 5)).toMatchObject({ paid: 400, debt: 100 });
    await expect(pay(id, 200.01)).rejects.toThrow('Payment amount exceeds order debt');
    expect((await pay(id, 0)).payments.at(-1)).toMatchObject({ amount: 200 });
    service.status = 200;
    api.clock.forward({ seconds: 60 });
    await api.container.get(TOKENS.Refunds).payOutDue();
    expect(await shown(id)).toMatchObject({ proforma_status: 'paid', paid: 500, debt: 0 });
  });

  it('DELETE: a failed refund adds an alert, and the status change stands', async () => {
    const { id } = await proformaIn('paid');
    service.status = 400;
    await cancel(id);
    expect(await shown(id)).toMatchObject({
      proforma_status: 'canceled',
      paid: 300,
      payments: [{ amount: 300 }, { amount: -300, payment_status: 'refund_failed' }],
      alerts: [{ kind: 'refund_failed', resolved: false }],
    });
  });

  it.each(OPEN_WITH_DEBT)(
    '%s, time passes: expired by itself, partial payments refunded, stock released',
    async (status) => {
      const { id } = await proformaIn(status);
      await pay(id, 60);
      api.clock.forward({ hours: 72 });
      await api.container.get(TOKENS.ExpirySweep).run();
      await api.container.get(TOKENS.Refunds).payOutDue();
      // The list expires nothing; a call by id would.
      const { data } = (await shop.get('/proforma_orders?status=expired')).body;
      expect(data).toMatchObject([
        { id, canceled: true, cancel_reason: 'expired', canceled_at: now(), paid: 0, expires_in_seconds: 0 },
      ]);
      expect(paymentsOf(await shown(id)).slice(-2)).toEqual([
        [60, 'settled'],
        [-60, 'refunded'],
      ]);
      expect(await stockOf(shop, 'A')).toEqual(stock(0));
    },
  );

  it('time passes: a failed refund raises an alert of its own kind', async () => {
    const { id } = await proformaIn('draft');
    await pay(id, 60);
    service.status = 400;
    api.clock.forward({ hours: 72 });
    await api.container.get(TOKENS.ExpirySweep).run();
    await api.container.get(TOKENS.Refunds).payOutDue();
    expect(await shown(id)).toMatchObject({
      proforma_status: 'expired',
      paid: 60,
      alerts: [{ kind: 'expiry_refund_failed', resolved: false }],
    });
  });

  it('time passes: a total of 0 expires like a debt', async () => {
    await stockShop(shop, [{ code: 'GIFT', price: 0 }]);
    const { id, end_sales } = await propose(shop, [{ code: 'GIFT', qty: 1 }]);
    expect(end_sales).toBe(0);
    api.clock.forward({ hours: 72 });
    expect((await shown(id)).proforma_status).toBe('expired');
  });
});

describe('a final proforma', () => {
  beforeEach(async () => {
    shop = await newShop();
  });
  const CALLS: Readonly<Record<string, (id: number) => Promise<Reply>>> = {
    pay: async (id) =>
      shop.post(path(id, 'pay'), { payment: { payment_method_id: await methodId(shop, 'cash'), amount: 0 } }),
    warehouse_confirm: (id) => shop.post(path(id, 'warehouse_confirm')),
    convert: (id) => shop.post(path(id, 'convert')),
    DELETE: (id) => shop.delete(path(id)),
    tags: (id) => shop.put(path(id), { tags: ['late'] }),
    comment: (id) => shop.patch(path(id), { comment: 'late' }),
  };
  const called = (status: string): string[][] => Object.keys(CALLS).map((call) => [status, call]);

  it.each([
    ['pay', { payment: {} }],
    ['pay', { payment: { payment_method_id: 1, amount: 1.001 } }],
    ['card_payments', { payment: { amount: 1.001 } }],
    ['warehouse_confirm', { adjustments: [{}] }],
    ['DELETE', { reason: 'x'.repeat(256) }],
  ])('is refused as final before other rules: %s %j', async (call, body) => {
    const send = (id: number) => (call === 'DELETE' ? shop.delete(path(id), body) : shop.post(path(id, call), body));
    const open = await proformaIn('draft');
    const rule = await send(open.id);
    expect([rule.status, rule.body]).not.toEqual([422, ALREADY_FINAL]);
    for (const status of FINAL) {
      const { id } = await proformaIn(status);
      const reply = await send(id);
      expect([reply.status, reply.body]).toEqual([422, ALREADY_FINAL]);
    }
    // Overdue, but not swept.
    api.clock.forward({ hours: 72 });
    expect((await send(open.id)).body).toEqual(ALREADY_FINAL);
  });

  it.each([...called('canceled'), ...called('expired'), ['converted', 'tags']])(
    '%s: refuses %s with AlreadyFinal and changes nothing',
    async (status, call) => {
      const before = await proformaIn(status ?? '');
      const reply = await CALLS[call ?? '']?.(before.id);
      expect([reply?.status, reply?.body]).toEqual([422, ALREADY_FINAL]);
      expect(await shown(before.id)).toEqual(before);
    },
  );

  it.each(FINAL)('%s: accepts resolved alerts, but no comment', async (status) => {
    const { id } = await alertedThen(status);
    const alerts = [{ index: 0, resolved: true }];
    const refused = await shop.patch(path(id), { alerts, comment: 'seen to' });
    expect([refused.status, refused.body]).toEqual([422, ALREADY_FINAL]);
    expect(await shown(id)).toMatchObject({ open_alerts_count: 1, comment: null });
    const resolved = done(await shop.patch(path(id), { alerts }));
    expect(resolved).toMatchObject({ proforma_status: status, alerts_count: 1, open_alerts_count: 0 });
    expect(resolved.alerts).toMatchObject([{ index: 0, resolved: true, resolved_at: now() }]);
  });

  /** A proforma in this status with an open alert. */
  async function alertedThen(status: string) {
    const made = await propose(shop, [{ code: 'A', qty: 3 }]);
    await pay(made.id, status === 'expired' ? 60 : 0);
    service.status = 400;
    if (status === 'converted') await confirm(made, 2);
    await TRANSITIONS[status]?.(made);
    const proforma = await shown(made.id);
    expect(proforma).toMatchObject({ proforma_status: status, open_alerts_count: 1 });
    return proforma;
  }
});

describe('the endpoints of a proforma', () => {
  beforeAll(async () => {
    shop = await newShop(100);
  });
  const malformed = { errors: { detail: 'Bad Request' } };
  const blank = (field: string) => ({ errors: { [field]: ["can't be blank"] } });

  it.each([
    [{}, 422, blank('order_processing_id')],
    [{ order_processing_id: null }, 422, blank('order_processing_id')],
    [{ proforma_order: { order_processing_id: 1 } }, 422, blank('order_processing_id')],
    [{ order_processing_id: '1' }, 400, malformed],
    [{ order_processing_id: 1.5 }, 400, malformed],
  ])('POST /proforma_orders refuses %j', async (body, status, answer) => {
    const reply = await shop.post('/proforma_orders', body);
    expect([reply.status, reply.body]).toEqual([status, answer]);
  });

  it('POST /proforma_orders answers 201 with the full proforma', async () => {
    const reply = await shop.post('/proforma_orders', {
      order_processing_id: await evaluate(shop, [{ code: 'B', qty: 1 }]),
    });
    expect([reply.status, Object.keys(reply.body)]).toEqual([201, ['data']]);
    expect(await shown(reply.body.data.id)).toEqual(reply.body.data);
  });

  it('pay records payments of every kind but card', async () => {
    const [gift] = await setUp(shop, 'payment_methods', [{ code: 'gift', name: 'Gift card', kind: 'other' }]);
    const { id } = await proformaIn('draft');
    const bank = { payment_method_id: await methodId(shop, 'bank_transfer'), amount: 120.5 };
    const first = done(await shop.post(path(id, 'pay'), { payment: bank }));
    expect(first).toMatchObject({ proforma_status: 'draft', paid: 120.5, debt: 179.5 });
    const { payments } = done(
      await shop.post(path(id, 'pay'), { payment: { payment_method_id: gift.id, amount: 9.5 } }),
    );
    const entry = { id: expect.any(Number), payment_status: 'settled', payment_date: now(), finalized: true };
    expect(payments).toEqual([
      { ...entry, ...bank, payment_method: 'Bank transfer' },
      { ...entry, amount: 9.5, payment_method: 'Gift card', payment_method_id: gift.id },
    ]);
  });

  it.each([
    [{}, 400, malformed],
    [{ payment: [] }, 400, malformed],
    [{ payment_method_id: 1, amount: 1 }, 400, malformed],
    [{ payment: { payment_method_id: 1, amount: '1' } }, 400, malformed],
    [{ payment: { amount: 1 } }, 422, blank('payment_method_id')],
  ])('pay refuses %j', async (body, status, answer) => {
    const { id } = await proformaIn('draft');
    const reply = await shop.post(path(id, 'pay'), body);
    expect([reply.status, reply.body]).toEqual([status, answer]);
  });

  it.each([
    [{ adjustments: {} }, 400, malformed],
    [{ adjustments: [1] }, 400, malformed],
    [{ adjustments: [{ proforma_order_item_id: '1', qty_confirmed: 1 }] }, 400, malformed],
    [{ adjustments: [{ qty_confirmed: 1 }] }, 422, blank('adjustments.0.proforma_order_item_id')],
  ])('warehouse_confirm refuses %j', async (...row) => {
    const [body, status, answer] = row;
    const { id } = await proformaIn('draft');
    const reply = await shop.post(path(id, 'warehouse_confirm'), body);
    expect([reply.status, reply.body]).toEqual([status, answer]);
    expect((await shown(id)).proforma_status).toBe('draft');
  });

  it('convert returns the order, as GET /orders/{id} does', async () => {
    const { id } = await proformaIn('confirmed');
    const reply = await shop.post(path(id, 'convert'));
    expect([reply.status, Object.keys(reply.body)]).toEqual([200, ['data']]);
    const { id: order, data_part, time_part } = reply.body.data;
    const found = await shop.get(`/orders/${order}?dataPart=${data_part}&timePart=${time_part}`);
    expect(found.body.data).toEqual(reply.body.data);
  });

  it.each(['put', 'patch'] as const)('%s: tags replace the old list; the proforma is returned', async (method) => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }], { tags: ['old', 'kept'], comment: 'ring twice' });
    const tags = ['t'.repeat(100), 'kept'];
    const edited = done(await shop[method](path(id), { tags }));
    expect(edited).toMatchObject({ tags, comment: 'ring twice' });
    expect(await shown(id)).toEqual(edited);
  });

  it.each([
    [{ reason: 'x'.repeat(256) }, 422, { errors: { reason: ['is too long'] } }],
    [{ reason: 'a\0' }, 422, { errors: { reason: ['is invalid'] } }],
    [{ reason: 5 }, 400, malformed],
    [[], 400, malformed],
  ])('DELETE refuses %j and cancels nothing', async (body, status, answer) => {
    const { id } = await proformaIn('draft');
    const reply = await shop.delete(path(id), body);
    expect([reply.status, reply.body]).toEqual([status, answer]);
    expect((await shown(id)).proforma_status).toBe('draft');
  });

  it.each(['x'.repeat(255), null, undefined])('DELETE keeps the optional reason: %p', async (reason) => {
    const { id } = await proformaIn('draft');
    expect((await shop.delete(path(id), { reason })).status).toBe(204);
    expect(await shown(id)).toMatchObject({ canceled: true, cancel_reason: reason ?? null });
  });
});

describe('a refund without an answer', () => {
  const askAgain = () => api.container.get(TOKENS.Refunds).payOutDue();
  /** A cancelled proforma with an unanswered refund. */
  const unanswered = async () => {
    const { id } = await proformaIn('paid');
    service.status = 503;
    await cancel(id);
    return id;
  };
  beforeEach(async () => {
    shop = await newShop();
  });

  it('is pending and counts as paid until a retry is answered', async () => {
    const id = await unanswered();
    const pending = { amount: -300, payment_status: 'pending', finalized: false };
    expect(await shown(id)).toMatchObject({
      paid: 300,
      payments: [{ payment_status: 'settled' }, pending],
      alerts: [],
    });
    await askAgain();
    expect(service.asked).toHaveLength(1);
    service.status = 200;
    api.clock.forward({ hours: 1 });
    await askAgain();
    await askAgain();
    const [first, second] = service.asked;
    expect([service.asked.length, first?.key]).toEqual([2, second?.key]);
    expect(await shown(id)).toMatchObject({
      proforma_status: 'canceled',
      paid: 0,
      payments: [{ payment_status: 'settled' }, { payment_status: 'refunded', payment_date: now() }],
      alerts: [],
    });
  });

  it('fails after three attempts with growing pauses', async () => {
    const id = await unanswered();
    const asked = [api.clock.now().getTime()];
    while (asked.length < 3) {
      api.clock.forward({ seconds: 1 });
      await askAgain();
      if (service.asked.length > asked.length) asked.push(api.clock.now().getTime());
    }
    const [first = 0, second = 0, third = 0] = asked;
    expect(third - second).toBeGreaterThan(second - first);
    expect(new Set(service.asked.map(({ key }) => key)).size).toBe(1);
    expect(await shown(id)).toMatchObject({
      proforma_status: 'canceled',
      paid: 300,
      payments: [{ payment_status: 'settled' }, { payment_status: 'refund_failed', finalized: true }],
      alerts: [{ kind: 'refund_failed' }],
    });
    api.clock.forward({ hours: 24 });
    await askAgain();
    expect(service.asked).toHaveLength(3);
  });
});

describe('a variant without a shelf', () => {
  it('has no stock', async () => {
    shop = await newShop();
    await shop.post('/int/products', {
      products: [{ code: 'NEW', name: 'Newcomer', price: 1, vat_rate: 20, variants: [{ code: 'NEW' }] }],
    });
    const evaluation = await evaluate(shop, [{ code: 'NEW', qty: 1 }]);
    const reply = await shop.post('/proforma_orders', { order_processing_id: evaluation });
    expect([reply.status, reply.body]).toEqual([
      422,
      { errors: { message: ['Insufficient stock for product: Newcomer'] } },
    ]);
  });
});

describe('the largest page of proformas', () => {
  /** Copies the only evaluation and proforma of an app. */
  const COPIES = `
    with evaluation as (
      insert into order_processings overriding system value
      select copy.* from order_processings o, generate_series(1, 10000) as n,
        jsonb_populate_record(o, jsonb_build_object('id', 1000000 + n)) as copy
      where o.app_id = $1
    )
    insert into proforma_orders overriding system value
    select copy.* from proforma_orders p, generate_series(1, 10000) as n,
      jsonb_populate_record(p, jsonb_build_object('id', 1000000 + n, 'order_processing_id', 1000000 + n, 'number', 'P-' || n)
      ) as copy
    where p.app_id = $1`;

  it('has at most 10,000', async () => {
    const client = await newShop();
    await propose(client, [{ code: 'A', qty: 1 }]);
    await api.database.rows(COPIES, [client.appId]);
    for (const limit of ['10000', '10001', '99999999999999999999']) {
      expect((await client.get(`/proforma_orders?limit=${limit}`)).body.data).toHaveLength(10_000);
    }
    expect((await client.get('/proforma_orders?limit=10000&offset=10000')).body.data).toHaveLength(1);
    expect((await client.get('/proforma_orders?offset=10001')).body.data).toEqual([]);
  });
});

describe('the status of every proforma call', () => {
  let http: RawHttp;
  let calls: RawCall[];
  let bearer: { Authorization: string };
  const detail = (text: string) => ({ errors: { detail: text } });
  const statuses = async (change: (call: RawCall) => RawCall) => {
    const replies = await Promise.all(calls.map((call) => http.call(change(call))));
    return new Set(replies.map(({ status, text }) => `${status} ${text}`));
  };

  beforeAll(async () => {
    http = new RawHttp(api.origin);
    shop = await newShop();
    bearer = { Authorization: `Bearer ${shop.token}` };
    const { id, items } = await proformaIn('awaiting_payment');
    await pay(id, 250);
    const { payments } = await confirm({ id, items }, 1);
    calls = callsOf(await evaluate(shop, items), { id, payment_id: payments[0].id, refund_id: payments.at(-1).id });
  });
  afterAll(() => http.close());

  /** A valid call of every proforma route. */
  function callsOf(evaluation: number, ids: Readonly<Record<string, number>>): RawCall[] {
    const bodies: Readonly<Record<string, object>> = {
      '/proforma_orders': { order_processing_id: evaluation },
      '/proforma_orders/:id/pay': { payment: { payment_method_id: 1, amount: 1 } },
      '/proforma_orders/:id/card_payments': { payment: {} },
      '/proforma_orders/:id/card_payments/:payment_id/result': { result: { status: 'failed' } },
    };
    const routes = api.container.get(TOKENS.Routes).filter((route) => route.path.startsWith('/proforma_orders'));
    return routes.map(({ method, path: template }) => ({
      method: method.toUpperCase(),
      path: `/api/v2${template.replaceAll(/:(\w+)/g, (_, name: string) => String(ids[name]))}`,
      headers: { ...bearer, 'Content-Type': 'application/json' },
      body: method === 'get' ? undefined : JSON.stringify(bodies[template] ?? {}),
    }));
  }

  it('covers 15 calls', () => {
    expect(calls).toHaveLength(15);
  });

  it('401: the token is missing or invalid', async () => {
    const missing = JSON.stringify({ errors: { token: 'API.Tokens.Missing' } });
    const invalid = JSON.stringify({ errors: { token: 'API.Tokens.Invalid' } });
    expect(await statuses((call) => ({ ...call, headers: {} }))).toEqual(new Set([`401 ${missing}`]));
    const headers = { Authorization: 'Bearer nobody' };
    expect(await statuses((call) => ({ ...call, headers }))).toEqual(new Set([`401 ${invalid}`]));
  });

  it.each([
    ['POST', '/proforma_orders/1'],
    ['PUT', '/proforma_orders'],
    ['DELETE', '/proforma_orders'],
    ['POST', '/proforma_orders/stats'],
    ['GET', '/proforma_orders/1/pay'],
    ['PUT', '/proforma_orders/1/warehouse_confirm'],
    ['GET', '/proforma_orders/1/convert'],
    ['POST', '/proforma_orders/1/cancel'],
    ['GET', '/proforma_orders/'],
    ['GET', '/proforma_order'],
  ])('404: %s %s does not exist', async (method, unknown) => {
    const { status, text } = await http.call({ method, path: `/api/v2${unknown}`, headers: bearer });
    expect([status, text]).toEqual([404, '[]']);
  });

  it('406: the Accept header rules out JSON', async () => {
    const answer = `406 ${JSON.stringify(detail('Not Acceptable'))}`;
    const headers = { ...bearer, Accept: 'text/html' };
    expect(await statuses((call) => ({ ...call, headers }))).toEqual(new Set([answer]));
  });

  it('413: the body is larger than accepted', async () => {
    const body = ' '.repeat(10 * 1024 ** 2 + 1);
    const writing = calls.filter(({ method }) => method !== 'GET');
    for (const call of writing) {
      const { status, text } = await http.call({ ...call, body });
      expect([status, JSON.parse(text)]).toEqual([413, detail('Request Entity Too Large')]);
    }
    expect(writing).toHaveLength(11);
  });

  it('500: an internal failure, without details', async () => {
    await api.database.rows('alter table proforma_orders rename to proformas_elsewhere');
    try {
      expect(await statuses((call) => call)).toEqual(new Set(['500 {"message":"Internal server error"}']));
    } finally {
      await api.database.rows('alter table proformas_elsewhere rename to proforma_orders');
    }
    expect((await shop.get('/proforma_orders')).status).toBe(200);
  });
});

describe('the API reference of proforma calls', () => {
  interface Operation {
    readonly 'x-extension'?: true;
    readonly parameters: readonly { readonly name: string; readonly schema: { readonly type: string } }[];
    readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
  }
  interface Schema {
    readonly required?: readonly string[];
    readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  }
  let paths: Record<string, Record<string, Operation>>;
  let schemas: Record<string, Schema>;

  beforeAll(async () => {
    const reference = (await (await fetch(`${api.origin}/openapi.json`)).json()) as {
      paths: typeof paths;
      components: { schemas: typeof schemas };
    };
    ({ paths } = reference);
    ({ schemas } = reference.components);
  });

  const operation = (call: string): Operation => {
    const [method = '', template = ''] = call.split(' ');
    return paths[`/api/v2${template}`]?.[method.toLowerCase()] as Operation;
  };
  const keysOf = (description = ''): string[] => [...description.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key);

  const ONE = 'id:integer';
  const EVERYWHERE = [400, 401, 406, 413, 429, 500, 503];
  const READ = [200, 404, ...EVERYWHERE];
  const WRITTEN = [...READ, 422];
  const STOCK = 'Insufficient stock for product: <product>';
  const FINAL_KEY = 'API.ProformaOrders.AlreadyFinal';
  const PAYING = [
    FINAL_KEY,
    'API.PaymentMethod.NotSupported',
    'Order debt is already paid',
    'Payment amount exceeds order debt',
  ];
  const EDITING = [
    FINAL_KEY,
    ...['InvalidTags', 'InvalidComment', 'AlertNotFound'].map((key) => `API.ProformaOrders.${key}`),
  ];
  const CREATING = [
    'API.OrderProcessings.StaleEvaluation',
    'API.ProformaOrders.WrongApp',
    'API.Products.MissingVat',
    'API.Orders.GuestDeliveryDataIncomplete',
    'API.ShipmentMethods.PickupPointRequired',
    'API.ShipmentMethods.PickupPointUnavailable',
    'API.Vouchers.NotAvailable',
    'API.ProformaOrders.BasketBelowMinimum',
    STOCK,
  ];
  const WINDOW = 'date_from:string date_to:string';
  const LIST = `status:string expiring_within:integer has_alerts:boolean anonymous:boolean customer_id:integer ${WINDOW}
    orderBy:string offset:integer limit:integer`;

  it.each<[string, string, readonly number[], readonly string[]]>([
    ['GET /proforma_orders', LIST, [200, ...EVERYWHERE], []],
    ['GET /proforma_orders/stats', WINDOW, [200, ...EVERYWHERE], []],
    ['GET /proforma_orders/{id}', ONE, READ, []],
    ['POST /proforma_orders', '', [201, 422, ...EVERYWHERE], CREATING],
    ['POST /proforma_orders/{id}/pay', ONE, WRITTEN, [...PAYING, 'API.Payments.CashAmountRequired']],
    ['POST /proforma_orders/{id}/warehouse_confirm', ONE, WRITTEN, [FINAL_KEY, STOCK]],
    ['POST /proforma_orders/{id}/convert', ONE, WRITTEN, [FINAL_KEY, 'API.ProformaOrders.NothingConfirmed']],
    ['PUT /proforma_orders/{id}', ONE, WRITTEN, EDITING],
    ['PATCH /proforma_orders/{id}', ONE, WRITTEN, EDITING],
    ['DELETE /proforma_orders/{id}', ONE, [204, 404, 422, ...EVERYWHERE], [FINAL_KEY]],
    ['GET /proforma_orders/{id}/payment_qr', ONE, WRITTEN, ['API.ProformaOrders.NoPaymentQr']],
    ['POST /proforma_orders/{id}/card_payments', ONE, [201, 404, 422, ...EVERYWHERE], PAYING],
    ['POST /proforma_orders/{id}/card_payments/{payment_id}/result', `${ONE} payment_id:integer`, WRITTEN, []],
  ])('%s has its parameters, statuses and error keys', (call, parameters, statuses, keys) => {
    const { parameters: documented, responses } = operation(call);
    const isWrite = !call.startsWith('GET');
    const repeating = isWrite
      ? { parameters: ['Idempotency-Key:string'], statuses: [409], keys: ['API.Idempotency.KeyReused'] }
      : { parameters: [], statuses: [], keys: [] };
    const wanted = [...parameters.split(/\s+/).filter((each) => each !== ''), ...repeating.parameters];
    expect(new Set(documented.map(({ name, schema }) => `${name}:${schema.type}`))).toEqual(new Set(wanted));
    expect(new Set(Object.keys(responses).map(Number))).toEqual(new Set([...statuses, ...repeating.statuses]));
    expect(new Set(keysOf(responses['422']?.description))).toEqual(new Set([...keys, ...repeating.keys]));
    expect(keysOf(responses['401']?.description)).toEqual(
      ['Missing', 'Invalid', 'Expired', 'Revoked'].map((failure) => `API.Tokens.${failure}`),
    );
  });

  it('marks the calls that the interface does not list', () => {
    const extensions = Object.entries(paths)
      .filter(([template]) => template.startsWith('/api/v2/proforma_orders'))
      .flatMap(([template, calls]) => Object.values(calls).map((call) => ({ template, call })))
      .filter(({ call }) => call['x-extension']);
    expect(new Set(extensions.map(({ template }) => template.split('/').at(-1)))).toEqual(
      new Set(['card_payments', 'payment_qr', 'record', 'result', 'retry']),
    );
  });

  it.each([
    ['PostProforma', ['order_processing_id'], []],
    ['PayProforma', ['payment'], []],
    ['PaymentFields', ['payment_method_id'], ['amount']],
    ['ConfirmProforma', [], ['adjustments']],
    ['AdjustmentFields', ['proforma_order_item_id', 'qty_confirmed'], []],
    ['EditProforma', [], ['alerts', 'comment', 'tags']],
    ['AlertFields', ['index', 'resolved'], []],
    ['CancelProforma', [], ['reason']],
  ])('has the required and optional fields of %s', (name, required, optional) => {
    const schema = schemas[name];
    expect(schema?.required ?? []).toEqual(required);
    expect(new Set(Object.keys(schema?.properties ?? {}))).toEqual(new Set([...required, ...optional]));
  });

  it('has the names of the statuses', () => {
    expect(schemas['Proforma']?.properties['proforma_status']?.enum).toEqual([...OPEN, ...FINAL]);
    expect(schemas['ProformaInList']?.properties['proforma_status_name']?.enum).toEqual([...OPEN, ...FINAL]);
  });

  it('has the media types of the QR code, also for 406', () => {
    const { responses } = operation('GET /proforma_orders/{id}/payment_qr');
    expect(Object.keys(responses['200']?.content ?? {})).toEqual(['image/png', 'image/svg+xml']);
    expect(responses['406']?.description).toBe('The Accept header rules out image/png and image/svg+xml');
  });
});
