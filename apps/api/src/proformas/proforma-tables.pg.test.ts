import { startPaymentService, type PaymentService } from '../testing/payment-service.js';
import { RawHttp, type RawCall } from '../testing/raw-http.js';
import {
  GUEST,
  evaluate,
  methodId,
  newCustomer,
  NO_PAYMENT_SOURCE,
  propose,
  setUp,
  stockOf,
  stockShop,
} from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

/* The fields, statuses, transitions and calls of proformas, as far as no other suite tests them. */

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
beforeEach(() => {
  service.status = 200;
  service.receivedRefunds.length = 0;
});

const HOUR_MS = 3_600_000;
const OPEN_STATUSES = ['draft', 'awaiting_payment', 'paid', 'confirmed', 'partial_confirmed'];
const OPEN_STATUSES_WITH_DEBT = OPEN_STATUSES.filter((status) => status !== 'paid');
const FINAL_STATUSES = ['converted', 'canceled', 'expired'];
const ALREADY_FINAL = { errors: { ProformaOrders: ['API.ProformaOrders.AlreadyFinal'] } };

interface Payment {
  readonly id: number;
  readonly amount: number;
  readonly payment_method: string;
  readonly payment_status: string;
}

const formatMoment = (moment: Date): string => moment.toISOString().slice(0, 19);
const now = (): string => formatMoment(api.clock.now());
const newShop = async (stock = 10): Promise<Client> => {
  const client = await api.app();
  await stockShop(client, [
    { code: 'A', price: 100, stock },
    { code: 'B', price: 33.33, vat: 10, stock },
  ]);
  return client;
};
const proformaPath = (id: number, call = ''): string => `/proforma_orders/${id}${call && `/${call}`}`;
const dataOf = ({ status, text, body }: Reply) => {
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body?.data;
};
const readProforma = async (id: number, client = shop) => dataOf(await client.get(proformaPath(id)));
const pay = async (id: number, amount: number, client = shop) => {
  const payment = { payment_method_id: await methodId(client, 'cash'), amount };
  return dataOf(await client.post(proformaPath(id, 'pay'), { payment }));
};
interface NewProforma {
  readonly id: number;
  readonly items: readonly { readonly proforma_order_item_id: number }[];
}
const confirm = async ({ id, items: [firstLine] }: NewProforma, qty: number, client = shop) => {
  const adjustments = [{ proforma_order_item_id: firstLine?.proforma_order_item_id, qty_confirmed: qty }];
  return dataOf(await client.post(proformaPath(id, 'warehouse_confirm'), { adjustments }));
};
const convert = async (id: number, client = shop) => dataOf(await client.post(proformaPath(id, 'convert')));
const cancel = async (id: number, reason = 'changed mind', client = shop) =>
  dataOf(await client.delete(proformaPath(id), { reason }));
const paymentStatuses = ({ payments }: { payments: readonly Payment[] }) =>
  payments.map((payment) => [payment.amount, payment.payment_status]);

const TRANSITIONS: Readonly<Record<string, (draft: NewProforma) => Promise<unknown>>> = {
  draft: async () => undefined,
  awaiting_payment: async ({ id }) =>
    dataOf(await shop.post(proformaPath(id, 'card_payments'), { payment: { amount: 100 } })),
  paid: ({ id }) => pay(id, 0),
  confirmed: ({ id }) => shop.post(proformaPath(id, 'warehouse_confirm')),
  partial_confirmed: (draft) => confirm(draft, 2),
  converted: ({ id }) => convert(id),
  canceled: ({ id }) => cancel(id),
  expired: async () => api.clock.forward({ hours: 72 }),
};

const makeProformaIn = async (status: string) => {
  const draft = await propose(shop, [{ code: 'A', qty: 3 }]);
  await TRANSITIONS[status]?.(draft);
  const proforma = await readProforma(draft.id);
  expect(proforma.proforma_status).toBe(status);
  return proforma;
};

describe('a proforma', () => {
  const ACCOUNT = {
    beneficiary: 'Shop',
    address: 'Put 1',
    account_number: '160-123456-54',
    purpose: 'Robe',
    payment_code: '221',
  };
  const OFFICE_ADDRESS = { address_line_1: 'Trg 2', city: 'Niš', postcode: '18000', country: 'RS' };
  let startMs: number;
  let mira: { customer_id: number; data_part: number; time_part: number };
  /**
   * `confirmed` belongs to a customer and is partly paid. `converted` and `canceled` belong to guests, and `canceled`
   * has failed refunds.
   */
  let ids: { confirmed: number; converted: number; canceled: number };
  let evaluationIds: Record<keyof typeof ids, number>;
  let order: { id: number; order_number: string };

  const dateTimeAt = (hours: number): string => formatMoment(new Date(startMs + hours * HOUR_MS));
  const forwardTo = (hours: number): void =>
    api.clock.forward({ hours: (startMs - api.clock.now().getTime()) / HOUR_MS + hours });
  const makeProforma = async (evaluationId: number) =>
    dataOf(await shop.post('/proforma_orders', { order_processing_id: evaluationId }));

  beforeAll(async () => {
    shop = await newShop();
    startMs = api.clock.now().getTime();
    mira = await newCustomer(shop, 'mira@example.com');
    await shop.patch('/app/settings', { bank_account: ACCOUNT });
    await setUp(shop, 'promotions', [{ code: 'TEN', name: 'Ten off', kind: 'percentage', value: 10 }]);
    await setUp(shop, 'shipment_methods', [{ code: 'courier', name: 'Courier', price: 30.5, vat_rate: 20 }]);
    evaluationIds = await evaluateAll();
    forwardTo(1);
    const [confirmedProforma, convertedProforma, canceledProforma] = [
      await makeProforma(evaluationIds.confirmed),
      await makeProforma(evaluationIds.converted),
      await makeProforma(evaluationIds.canceled),
    ];
    ids = { confirmed: confirmedProforma.id, converted: convertedProforma.id, canceled: canceledProforma.id };
    forwardTo(2);
    await pay(ids.confirmed, 50);
    await pay(ids.canceled, 100);
    await pay(ids.canceled, 0);
    forwardTo(3);
    await confirm(confirmedProforma, 2);
    forwardTo(4);
    order = await convert(ids.converted);
    forwardTo(5);
    service.status = 400;
    await cancel(ids.canceled);
    forwardTo(6);
    await shop.patch(proformaPath(ids.canceled), { alerts: [{ index: 0, resolved: true }] });
    forwardTo(7);
  });

  async function evaluateAll() {
    const items = [
      { code: 'A', qty: 2 },
      { code: 'B', qty: 1 },
    ];
    const saleFields = { market_id: 7, sales_channel_id: 3, sales_channel: 'kiosk' };
    return {
      confirmed: await evaluate(shop, items, { ...mira, ...saleFields, guest: undefined, tags: ['vip', 'fragile'] }),
      converted: await evaluate(shop, [{ code: 'A', qty: 1 }], { shipment_method_code: 'courier' }),
      canceled: await evaluate(shop, [{ code: 'A', qty: 3 }], { delivery: OFFICE_ADDRESS }),
    };
  }

  describe('in a list', () => {
    let rows: Record<string, unknown>[];
    const valuesOf = (...fields: readonly string[]) => rows.map((row) => fields.map((field) => row[field]));

    beforeAll(async () => {
      const { data } = (await shop.get('/proforma_orders')).body;
      rows = Object.values(ids).map((id) => data.find((row: { id: number }) => row.id === id));
    });

    it('has exactly the fields of the table', () => {
      const fields = `id proforma_number transaction_reference customer_data_part customer_time_part order_data_part
        order_time_part proforma_status_id proforma_status_name proforma_status_color
        proforma_status_final processing_date expires_at expires_in_seconds customer_id customer_email
        customer_first_name customer_last_name anonymous sales discount net_sales vat end_sales paid debt market_id
        currency_id sales_channel_id sales_channel warehouse_confirmed_at converted_at order_id canceled canceled_at
        cancel_reason tags alerts_count open_alerts_count inserted_at updated_at`.split(/\s+/);
      for (const row of rows) expect(new Set(Object.keys(row))).toEqual(new Set(fields));
    });

    it('has an integer id that identifies the proforma', async () => {
      for (const { id, proforma_number } of rows) {
        expect(Number.isInteger(id)).toBe(true);
        expect(await readProforma(id as number)).toMatchObject({ id, proforma_number });
      }
    });

    it('has a proforma_number P-<year>-<6 characters>, unique within the app and not sequential', async () => {
      const client = await newShop(100);
      const proformas = await Promise.all(Array.from({ length: 30 }, () => propose(client, [{ code: 'A', qty: 1 }])));
      const numbers = proformas.map((proforma: { proforma_number: string }) => proforma.proforma_number).sort();
      for (const number of numbers) expect(number).toMatch(/^P-2026-[0-9A-HJKMNP-TV-Z]{6}$/);
      expect(new Set(numbers).size).toBe(30);
      const codes = numbers.map((number) => parseInt(number.slice(7), 36));
      const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0));
      expect(Math.max(...steps)).toBeGreaterThan(1_000_000);
    });

    it('has its status in proforma_status_id, proforma_status_name and proforma_status_final', () => {
      expect(valuesOf('proforma_status_id', 'proforma_status_name', 'proforma_status_final')).toEqual([
        [4, 'confirmed', false],
        [6, 'converted', true],
        [7, 'canceled', true],
      ]);
    });

    it('has the time of the price freeze as processing_date', () => {
      expect(valuesOf('processing_date')).toEqual([[dateTimeAt(1)], [dateTimeAt(1)], [dateTimeAt(1)]]);
    });

    it('has an expires_at 72 hours after processing_date', () => {
      expect(valuesOf('expires_at')).toEqual([[dateTimeAt(73)], [dateTimeAt(73)], [dateTimeAt(73)]]);
    });

    it('has the remaining time in expires_in_seconds, 0 when final', () => {
      expect(valuesOf('expires_in_seconds')).toEqual([[66 * 3_600], [0], [0]]);
    });

    it('has the data of its customer, or of its guest without an id', () => {
      const { email, first_name: firstName, last_name: lastName } = GUEST;
      expect(valuesOf('customer_id', 'customer_email', 'customer_first_name', 'customer_last_name')).toEqual([
        [mira.customer_id, 'mira@example.com', 'Mira', 'Marić'],
        [null, email, firstName, lastName],
        [null, email, firstName, lastName],
      ]);
    });

    it('marks proformas of guests as anonymous', () => {
      expect(valuesOf('anonymous')).toEqual([[false], [true], [true]]);
    });

    it('has sales, discount, net_sales, vat and end_sales', () => {
      expect(valuesOf('sales', 'discount', 'net_sales', 'vat', 'end_sales')).toEqual([
        [233.33, 23.33, 177.27, 32.73, 210],
        [130.5, 10, 100.42, 20.08, 120.5],
        [300, 30, 225, 45, 270],
      ]);
    });

    it('has the paid amount and the remaining debt', () => {
      expect(valuesOf('paid', 'debt')).toEqual([
        [50, 160],
        [0, 120.5],
        [270, 0],
      ]);
    });

    it('has market, currency and sales channel of the sale', () => {
      expect(valuesOf('market_id', 'currency_id', 'sales_channel_id', 'sales_channel')).toEqual([
        [7, 941, 3, 'kiosk'],
        [1, 941, 1, 'web'],
        [1, 941, 1, 'web'],
      ]);
    });

    it('has warehouse_confirmed_at and converted_at, null before these events', () => {
      expect(valuesOf('warehouse_confirmed_at', 'converted_at')).toEqual([
        [dateTimeAt(3), null],
        [null, dateTimeAt(4)],
        [null, null],
      ]);
    });

    it('has the order_id of its order, null unless it is converted', () => {
      expect(valuesOf('order_id')).toEqual([[null], [order.id], [null]]);
    });

    it('has canceled, canceled_at and cancel_reason of its cancellation', () => {
      expect(valuesOf('canceled', 'canceled_at', 'cancel_reason')).toEqual([
        [false, null, null],
        [false, null, null],
        [true, dateTimeAt(5), 'changed mind'],
      ]);
    });

    it('has the tags of the client', () => {
      expect(valuesOf('tags')).toEqual([[['vip', 'fragile']], [[]], [[]]]);
    });

    it('counts all alerts and the unresolved ones', () => {
      expect(valuesOf('alerts_count', 'open_alerts_count')).toEqual([
        [0, 0],
        [0, 0],
        [2, 1],
      ]);
    });

    it('has creation and last change in inserted_at and updated_at', () => {
      expect(valuesOf('inserted_at', 'updated_at')).toEqual([
        [dateTimeAt(1), dateTimeAt(3)],
        [dateTimeAt(1), dateTimeAt(4)],
        [dateTimeAt(1), dateTimeAt(6)],
      ]);
    });
  });

  describe('in full', () => {
    it('has its evaluation as order_processing_id', async () => {
      for (const name of ['confirmed', 'converted', 'canceled'] as const)
        expect((await readProforma(ids[name])).order_processing_id).toBe(evaluationIds[name]);
    });

    it('has items with requested and confirmed quantities', async () => {
      const { items } = await readProforma(ids.confirmed);
      const identifiers = { proforma_order_item_id: expect.any(Number), product_id: expect.any(Number) };
      const line = { ...identifiers, product_variant_id: expect.any(Number), barcode: null, warehouse_code: 'W1' };
      const lineA = { code: 'A', name: 'Product A', qty: 2, qty_confirmed: 2, price: 100, vat_rate: 20 };
      const lineB = { code: 'B', name: 'Product B', qty: 1, qty_confirmed: 1, price: 33.33, vat_rate: 10 };
      const discountOf = (amount: number) => ({ promotions: [{ code: 'TEN', name: 'Ten off', amount }] });
      expect(items).toEqual([
        { ...line, ...lineA, sales: 200, discount: 20, end_sales: 180, ...discountOf(20) },
        { ...line, ...lineB, sales: 33.33, discount: 3.33, end_sales: 30, ...discountOf(3.33) },
      ]);
      expect(items[0].proforma_order_item_id).not.toBe(items[1].proforma_order_item_id);
      expect((await readProforma(ids.converted)).items).toMatchObject([{ code: 'A', qty: 1, qty_confirmed: null }]);
    });

    it('has lines without a product as fee_items', async () => {
      expect((await readProforma(ids.converted)).fee_items).toEqual([
        {
          proforma_order_item_id: expect.any(Number),
          qty_confirmed: null,
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
      expect((await readProforma(ids.confirmed)).fee_items).toEqual([]);
    });

    it('has payments with amount, method, status, date and finalized', async () => {
      expect((await readProforma(ids.confirmed)).payments).toEqual([
        {
          id: expect.any(Number),
          amount: 50,
          payment_method: 'Cash',
          payment_method_id: await methodId(shop, 'cash'),
          payment_status: 'settled',
          payment_date: dateTimeAt(2),
          finalized: true,
          ...NO_PAYMENT_SOURCE,
        },
      ]);
    });

    it('keeps a captured payment settled and adds its refund as a negative entry', async () => {
      const { payments } = await readProforma(ids.canceled);
      expect(payments).toMatchObject([
        { amount: 100, payment_status: 'settled', payment_date: dateTimeAt(2), finalized: true },
        { amount: 170, payment_status: 'settled', payment_date: dateTimeAt(2), finalized: true },
        { amount: -170, payment_status: 'refund_failed', payment_date: dateTimeAt(5), finalized: true },
        { amount: -100, payment_status: 'refund_failed', payment_date: dateTimeAt(5), finalized: true },
      ]);
      expect(new Set(payments.map(({ id }: Payment) => id)).size).toBe(4);
    });

    it('has payment_instructions with bank account, debt and a model 97 reference', async () => {
      const { proforma_number: number, payment_instructions: instructions } = await readProforma(ids.confirmed);
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

    it('has empty payment_instructions for an app without an account', async () => {
      const client = await newShop();
      const { payment_instructions: instructions } = await propose(client, [{ code: 'A', qty: 1 }]);
      expect(instructions).toMatchObject({ beneficiary: '', bank_account: '', amount: 100, model: '97', qr: null });
    });

    it('has tax_brackets with net, VAT and gross of each rate', async () => {
      expect((await readProforma(ids.confirmed)).tax_brackets).toEqual([
        { vat_rate: 10, net: 27.27, vat: 2.73, gross: 30 },
        { vat_rate: 20, net: 150, vat: 30, gross: 180 },
      ]);
    });

    it('has the payment reference as transaction_reference', async () => {
      const { transaction_reference: reference, payment_instructions: instructions } = await readProforma(
        ids.converted,
      );
      expect(reference).toBe(instructions.reference);
      expect(reference).toHaveLength('KK-2026-7K2M9Q'.length);
    });

    it('has a delivery_area with address, shipment method and pickup point', async () => {
      const { address_line_1, city, postcode } = GUEST;
      expect((await readProforma(ids.converted)).delivery_area).toEqual({
        address_line_1,
        city,
        postcode,
        country: null,
        shipment_method_code: 'courier',
        pickup_point_code: null,
      });
      expect((await readProforma(ids.canceled)).delivery_area).toMatchObject(OFFICE_ADDRESS);
    });

    it('has alerts with index, resolution and details', async () => {
      const { alerts, payments } = await readProforma(ids.canceled);
      const alertFields = { kind: 'refund_failed', message: 'A refund failed', inserted_at: dateTimeAt(5) };
      const detailsOf = (amount: number) => ({
        reason: 'failed',
        payment_id: expect.any(Number),
        refund_of: expect.any(Number),
        payment_method: 'Cash',
        amount,
      });
      expect(alerts).toEqual([
        { index: 0, ...alertFields, details: detailsOf(170), resolved: true, resolved_at: dateTimeAt(6) },
        { index: 1, ...alertFields, details: detailsOf(100), resolved: false, resolved_at: null },
      ]);
      const refundIds = payments.slice(2).map(({ id }: Payment) => id);
      const paymentIds = alerts.map((alert: { details: { payment_id: number } }) => alert.details.payment_id);
      expect(new Set(paymentIds)).toEqual(new Set(refundIds));
    });

    it('has a converted_order_number after the conversion', async () => {
      expect((await readProforma(ids.converted)).converted_order_number).toBe(order.order_number);
      expect(order.order_number).toMatch(/^O-2026-/);
      expect((await readProforma(ids.confirmed)).converted_order_number).toBeNull();
    });

    it('ignores edits of lines, prices, customer and delivery', async () => {
      const proformaBefore = await readProforma(ids.confirmed);
      const { status } = await shop.patch(proformaPath(ids.confirmed), {
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
        expires_at: dateTimeAt(1_000),
      });
      expect(status).toBe(200);
      expect(await readProforma(ids.confirmed)).toEqual(proformaBefore);
    });
  });
});

/** Returns the remainder by ISO 7064 MOD 97-10. Letters become two digits, and the check digits move to the end. */
function remainder97(reference: string): number {
  const [checkDigits = '', ...parts] = reference.split('-');
  const digits = [...parts.join(''), ...checkDigits].map((character) => parseInt(character, 36)).join('');
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
  ])('map the status %s to the id %d and the final flag %s', async (name, id, isFinal, expectedFields) => {
    const proforma = await makeProformaIn(name);
    const columns = {
      proforma_status_id: id,
      proforma_status_color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      proforma_status_final: isFinal,
    };
    expect(proforma).toMatchObject({ ...columns, ...expectedFields });
    const { data } = (await shop.get(`/proforma_orders?status=${name}`)).body;
    expect(data).toMatchObject([{ id: proforma.id, proforma_status_name: name, ...columns }]);
    expect(data[0].proforma_status_color).toBe(proforma.proforma_status_color);
  });
});

describe('a transition of a proforma', () => {
  beforeEach(async () => {
    shop = await newShop();
  });
  const expectedStock = (reservedPieces: number) => ({
    on_hand: 10,
    reserved: reservedPieces,
    available: 10 - reservedPieces,
  });

  it('makes a draft with frozen prices, reserved stock and 72 hours until it expires', async () => {
    const evaluationId = await evaluate(shop, [{ code: 'A', qty: 3 }]);
    api.clock.forward({ hours: 1 });
    await stockShop(shop, [{ code: 'A', price: 999, stock: 0 }]);
    const draft = dataOf(await shop.post('/proforma_orders', { order_processing_id: evaluationId }));
    expect(draft).toMatchObject({ proforma_status: 'draft', end_sales: 300, paid: 0, debt: 300, payments: [] });
    expect(draft).toMatchObject({ processing_date: now(), expires_in_seconds: 72 * 3_600 });
    expect(draft.expires_at).toBe(formatMoment(new Date(api.clock.now().getTime() + 72 * HOUR_MS)));
    expect(await stockOf(shop, 'A')).toEqual(expectedStock(3));
    expect(await readProforma(draft.id)).toEqual(draft);
  });

  it.each(OPEN_STATUSES_WITH_DEBT)('pays a proforma in %s partially, then completely', async (status) => {
    const { id, debt } = await makeProformaIn(status);
    const partialProforma = await pay(id, 60);
    expect(partialProforma).toMatchObject({ proforma_status: status, paid: 60, debt: debt - 60 });
    const paidProforma = await pay(id, 0);
    expect(paidProforma).toMatchObject({ proforma_status: 'paid', paid: debt, debt: 0 });
    const cashPayments = paidProforma.payments.filter((payment: Payment) => payment.payment_method === 'Cash');
    expect(paymentStatuses({ payments: cashPayments })).toEqual([
      [60, 'settled'],
      [debt - 60, 'settled'],
    ]);
    expect(await readProforma(id)).toEqual(paidProforma);
  });

  it('drops a fee whose adjustment is 0, and restores it when a later call leaves it out', async () => {
    await setUp(shop, 'shipment_methods', [{ code: 'courier', name: 'Courier', price: 30.5, vat_rate: 20 }]);
    const { id, items, fee_items } = await propose(shop, [{ code: 'A', qty: 1 }], { shipment_method_code: 'courier' });
    const [fee] = fee_items;
    expect(fee).toMatchObject({ proforma_order_item_id: expect.any(Number), qty_confirmed: null });
    expect(fee.proforma_order_item_id).not.toBe(items[0].proforma_order_item_id);
    const drop = { adjustments: [{ proforma_order_item_id: fee.proforma_order_item_id, qty_confirmed: 0 }] };
    const dropped = dataOf(await shop.post(proformaPath(id, 'warehouse_confirm'), drop));
    expect(dropped).toMatchObject({ proforma_status: 'partial_confirmed', end_sales: 100 });
    expect(dropped.fee_items).toMatchObject([{ ...fee, qty_confirmed: 0, sales: 0, end_sales: 0 }]);
    const restored = dataOf(await shop.post(proformaPath(id, 'warehouse_confirm')));
    expect(restored).toMatchObject({ proforma_status: 'confirmed', end_sales: 130.5 });
    expect(restored.fee_items).toEqual([{ ...fee, qty_confirmed: 1 }]);
    await shop.post(proformaPath(id, 'warehouse_confirm'), drop);
    const order = dataOf(await shop.post(proformaPath(id, 'convert')));
    expect(order).toMatchObject({ end_sales: 100, fee_items: [] });
    const converted = await readProforma(id);
    expect([converted.order_data_part, converted.order_time_part]).toEqual([order.data_part, order.time_part]);
    const [listed] = (await shop.get('/proforma_orders')).body.data;
    expect([listed.order_id, listed.order_data_part]).toEqual([order.id, order.data_part]);
  });

  it('confirms a fee that an earlier release stored without an id', async () => {
    await setUp(shop, 'shipment_methods', [{ code: 'courier', name: 'Courier', price: 30.5, vat_rate: 20 }]);
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }], { shipment_method_code: 'courier' });
    await api.database.rows(
      `update proforma_orders set version = version + 1,
         fees = (select jsonb_agg(fee - 'id' - 'qtyConfirmed') from jsonb_array_elements(fees) as fee) where id = $1`,
      [id],
    );
    expect((await readProforma(id)).fee_items).toMatchObject([{ proforma_order_item_id: -1, qty_confirmed: null }]);
    const drop = { adjustments: [{ proforma_order_item_id: -1, qty_confirmed: 0 }] };
    const { body } = await shop.post(proformaPath(id, 'warehouse_confirm'), drop);
    expect(body.data).toMatchObject({ end_sales: 100, fee_items: [{ proforma_order_item_id: -1, qty_confirmed: 0 }] });
  });

  it('stores the reason of a cancellation from the query, and prefers that of the body', async () => {
    const [first, second, third] = [
      await makeProformaIn('draft'),
      await makeProformaIn('draft'),
      await makeProformaIn('draft'),
    ];
    await shop.delete(`/proforma_orders/${first.id}?reason=Too%20late`);
    await shop.delete(`/proforma_orders/${second.id}?reason=Too%20late`, { reason: 'Sold out' });
    expect((await readProforma(first.id)).cancel_reason).toBe('Too late');
    expect((await readProforma(second.id)).cancel_reason).toBe('Sold out');
    const { status, body } = await shop.delete(`/proforma_orders/${third.id}?reason=${'x'.repeat(256)}`);
    expect([status, body]).toEqual([422, { errors: { reason: ['is too long'] } }]);
    expect((await readProforma(third.id)).proforma_status).toBe('draft');
  });

  it.each(OPEN_STATUSES)('confirms a proforma in %s when no line is reduced', async (status) => {
    const { id } = await makeProformaIn(status);
    api.clock.forward({ seconds: 1 });
    const confirmedProforma = dataOf(await shop.post(proformaPath(id, 'warehouse_confirm'), { adjustments: [] }));
    expect(confirmedProforma).toMatchObject({
      proforma_status: 'confirmed',
      warehouse_confirmed_at: now(),
      items: [{ qty: 3, qty_confirmed: 3 }],
      end_sales: 300,
    });
    expect(await stockOf(shop, 'A')).toEqual(expectedStock(3));
    expect(await readProforma(id)).toEqual(confirmedProforma);
  });

  it.each(OPEN_STATUSES)(
    'confirms a proforma in %s partially when a line is reduced, and updates prices and stock',
    async (status) => {
      const confirmedProforma = await confirm(await makeProformaIn(status), 1);
      expect(confirmedProforma).toMatchObject({
        proforma_status: 'partial_confirmed',
        warehouse_confirmed_at: now(),
        items: [{ qty: 3, qty_confirmed: 1, sales: 100 }],
        end_sales: 100,
      });
      expect(await stockOf(shop, 'A')).toEqual(expectedStock(1));
      expect(await readProforma(confirmedProforma.id)).toEqual(confirmedProforma);
    },
  );

  it('refunds the overpaid difference of a reduced line', async () => {
    const confirmedProforma = await confirm(await makeProformaIn('paid'), 2);
    expect(confirmedProforma).toMatchObject({ end_sales: 200, paid: 200, debt: 0, alerts: [] });
    expect(paymentStatuses(confirmedProforma)).toEqual([
      [300, 'settled'],
      [-100, 'refunded'],
    ]);
    expect(service.receivedRefunds).toMatchObject([{ payment_id: confirmedProforma.payments[0].id, amount: 100 }]);
  });

  it('adds an alert when the refund of a reduced line fails', async () => {
    const proforma = await makeProformaIn('paid');
    service.status = 400;
    const confirmedProforma = await confirm(proforma, 2);
    expect(confirmedProforma).toMatchObject({
      proforma_status: 'partial_confirmed',
      end_sales: 200,
      paid: 300,
      debt: 0,
    });
    expect(paymentStatuses(confirmedProforma).at(-1)).toEqual([-100, 'refund_failed']);
    expect(confirmedProforma.alerts).toMatchObject([{ index: 0, kind: 'refund_failed', resolved: false }]);
  });

  it('removes fees and refunds everything when all lines are confirmed at 0', async () => {
    await setUp(shop, 'shipment_methods', [{ code: 'courier', name: 'Courier', price: 30.5, vat_rate: 20 }]);
    const draft = await propose(shop, [{ code: 'A', qty: 1 }], { shipment_method_code: 'courier' });
    expect(await pay(draft.id, 0)).toMatchObject({ paid: 130.5, fee_items: [{ kind: 'shipment' }] });
    const confirmedProforma = await confirm(draft, 0);
    expect(confirmedProforma).toMatchObject({ sales: 0, vat: 0, end_sales: 0, paid: 0, debt: 0 });
    expect(confirmedProforma.fee_items).toMatchObject([{ qty: 1, qty_confirmed: 0, end_sales: 0 }]);
    expect(paymentStatuses(confirmedProforma).at(-1)).toEqual([-130.5, 'refunded']);
  });

  it.each(OPEN_STATUSES)(
    'converts a proforma in %s to one order with the confirmed quantities, payments and reserved stock',
    async (status) => {
      const { id, items, end_sales, paid, payments } = await makeProformaIn(status);
      const qty = items[0].qty_confirmed ?? 3;
      const order = await convert(id);
      expect(order).toMatchObject({ proforma_order_id: id, items: [{ code: 'A', qty }], end_sales, paid, payments });
      const convertedProforma = await readProforma(id);
      expect(convertedProforma).toMatchObject({
        proforma_status: 'converted',
        converted_at: now(),
        order_id: order.id,
      });
      expect(convertedProforma.converted_order_number).toBe(order.order_number);
      expect(await stockOf(shop, 'A')).toEqual(expectedStock(qty));
      expect(await convert(id)).toEqual(order);
      expect((await shop.get('/orders')).body.data).toHaveLength(1);
    },
  );

  it.each(OPEN_STATUSES)('cancels a proforma in %s, refunds its payments and releases its stock', async (status) => {
    const { id, paid, payments } = await makeProformaIn(status);
    const { status: replyStatus, text } = await shop.delete(proformaPath(id), { reason: 'too late' });
    expect([replyStatus, text]).toEqual([204, '']);
    const canceledProforma = await readProforma(id);
    expect(canceledProforma).toMatchObject({
      proforma_status: 'canceled',
      cancel_reason: 'too late',
      canceled_at: now(),
      paid: 0,
    });
    const refunds = paid === 0 ? [] : [[-paid, 'refunded']];
    expect(paymentStatuses(canceledProforma)).toEqual([...paymentStatuses({ payments }), ...refunds]);
    expect(await stockOf(shop, 'A')).toEqual(expectedStock(0));
  });

  it('does not count pending refunds as paid', async () => {
    const draft = await propose(shop, [{ code: 'A', qty: 5 }]);
    const { id } = draft;
    await pay(id, 400);
    service.status = 503;
    await confirm(draft, 3);
    expect(await confirm(draft, 5)).toMatchObject({ paid: 400, debt: 100 });
    await expect(pay(id, 200.01)).rejects.toThrow('Payment amount exceeds order debt');
    expect((await pay(id, 0)).payments.at(-1)).toMatchObject({ amount: 200 });
    service.status = 200;
    api.clock.forward({ seconds: 60 });
    await api.container.get(TOKENS.Refunds).payOutDue();
    expect(await readProforma(id)).toMatchObject({ proforma_status: 'paid', paid: 500, debt: 0 });
  });

  it('cancels with an alert when the refund fails', async () => {
    const { id } = await makeProformaIn('paid');
    service.status = 400;
    await cancel(id);
    expect(await readProforma(id)).toMatchObject({
      proforma_status: 'canceled',
      paid: 300,
      payments: [{ amount: 300 }, { amount: -300, payment_status: 'refund_failed' }],
      alerts: [{ kind: 'refund_failed', resolved: false }],
    });
  });

  it.each(OPEN_STATUSES_WITH_DEBT)(
    'expires a proforma in %s without a call, refunds its payments and releases its stock',
    async (status) => {
      const { id } = await makeProformaIn(status);
      await pay(id, 60);
      api.clock.forward({ hours: 72 });
      await api.container.get(TOKENS.ExpirySweep).run();
      await api.container.get(TOKENS.Refunds).payOutDue();
      // The test lists proformas, because reading an overdue proforma by id would expire it.
      const { data } = (await shop.get('/proforma_orders?status=expired')).body;
      expect(data).toMatchObject([
        { id, canceled: true, cancel_reason: 'expired', canceled_at: now(), paid: 0, expires_in_seconds: 0 },
      ]);
      expect(paymentStatuses(await readProforma(id)).slice(-2)).toEqual([
        [60, 'settled'],
        [-60, 'refunded'],
      ]);
      expect(await stockOf(shop, 'A')).toEqual(expectedStock(0));
    },
  );

  it('raises expiry_refund_failed when the refund of an expired proforma fails', async () => {
    const { id } = await makeProformaIn('draft');
    await pay(id, 60);
    service.status = 400;
    api.clock.forward({ hours: 72 });
    await api.container.get(TOKENS.ExpirySweep).run();
    await api.container.get(TOKENS.Refunds).payOutDue();
    expect(await readProforma(id)).toMatchObject({
      proforma_status: 'expired',
      paid: 60,
      alerts: [{ kind: 'expiry_refund_failed', resolved: false }],
    });
  });

  it('expires a proforma with a total of 0', async () => {
    await stockShop(shop, [{ code: 'GIFT', price: 0 }]);
    const { id, end_sales } = await propose(shop, [{ code: 'GIFT', qty: 1 }]);
    expect(end_sales).toBe(0);
    api.clock.forward({ hours: 72 });
    expect((await readProforma(id)).proforma_status).toBe('expired');
  });
});

describe('a final proforma', () => {
  beforeEach(async () => {
    shop = await newShop();
  });
  const CALLS_BY_NAME: Readonly<Record<string, (id: number) => Promise<Reply>>> = {
    pay: async (id) =>
      shop.post(proformaPath(id, 'pay'), { payment: { payment_method_id: await methodId(shop, 'cash'), amount: 0 } }),
    warehouse_confirm: (id) => shop.post(proformaPath(id, 'warehouse_confirm')),
    convert: (id) => shop.post(proformaPath(id, 'convert')),
    DELETE: (id) => shop.delete(proformaPath(id)),
    tags: (id) => shop.put(proformaPath(id), { tags: ['late'] }),
    comment: (id) => shop.patch(proformaPath(id), { comment: 'late' }),
  };
  const callsIn = (status: string): string[][] => Object.keys(CALLS_BY_NAME).map((call) => [status, call]);

  it.each([
    ['pay', { payment: {} }],
    ['pay', { payment: { payment_method_id: 1, amount: 1.001 } }],
    ['card_payments', { payment: { amount: 1.001 } }],
    ['warehouse_confirm', { adjustments: [{}] }],
    ['DELETE', { reason: 'x'.repeat(256) }],
  ])('refuses %s %j because the proforma is final, before other rules are checked', async (call, body) => {
    const send = (id: number) =>
      call === 'DELETE' ? shop.delete(proformaPath(id), body) : shop.post(proformaPath(id, call), body);
    const openProforma = await makeProformaIn('draft');
    const ruleReply = await send(openProforma.id);
    expect([ruleReply.status, ruleReply.body]).not.toEqual([422, ALREADY_FINAL]);
    for (const status of FINAL_STATUSES) {
      const { id } = await makeProformaIn(status);
      const reply = await send(id);
      expect([reply.status, reply.body]).toEqual([422, ALREADY_FINAL]);
    }
    api.clock.forward({ hours: 72 });
    expect((await send(openProforma.id)).body).toEqual(ALREADY_FINAL);
  });

  // A repeated conversion returns the order.
  it.each(FINAL_STATUSES.flatMap(callsIn).filter((row) => row.join() !== 'converted,convert'))(
    'refuses in status %s the call %s with AlreadyFinal and changes nothing',
    async (status, call) => {
      const proformaBefore = await makeProformaIn(status ?? '');
      const reply = await CALLS_BY_NAME[call ?? '']?.(proformaBefore.id);
      expect([reply?.status, reply?.body]).toEqual([422, ALREADY_FINAL]);
      expect(await readProforma(proformaBefore.id)).toEqual(proformaBefore);
    },
  );

  it.each(FINAL_STATUSES)('accepts resolved alerts in status %s, but refuses a comment', async (status) => {
    const { id } = await makeAlertedProforma(status);
    const alerts = [{ index: 0, resolved: true }];
    const refusedReply = await shop.patch(proformaPath(id), { alerts, comment: 'seen to' });
    expect([refusedReply.status, refusedReply.body]).toEqual([422, ALREADY_FINAL]);
    expect(await readProforma(id)).toMatchObject({ open_alerts_count: 1, comment: null });
    const resolvedProforma = dataOf(await shop.patch(proformaPath(id), { alerts }));
    expect(resolvedProforma).toMatchObject({ proforma_status: status, alerts_count: 1, open_alerts_count: 0 });
    expect(resolvedProforma.alerts).toMatchObject([{ index: 0, resolved: true, resolved_at: now() }]);
  });

  async function makeAlertedProforma(status: string) {
    const draft = await propose(shop, [{ code: 'A', qty: 3 }]);
    await pay(draft.id, status === 'expired' ? 60 : 0);
    service.status = 400;
    if (status === 'converted') await confirm(draft, 2);
    await TRANSITIONS[status]?.(draft);
    const proforma = await readProforma(draft.id);
    expect(proforma).toMatchObject({ proforma_status: status, open_alerts_count: 1 });
    return proforma;
  }
});

describe('a call for proformas:', () => {
  beforeAll(async () => {
    shop = await newShop(100);
  });
  const BAD_REQUEST = { errors: { detail: 'Bad Request' } };
  const blankError = (field: string) => ({ errors: { [field]: ["can't be blank"] } });

  it.each([
    [{}, 422, blankError('order_processing_id')],
    [{ order_processing_id: null }, 422, blankError('order_processing_id')],
    [{ proforma_order: { order_processing_id: 1 } }, 422, blankError('order_processing_id')],
    [{ order_processing_id: '1' }, 400, BAD_REQUEST],
    [{ order_processing_id: 1.5 }, 400, BAD_REQUEST],
  ])('POST /proforma_orders refuses %j', async (body, status, expectedBody) => {
    const reply = await shop.post('/proforma_orders', body);
    expect([reply.status, reply.body]).toEqual([status, expectedBody]);
  });

  it('POST /proforma_orders answers 201 with the full proforma', async () => {
    const reply = await shop.post('/proforma_orders', {
      order_processing_id: await evaluate(shop, [{ code: 'B', qty: 1 }]),
    });
    expect([reply.status, Object.keys(reply.body)]).toEqual([201, ['data']]);
    expect(await readProforma(reply.body.data.id)).toEqual(reply.body.data);
  });

  it('pay records payments of every kind except card', async () => {
    const [giftMethod] = await setUp(shop, 'payment_methods', [{ code: 'gift', name: 'Gift card', kind: 'other' }]);
    const { id } = await makeProformaIn('draft');
    const bankPayment = { payment_method_id: await methodId(shop, 'bank_transfer'), amount: 120.5 };
    const firstProforma = dataOf(await shop.post(proformaPath(id, 'pay'), { payment: bankPayment }));
    expect(firstProforma).toMatchObject({ proforma_status: 'draft', paid: 120.5, debt: 179.5 });
    const { payments } = dataOf(
      await shop.post(proformaPath(id, 'pay'), { payment: { payment_method_id: giftMethod.id, amount: 9.5 } }),
    );
    const settled = { id: expect.any(Number), payment_status: 'settled', payment_date: now(), finalized: true };
    const commonFields = { ...settled, ...NO_PAYMENT_SOURCE };
    expect(payments).toEqual([
      { ...commonFields, ...bankPayment, payment_method: 'Bank transfer' },
      { ...commonFields, amount: 9.5, payment_method: 'Gift card', payment_method_id: giftMethod.id },
    ]);
  });

  it.each([
    [{}, 400, BAD_REQUEST],
    [{ payment: [] }, 400, BAD_REQUEST],
    [{ payment_method_id: 1, amount: 1 }, 400, BAD_REQUEST],
    [{ payment: { payment_method_id: 1, amount: '1' } }, 400, BAD_REQUEST],
    [{ payment: { amount: 1 } }, 422, blankError('payment_method_id')],
  ])('pay refuses %j', async (body, status, expectedBody) => {
    const { id } = await makeProformaIn('draft');
    const reply = await shop.post(proformaPath(id, 'pay'), body);
    expect([reply.status, reply.body]).toEqual([status, expectedBody]);
  });

  it.each([
    [{ adjustments: {} }, 400, BAD_REQUEST],
    [{ adjustments: [1] }, 400, BAD_REQUEST],
    [{ adjustments: [{ proforma_order_item_id: '1', qty_confirmed: 1 }] }, 400, BAD_REQUEST],
    [{ adjustments: [{ qty_confirmed: 1 }] }, 422, blankError('adjustments.0.proforma_order_item_id')],
  ])('warehouse_confirm refuses %j', async (...args) => {
    const [body, status, expectedBody] = args;
    const { id } = await makeProformaIn('draft');
    const reply = await shop.post(proformaPath(id, 'warehouse_confirm'), body);
    expect([reply.status, reply.body]).toEqual([status, expectedBody]);
    expect((await readProforma(id)).proforma_status).toBe('draft');
  });

  it('convert returns the order, as GET /orders/{id} does', async () => {
    const { id } = await makeProformaIn('confirmed');
    const reply = await shop.post(proformaPath(id, 'convert'));
    expect([reply.status, Object.keys(reply.body)]).toEqual([200, ['data']]);
    const { id: orderId, data_part, time_part } = reply.body.data;
    const orderReply = await shop.get(`/orders/${orderId}?dataPart=${data_part}&timePart=${time_part}`);
    expect(orderReply.body.data).toEqual(reply.body.data);
  });

  it.each(['put', 'patch'] as const)('%s replaces the tags and returns the proforma', async (method) => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }], { tags: ['old', 'kept'], comment: 'ring twice' });
    const tags = ['t'.repeat(100), 'kept'];
    const editedProforma = dataOf(await shop[method](proformaPath(id), { tags }));
    expect(editedProforma).toMatchObject({ tags, comment: 'ring twice' });
    expect(await readProforma(id)).toEqual(editedProforma);
  });

  it.each([
    [{ reason: 'x'.repeat(256) }, 422, { errors: { reason: ['is too long'] } }],
    [{ reason: 'a\0' }, 422, { errors: { reason: ['is invalid'] } }],
    [{ reason: 5 }, 400, BAD_REQUEST],
    [[], 400, BAD_REQUEST],
  ])('DELETE refuses %j and cancels nothing', async (body, status, expectedBody) => {
    const { id } = await makeProformaIn('draft');
    const reply = await shop.delete(proformaPath(id), body);
    expect([reply.status, reply.body]).toEqual([status, expectedBody]);
    expect((await readProforma(id)).proforma_status).toBe('draft');
  });

  it.each(['x'.repeat(255), null, undefined])('DELETE stores the optional reason: %p', async (reason) => {
    const { id } = await makeProformaIn('draft');
    expect((await shop.delete(proformaPath(id), { reason })).status).toBe(204);
    expect(await readProforma(id)).toMatchObject({ canceled: true, cancel_reason: reason ?? null });
  });
});

describe('a refund without an answer', () => {
  const payOutDue = () => api.container.get(TOKENS.Refunds).payOutDue();
  const cancelWithoutAnswer = async () => {
    const { id } = await makeProformaIn('paid');
    service.status = 503;
    await cancel(id);
    return id;
  };
  beforeEach(async () => {
    shop = await newShop();
  });

  it('fails after three attempts with increasing pauses', async () => {
    const id = await cancelWithoutAnswer();
    const requestTimes = [api.clock.now().getTime()];
    while (requestTimes.length < 3) {
      api.clock.forward({ seconds: 1 });
      await payOutDue();
      if (service.receivedRefunds.length > requestTimes.length) requestTimes.push(api.clock.now().getTime());
    }
    const [firstMs = 0, secondMs = 0, thirdMs = 0] = requestTimes;
    expect(thirdMs - secondMs).toBeGreaterThan(secondMs - firstMs);
    expect(new Set(service.receivedRefunds.map(({ key }) => key)).size).toBe(1);
    expect(await readProforma(id)).toMatchObject({
      proforma_status: 'canceled',
      paid: 300,
      payments: [{ payment_status: 'settled' }, { payment_status: 'refund_failed', finalized: true }],
      alerts: [{ kind: 'refund_failed' }],
    });
    api.clock.forward({ hours: 24 });
    await payOutDue();
    expect(service.receivedRefunds).toHaveLength(3);
  });
});

describe('a variant without a shelf', () => {
  it('is refused as out of stock', async () => {
    shop = await newShop();
    await shop.post('/int/products', {
      products: [{ code: 'NEW', name: 'Newcomer', price: 1, vat_rate: 20, variants: [{ code: 'NEW' }] }],
    });
    const evaluationId = await evaluate(shop, [{ code: 'NEW', qty: 1 }]);
    const reply = await shop.post('/proforma_orders', { order_processing_id: evaluationId });
    expect([reply.status, reply.body]).toEqual([
      422,
      { errors: { message: ['Insufficient stock for product: Newcomer'] } },
    ]);
  });
});

describe('the largest page of proformas', () => {
  const COPY_EVALUATION_AND_PROFORMA = `
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

  it('has 10,000 proformas', async () => {
    const client = await newShop();
    await propose(client, [{ code: 'A', qty: 1 }]);
    await api.database.rows(COPY_EVALUATION_AND_PROFORMA, [client.appId]);
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
  const collectReplies = async () => {
    const replies = await Promise.all(calls.map((call) => http.call(call)));
    return new Set(replies.map(({ status, text }) => `${status} ${text}`));
  };

  beforeAll(async () => {
    http = new RawHttp(api.origin);
    shop = await newShop();
    const { id, items } = await makeProformaIn('awaiting_payment');
    await pay(id, 250);
    const { payments } = await confirm({ id, items }, 1);
    calls = callsOf(await evaluate(shop, items), { id, payment_id: payments[0].id, refund_id: payments.at(-1).id });
  });
  afterAll(() => http.close());

  function callsOf(evaluationId: number, ids: Readonly<Record<string, number>>): RawCall[] {
    const bodies: Readonly<Record<string, object>> = {
      '/proforma_orders': { order_processing_id: evaluationId },
      '/proforma_orders/:id/pay': { payment: { payment_method_id: 1, amount: 1 } },
      '/proforma_orders/:id/card_payments': { payment: {} },
      '/proforma_orders/:id/card_payments/:payment_id/result': { result: { status: 'failed' } },
    };
    const routes = api.container.get(TOKENS.Routes).filter((route) => route.path.startsWith('/proforma_orders'));
    return routes.map(({ method, path: template }) => ({
      method: method.toUpperCase(),
      path: `/api/v2${template.replaceAll(/:(\w+)/g, (_, name: string) => String(ids[name]))}`,
      headers: { Authorization: `Bearer ${shop.token}`, 'Content-Type': 'application/json' },
      body: method === 'get' ? undefined : JSON.stringify(bodies[template] ?? {}),
    }));
  }

  it('is 500 without details for an internal failure', async () => {
    await api.database.rows('alter table proforma_orders rename to proformas_elsewhere');
    try {
      expect(await collectReplies()).toEqual(new Set(['500 {"message":"Internal server error"}']));
    } finally {
      await api.database.rows('alter table proformas_elsewhere rename to proforma_orders');
    }
    expect((await shop.get('/proforma_orders')).status).toBe(200);
  });
});

describe('the API reference of proforma calls', () => {
  interface Response {
    readonly description: string;
    readonly content?: object;
  }
  let responses: Readonly<Record<string, Response>>;

  beforeAll(async () => {
    const reference = (await (await fetch(`${api.origin}/openapi.json`)).json()) as {
      components: { responses: typeof responses };
    };
    ({ responses } = reference.components);
  });

  const keysOf = (description = ''): string[] => [...description.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key);

  it('documents common failures once for each kind of call', () => {
    const { description, content } = responses['AppKeyedErrors'] ?? { description: '' };
    expect([...description.matchAll(/^- (\d+): /gm)].map(([, status]) => Number(status))).toEqual([
      400, 401, 403, 406, 409, 410, 413, 422, 429, 500, 503,
    ]);
    expect(keysOf(description)).toEqual(
      expect.arrayContaining([
        ...['Missing', 'Invalid', 'Expired', 'Revoked', 'ScopeMissing'].map((failure) => `API.Tokens.${failure}`),
        ...['InProgress', 'KeyReused', 'AnswerNotKept'].map((failure) => `API.Idempotency.${failure}`),
      ]),
    );
    const errors = ['DetailError', 'TokenError', 'RuleError', 'MessageError'];
    expect(content).toEqual({
      'application/json': { schema: { anyOf: errors.map((name) => ({ $ref: `#/components/schemas/${name}` })) } },
      'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    });
    expect(responses['AppErrors']?.description).not.toMatch(/^- (?:409|410)/m);
    expect(responses['SessionErrors']?.description).not.toMatch(/^- 403/m);
  });
});
