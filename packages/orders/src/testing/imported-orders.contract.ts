import { isRefusal } from '@back-office/kernel';
import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { ORDER_ALREADY_EXISTS, type ImportedOrder } from '../index.js';
import { OrderShop, type OrderFixture } from './given-orders.js';

export function importedOrdersContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<OrderFixture>,
): void {
  let fixture: OrderFixture;
  let shop: OrderShop;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    shop = await OrderShop.open(fixture);
  });
  const countOrders = async (): Promise<number> => {
    const filter = {
      search: undefined,
      customerId: undefined,
      appLocationId: undefined,
      from: undefined,
      before: undefined,
      updatedAfter: undefined,
    };
    const app = { id: shop.appId, decimals: 2, currency: 'RSD' };
    const page = { offset: 0, limit: 100 };
    const { json } = await fixture.orderQueries.list({ app, filter, orderBy: '', page });
    return (JSON.parse(json) as unknown[]).length;
  };

  describe('an imported order', () => {
    it('is stored as open, pending and unpaid', async () => {
      const now = fixture.clock.now();
      const order = await shop.importOrder();
      expect(order).toMatchObject({
        external_ref: 'ext-1',
        order_date: now,
        inserted_at: now,
        updated_at: now,
        order_status_id: 1,
        payment_status_id: 1,
        delivery_status_id: 1,
        invoice_number: null,
        customer_id: null,
        customer_email: null,
        app_location_id: null,
        delivery: null,
        comment: null,
        proforma_order_id: null,
        proforma_number: null,
        currency: 'RSD',
        tags: [],
        fees: [],
        payments: null,
        sales: 2_000,
        discount: 0,
        net_sales: 1_667,
        vat: 333,
        end_sales: 2_000,
        paid: 0,
        debt: 2_000,
        market_id: 1,
        sales_channel_id: 1,
        sales_channel: 'web',
      });
      expect(order.items).toMatchObject([
        {
          product_id: shop.shirt.productId,
          product_variant_id: shop.shirt.variantId,
          code: 'S',
          barcode: '860',
          name: 'S',
          qty: 2,
          price: 1_000,
          vat_rate: 2_000,
          sales: 2_000,
          discount: 0,
          promotions: [],
          warehouse_code: null,
        },
      ]);
      expect(order.data_part).toBeGreaterThan(0);
    });

    it('keeps its order number if it states one, and otherwise gets a new one', async () => {
      expect((await shop.importOrder()).order_number).toMatch(/^O-2026-[0-9A-HJKMNP-TV-Z]{8}$/);
      expect((await shop.importOrder({ externalRef: 'b', orderNumber: 'N-1' })).order_number).toBe('N-1');
    });

    it('keeps its date, prices and the order of its items', async () => {
      const items = [
        { barcode: '860', qty: 1, price: 1 },
        { external_ref: 'ref', qty: 3, price: 0 },
      ];
      const order = await shop.importOrder({ items, orderDate: new Date('2020-02-03T04:05:06Z') });
      expect(order.order_date).toEqual(new Date('2020-02-03T04:05:06Z'));
      expect(order.items).toMatchObject([
        { qty: 1, price: 1, sales: 1 },
        { qty: 3, price: 0, sales: 0 },
      ]);
    });

    it('moves no stock', async () => {
      await shop.importOrder();
      expect(await shop.stock()).toEqual({ onHand: 10, reserved: 0 });
    });

    it('gets the data_part and time_part of its customer, and stores its location', async () => {
      const contact = {
        email: 'mira@example.com',
        first_name: 'Mira',
        last_name: 'Marić',
        phone: '+381',
        external_ref: 'c',
      };
      const customer = await fixture.addCustomer(shop.appId, contact);
      const location = await fixture.addLocation(shop.appId, 'L');
      const order = await shop.importOrder({ customer: { externalRef: 'c' }, locationCode: 'L' });
      expect(order).toMatchObject({
        customer_id: customer.id,
        data_part: customer.data_part,
        time_part: customer.time_part,
        customer_email: contact.email,
        customer_first_name: 'Mira',
        customer_last_name: 'Marić',
        customer_phone: '+381',
        app_location_id: location,
      });
    });

    eachCase(it, [
      [[], 1, 2_000],
      [[500], 2, 1_500],
      [[500, 1_500], 3, 0],
      [[2_500], 3, 0],
    ])('with the payments %j has payment status %d and debt %d', async (amounts, status, debt) => {
      const method = await fixture.methodOf(shop.appId, 'cash');
      const now = fixture.clock.now();
      const order = await shop.importOrder({ payments: amounts.map((amount) => ({ methodId: method.id, amount })) });
      expect(order).toMatchObject({ payment_status_id: status, debt });
      expect((order.payments ?? []).map(({ amount }) => amount)).toEqual(amounts);
      for (const payment of order.payments ?? []) {
        expect(payment).toMatchObject({
          method: method.name,
          payment_method_id: method.id,
          status: 'settled',
          refund_of: null,
        });
        expect(new Date(payment.paid_at)).toEqual(now);
      }
    });
  });

  describe('an order that is imported again', () => {
    it('is refused when its reference or number already exists', async () => {
      await shop.importOrder({ orderNumber: 'N-1' });
      expect(await shop.tryToImport({ orderNumber: 'N-2' })).toEqual(ORDER_ALREADY_EXISTS);
      expect(await shop.tryToImport({ externalRef: ' ext-1 ', orderNumber: 'N-2' })).toEqual(ORDER_ALREADY_EXISTS);
      expect(await shop.tryToImport({ externalRef: 'b', orderNumber: 'N-1' })).toEqual(ORDER_ALREADY_EXISTS);
      expect(await countOrders()).toBe(1);
    });

    it('is added only once by concurrent calls', async () => {
      const results = await Promise.all(Array.from({ length: 6 }, () => shop.tryToImport()));
      expect(results.filter(isRefusal)).toEqual(Array(5).fill(ORDER_ALREADY_EXISTS));
      expect(await countOrders()).toBe(1);
    });

    it('can be added in another app', async () => {
      await shop.importOrder({ orderNumber: 'N-1' });
      const otherShop = await OrderShop.open(fixture);
      expect((await otherShop.importOrder({ orderNumber: 'N-1' })).order_number).toBe('N-1');
    });
  });

  describe('an invalid imported order', () => {
    it('is refused because of the first missing record', async () => {
      const invalid: Partial<ImportedOrder> = {
        customer: { externalRef: 'x' },
        locationCode: 'x',
        items: [{ code: 'x', qty: 1, price: null }],
        payments: [{ methodId: 987_654_321_987, amount: 1 }],
      };
      const corrections: Partial<ImportedOrder>[] = [
        { customer: null },
        { locationCode: null },
        { items: [{ code: 'free', qty: 1, price: null }] },
        { payments: [] },
      ];
      await fixture.addGoods(shop.appId, { code: 'free', price: null });
      const refusals = [await shop.tryToImport(invalid)];
      let order = invalid;
      for (const part of corrections) refusals.push(await shop.tryToImport((order = { ...order, ...part })));
      expect(refusals.map((refusal) => isRefusal(refusal) && refusal.refused)).toEqual([
        'API.Customers.NotFound',
        'API.Order.AppLocationNotFound',
        'API.Order.ProductNotFound',
        'API.PaymentMethod.NotSupported',
        'API.Products.MissingPrice',
      ]);
      expect(await countOrders()).toBe(0);
    });

    it('is refused when the records to which it refers belong to another app', async () => {
      const otherAppId = await fixture.makeApp();
      await fixture.addGoods(otherAppId, { code: 'T' });
      await fixture.addCustomer(otherAppId, { external_ref: 'c' });
      const method = await fixture.methodOf(otherAppId, 'cash');
      for (const foreignFields of [
        { items: [{ code: 'T', qty: 1, price: null }] },
        { customer: { externalRef: 'c' } },
        { payments: [{ methodId: method.id, amount: 1 }] },
      ]) {
        expect(isRefusal(await shop.tryToImport(foreignFields))).toBe(true);
      }
    });

    it('throws when its currency is not that of the app', async () => {
      const unavailable = { name: 'DatabaseUnavailable' };
      await expect(shop.tryToImport({ currency: 'EUR' })).rejects.toMatchObject(unavailable);
    });
  });
}
