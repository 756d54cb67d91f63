import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { OrderFilter } from '../index.js';
import { orderChange, OrderShop, type GivenOrders } from './given-orders.js';

const NOTHING: OrderFilter = {
  search: undefined,
  customerId: undefined,
  appLocationId: undefined,
  from: undefined,
  before: undefined,
};
const ALL = { offset: 0, limit: 100 };
const UNKNOWN = 987_654_321_987;

interface ListedOrder {
  readonly order_number: string;
}

/** The adapter may hold orders of other apps. */
export function orderQueriesContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenOrders>,
): void {
  let given: GivenOrders;
  let shop: OrderShop;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    shop = await OrderShop.open(given);
  });

  const list = async (filter: Partial<OrderFilter> = {}, orderBy: unknown = '', page = ALL): Promise<ListedOrder[]> => {
    const app = { id: shop.appId, decimals: 2, currency: 'RSD' };
    return JSON.parse(
      await given.orderQueries.list({ app, filter: { ...NOTHING, ...filter }, orderBy, page }),
    ) as ListedOrder[];
  };
  const numbers = async (...asked: Parameters<typeof list>): Promise<string> =>
    (await list(...asked)).map((order) => order.order_number).join(' ');
  /** Orders A, B and C, a second apart. */
  const three = async () => {
    const orders = [];
    for (const [name, price, year] of [
      ['A', 200, 2022],
      ['B', 300, 2021],
      ['C', 100, 2023],
    ] as const) {
      const items = [{ code: 'S', qty: 1, price }];
      const orderDate = new Date(`${year}-01-01T00:00:00Z`);
      orders.push(await shop.imported({ externalRef: name, orderNumber: name, items, orderDate }));
      given.clock.forward({ seconds: 1 });
    }
    return orders;
  };

  describe('one order', () => {
    it('is found by its id, and by matching parts', async () => {
      const order = await shop.imported();
      const { id, data_part: dataPart, time_part: timePart } = order;
      const { orderQueries } = given;
      expect(await orderQueries.findByParts(shop.appId, id, dataPart, timePart)).toEqual(order);
      expect(await orderQueries.findByParts(shop.appId, id, dataPart + 1, timePart)).toBeUndefined();
      expect(await orderQueries.findByParts(shop.appId, id, dataPart, timePart + 1)).toBeUndefined();
    });

    it('is not found in another app or when missing', async () => {
      const { id } = await shop.imported();
      expect(await given.orderQueries.find(await given.makeApp(), id)).toBeUndefined();
      expect(await given.orderQueries.find(shop.appId, UNKNOWN)).toBeUndefined();
    });
  });

  describe('a listed order', () => {
    it('has the shape of the API', async () => {
      const method = await given.methodOf(shop.appId, 'cash');
      const customer = await given.addCustomer(shop.appId, { email: 'a@b.example', external_ref: 'c' });
      const order = await shop.imported({
        orderNumber: 'N-1',
        items: [{ code: 'S', qty: 1, price: 1_050 }],
        payments: [{ methodId: method.id, amount: 5 }],
        customer: { externalRef: 'c' },
      });
      const now = given.clock.now().toISOString().slice(0, 19);
      const [listed] = await list();
      expect(listed).toEqual({
        id: order.id,
        data_part: order.data_part,
        time_part: order.time_part,
        order_number: 'N-1',
        order_date: now,
        invoice_number: null,
        external_ref: 'ext-1',
        order_status_id: 1,
        order_status: 'open',
        payment_status_id: 2,
        payment_status: 'partial',
        delivery_status_id: 1,
        delivery_status: 'pending',
        customer_id: customer.id,
        customer_email: 'a@b.example',
        customer_first_name: 'Ana',
        customer_last_name: 'Kos',
        customer_phone: null,
        app_location_id: null,
        sales: 10.5,
        discount: 0,
        net_sales: 8.75,
        vat: 1.75,
        end_sales: 10.5,
        paid: 0.05,
        debt: 10.45,
        market_id: 1,
        currency_id: 941,
        sales_channel_id: 1,
        sales_channel: 'web',
        proforma_order_id: null,
        proforma_number: null,
        comment: null,
        tags: [],
        inserted_at: now,
        updated_at: now,
      });
      const first = ['id', 'data_part', 'time_part', 'order_number', 'order_date'];
      expect(Object.keys(listed as object).slice(0, 5)).toEqual(first);
    });
  });

  describe('a list', () => {
    it('holds one app, newest first, in pages', async () => {
      await three();
      await (await OrderShop.open(given)).imported({ orderNumber: 'D' });
      expect(await numbers()).toBe('C B A');
      expect(await numbers({}, '', { offset: 1, limit: 1 })).toBe('B');
      expect(await numbers({}, '', { offset: 3, limit: 1 })).toBe('');
    });

    it('has the higher id first when times are equal', async () => {
      for (const name of ['A', 'B', 'C']) await shop.imported({ externalRef: name, orderNumber: name });
      expect(await numbers()).toBe('C B A');
      expect(await numbers({}, 'sales asc')).toBe('C B A');
      expect(await numbers({}, 'sales desc')).toBe('C B A');
    });

    eachCase(it, [
      ['id', 'A B C'],
      ['id desc', 'C B A'],
      ['order_number desc', 'C B A'],
      ['order_date', 'B A C'],
      ['sales', 'C A B'],
      ['net_sales', 'C A B'],
      ['vat desc', 'B A C'],
      ['debt desc', 'B A C'],
      ['sales asc ', 'C B A'],
      ['tags', 'C B A'],
      ['SALES', 'C B A'],
    ])('sorted by %s is %s', async (orderBy, expected) => {
      await three();
      expect(await numbers({}, orderBy)).toBe(expected);
    });

    it('has missing values last in either direction', async () => {
      const [a, , c] = await three();
      await shop.changed(orderChange(a!, { invoiceNumber: 'I-2' }), orderChange(c!, { invoiceNumber: 'I-1' }));
      expect(await numbers({}, 'invoice_number')).toBe('C A B');
      expect(await numbers({}, 'invoice_number desc')).toBe('A C B');
    });

    it('sorted by paid uses the amount', async () => {
      const method = await given.methodOf(shop.appId, 'cash');
      for (const [name, amount] of [
        ['A', 20],
        ['B', 30],
        ['C', 10],
      ] as const) {
        const payments = [{ methodId: method.id, amount }];
        await shop.imported({ externalRef: name, orderNumber: name, payments });
      }
      expect([await numbers({}, 'paid'), await numbers({}, 'paid desc')]).toEqual(['C A B', 'B A C']);
    });

    it('sorted by customer uses last, then first name', async () => {
      const people = [
        ['1', 'Ana', 'Žun'],
        ['2', 'Mira', 'Kos'],
        ['3', 'Ana', 'Kos'],
      ] as const;
      for (const [name, first, last] of people) {
        await given.addCustomer(shop.appId, { external_ref: name, first_name: first, last_name: last });
        await shop.imported({ externalRef: name, orderNumber: name, customer: { externalRef: name } });
      }
      await shop.imported({ orderNumber: '4' });
      expect(await numbers({}, 'customer_name')).toBe('3 2 1 4');
      expect(await numbers({}, 'customer_name desc')).toBe('1 2 3 4');
    });
  });

  describe('a filter', () => {
    it('by date includes its start and excludes its end', async () => {
      const [a] = await three();
      expect(await numbers({ from: a!.order_date })).toBe('C A');
      expect(await numbers({ before: a!.order_date })).toBe('B');
      expect(await numbers({ from: a!.order_date, before: new Date(a!.order_date.getTime() + 1) })).toBe('A');
    });

    it('by customer or location', async () => {
      const customer = await given.addCustomer(shop.appId, { external_ref: 'c' });
      const location = await given.addLocation(shop.appId, 'L');
      await shop.imported({ orderNumber: 'A', customer: { externalRef: 'c' } });
      await shop.imported({ externalRef: 'b', orderNumber: 'B', locationCode: 'L' });
      expect(await numbers({ customerId: customer.id })).toBe('A');
      expect(await numbers({ appLocationId: location })).toBe('B');
      expect(await numbers({ customerId: customer.id, appLocationId: location })).toBe('');
      expect(await numbers({ customerId: UNKNOWN })).toBe('');
    });

    eachCase(it, [
      ['order n-1', ''],
      ['n-1', 'N-1'],
      ['i_9%', 'N-1'],
      ['i_9', 'N-1'],
      ['i.9', ''],
      ['Đorđe Živković', 'N-1'],
      ['zivkovic dorde', 'N-1'],
      ['Ђорђе', 'N-1'],
      ['DJ@EXAMPLE', 'N-1'],
      ['+38160', 'N-1'],
      ['\u0301', ''],
      ['', 'N-1'],
    ])('by the text %j finds %j', async (search, expected) => {
      const person = { email: 'dj@example.com', first_name: 'Đorđe', last_name: 'Živković', phone: '+381601' };
      await given.addCustomer(shop.appId, { ...person, external_ref: 'c' });
      const order = await shop.imported({ orderNumber: 'N-1', customer: { externalRef: 'c' } });
      await shop.changed(orderChange(order, { invoiceNumber: 'I_9%' }));
      expect(await numbers(search === '' ? {} : { search })).toBe(expected);
    });
  });
}
