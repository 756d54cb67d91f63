import { eachCase, followPositions, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { Position } from '@back-office/kernel';
import type { OrderFilter } from '../index.js';
import { orderChange, OrderShop, type OrderFixture } from './given-orders.js';

const NO_FILTER: OrderFilter = {
  search: undefined,
  customerId: undefined,
  appLocationId: undefined,
  from: undefined,
  before: undefined,
  updatedAfter: undefined,
};
const ALL = { offset: 0, limit: 100 };
const UNKNOWN = 987_654_321_987;

interface ListedOrder {
  readonly order_number: string;
}

export function orderQueriesContract(
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

  const list = async (filter: Partial<OrderFilter> = {}, orderBy: unknown = '', page = ALL): Promise<ListedOrder[]> => {
    const app = { id: shop.appId, decimals: 2, currency: 'RSD' };
    const query = { app, filter: { ...NO_FILTER, ...filter }, orderBy, page };
    return JSON.parse((await fixture.orderQueries.list(query)).json) as ListedOrder[];
  };
  const listByPosition = (filter: Partial<OrderFilter>, orderBy: string, limit: number) =>
    followPositions(limit, (page) => {
      const app = { id: shop.appId, decimals: 2, currency: 'RSD' };
      return fixture.orderQueries.list({ app, filter: { ...NO_FILTER, ...filter }, orderBy, page });
    });
  const listNumbers = async (...listArguments: Parameters<typeof list>): Promise<string> =>
    (await list(...listArguments)).map((order) => order.order_number).join(' ');
  const importThree = async () => {
    const orders = [];
    for (const [name, price, year] of [
      ['A', 200, 2022],
      ['B', 300, 2021],
      ['C', 100, 2023],
    ] as const) {
      const items = [{ code: 'S', qty: 1, price }];
      const orderDate = new Date(`${year}-01-01T00:00:00Z`);
      orders.push(await shop.importOrder({ externalRef: name, orderNumber: name, items, orderDate }));
      fixture.clock.forward({ seconds: 1 });
    }
    return orders;
  };

  describe('a single order', () => {
    it('is found by its id, data_part and time_part only when all match', async () => {
      const order = await shop.importOrder();
      const { id, data_part: dataPart, time_part: timePart } = order;
      const { orderQueries } = fixture;
      expect(await orderQueries.findByParts(shop.appId, id, dataPart, timePart)).toEqual(order);
      expect(await orderQueries.findByParts(shop.appId, id, dataPart + 1, timePart)).toBeUndefined();
      expect(await orderQueries.findByParts(shop.appId, id, dataPart, timePart + 1)).toBeUndefined();
    });

    it('is not found in another app or when missing', async () => {
      const { id } = await shop.importOrder();
      expect(await fixture.orderQueries.find(await fixture.makeApp(), id)).toBeUndefined();
      expect(await fixture.orderQueries.find(shop.appId, UNKNOWN)).toBeUndefined();
    });
  });

  describe('a listed order', () => {
    it('has the format of the API', async () => {
      const method = await fixture.methodOf(shop.appId, 'cash');
      const customer = await fixture.addCustomer(shop.appId, { email: 'a@b.example', external_ref: 'c' });
      const order = await shop.importOrder({
        orderNumber: 'N-1',
        items: [{ code: 'S', qty: 1, price: 1_050 }],
        payments: [{ methodId: method.id, amount: 5 }],
        customer: { externalRef: 'c' },
      });
      const now = fixture.clock.now().toISOString().slice(0, 19);
      const [listedOrder] = await list();
      expect(listedOrder).toEqual({
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
        tracking: [],
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
      const firstKeys = ['id', 'data_part', 'time_part', 'order_number', 'order_date'];
      expect(Object.keys(listedOrder as object).slice(0, 5)).toEqual(firstKeys);
    });
  });

  describe('a list of orders', () => {
    it('contains the orders of one app, newest first, in pages', async () => {
      await importThree();
      await (await OrderShop.open(fixture)).importOrder({ orderNumber: 'D' });
      expect(await listNumbers()).toBe('C A B');
      expect(await listNumbers({}, '', { offset: 1, limit: 1 })).toBe('A');
      expect(await listNumbers({}, '', { offset: 3, limit: 1 })).toBe('');
    });

    it('puts the higher id first when times are equal', async () => {
      for (const name of ['A', 'B', 'C']) await shop.importOrder({ externalRef: name, orderNumber: name });
      expect(await listNumbers()).toBe('C B A');
      expect(await listNumbers({}, 'sales asc')).toBe('C B A');
      expect(await listNumbers({}, 'sales desc')).toBe('C B A');
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
      ['order_number', 'A B C'],
      ['sales asc ', 'C A B'],
      ['tags', 'C A B'],
      ['SALES', 'C A B'],
    ])('sorted by %s returns %s', async (orderBy, expected) => {
      await importThree();
      expect(await listNumbers({}, orderBy)).toBe(expected);
    });

    eachCase(it, [
      ['', 1],
      ['id', 2],
      ['order_number', 2],
      ['order_date desc', 2],
      ['invoice_number', 2],
      ['invoice_number desc', 2],
      ['sales', 1],
      ['updated_at', 3],
      ['customer_name', 2],
      ['customer_name desc', 2],
    ] as [string, number][])(
      'has the same rows when paged by position as when paged by offset, in the order "%s", %i at a time',
      async (orderBy, limit) => {
        const [a, , c] = await importThree();
        for (const name of ['D', 'E', 'F']) await shop.importOrder({ externalRef: name, orderNumber: name });
        await shop.changeAll(orderChange(a!, { invoiceNumber: 'I-2' }), orderChange(c!, { invoiceNumber: 'I-1' }));
        expect(await listByPosition({}, orderBy, limit)).toEqual(await list({}, orderBy));
      },
    );

    it('continues after the last order of a page when orders change between two pages', async () => {
      const [a, b] = await importThree();
      const app = { id: shop.appId, decimals: 2, currency: 'RSD' };
      const listAfter = async (position?: Position) => {
        const page = { offset: 0, limit: 2, ...(position && { after: position }) };
        const { json, end } = await fixture.orderQueries.list({ app, filter: NO_FILTER, orderBy: 'updated_at', page });
        return { numbers: (JSON.parse(json) as ListedOrder[]).map((order) => order.order_number).join(' '), end };
      };
      const firstPage = await listAfter();
      expect(firstPage.numbers).toBe('A B');
      fixture.clock.forward({ seconds: 1 });
      await shop.changeAll(orderChange(a!, { invoiceNumber: 'I-1' }), orderChange(b!, { invoiceNumber: 'I-2' }));
      const secondPage = await listAfter(firstPage.end!);
      expect(secondPage.numbers).toBe('C B');
      expect(await listAfter(secondPage.end!)).toEqual({ numbers: 'A', end: null });
    });

    it('throws for a position from a list with another sort order', async () => {
      await importThree();
      const app = { id: shop.appId, decimals: 2, currency: 'RSD' };
      const { end } = await fixture.orderQueries.list({
        app,
        filter: NO_FILTER,
        orderBy: 'customer_name',
        page: { offset: 0, limit: 1 },
      });
      const page = { offset: 0, limit: 1, after: end! };
      const refusedCall = fixture.orderQueries.list({ app, filter: NO_FILTER, orderBy: '', page });
      await expect(refusedCall).rejects.toMatchObject({ name: 'InvalidPosition' });
    });

    it('is filtered by `updatedAfter` and sorted by `updated_at`', async () => {
      const [a] = await importThree();
      const changedAt = fixture.clock.now();
      expect(await listNumbers({ updatedAfter: changedAt })).toBe('');
      await shop.changeAll(orderChange(a!, { invoiceNumber: 'I-2' }));
      expect(await listNumbers({ updatedAfter: changedAt })).toBe('A');
      expect([await listNumbers({}, 'updated_at'), await listNumbers({}, 'updated_at desc')]).toEqual([
        'B C A',
        'A C B',
      ]);
    });

    it('puts missing values last in both directions', async () => {
      const [a, , c] = await importThree();
      await shop.changeAll(orderChange(a!, { invoiceNumber: 'I-2' }), orderChange(c!, { invoiceNumber: 'I-1' }));
      expect(await listNumbers({}, 'invoice_number')).toBe('C A B');
      expect(await listNumbers({}, 'invoice_number desc')).toBe('A C B');
    });

    it('sorted by `paid` uses the paid amount', async () => {
      const method = await fixture.methodOf(shop.appId, 'cash');
      for (const [name, amount] of [
        ['A', 20],
        ['B', 30],
        ['C', 10],
      ] as const) {
        const payments = [{ methodId: method.id, amount }];
        await shop.importOrder({ externalRef: name, orderNumber: name, payments });
      }
      expect([await listNumbers({}, 'paid'), await listNumbers({}, 'paid desc')]).toEqual(['C A B', 'B A C']);
    });

    it('sorted by customer uses the folded last name, then the folded first name', async () => {
      const people = [
        ['1', 'Ana', 'Žun'],
        ['2', 'Mira', 'Čolić'],
        ['3', 'ana', '  čolić'],
      ] as const;
      for (const [name, firstName, lastName] of people) {
        await fixture.addCustomer(shop.appId, { external_ref: name, first_name: firstName, last_name: lastName });
        await shop.importOrder({ externalRef: name, orderNumber: name, customer: { externalRef: name } });
      }
      await shop.importOrder({ orderNumber: '4' });
      expect(await listNumbers({}, 'customer_name')).toBe('3 2 1 4');
      expect(await listNumbers({}, 'customer_name desc')).toBe('1 2 3 4');
    });
  });

  describe('a filter of orders', () => {
    it('by date includes its start and excludes its end', async () => {
      const [a] = await importThree();
      expect(await listNumbers({ from: a!.order_date })).toBe('C A');
      expect(await listNumbers({ before: a!.order_date })).toBe('B');
      expect(await listNumbers({ from: a!.order_date, before: new Date(a!.order_date.getTime() + 1) })).toBe('A');
    });

    it('by customer or location selects their orders', async () => {
      const customer = await fixture.addCustomer(shop.appId, { external_ref: 'c' });
      const location = await fixture.addLocation(shop.appId, 'L');
      await shop.importOrder({ orderNumber: 'A', customer: { externalRef: 'c' } });
      await shop.importOrder({ externalRef: 'b', orderNumber: 'B', locationCode: 'L' });
      expect(await listNumbers({ customerId: customer.id })).toBe('A');
      expect(await listNumbers({ appLocationId: location })).toBe('B');
      expect(await listNumbers({ customerId: customer.id, appLocationId: location })).toBe('');
      expect(await listNumbers({ customerId: UNKNOWN })).toBe('');
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
      ['00381 60', 'N-1'],
      ['djordje  živkovic', 'N-1'],
      ['\u0301', ''],
      ['', 'N-1'],
    ])('by the search text %j finds %j', async (search, expected) => {
      const person = { email: 'dj@example.com', first_name: 'Đorđe', last_name: 'Živković', phone: '+381601' };
      await fixture.addCustomer(shop.appId, { ...person, external_ref: 'c' });
      const order = await shop.importOrder({ orderNumber: 'N-1', customer: { externalRef: 'c' } });
      await shop.changeAll(orderChange(order, { invoiceNumber: 'I_9%' }));
      expect(await listNumbers(search === '' ? {} : { search })).toBe(expected);
    });
  });
}
