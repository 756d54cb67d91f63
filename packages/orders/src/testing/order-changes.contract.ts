import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { orderChange, OrderShop, type GivenOrders } from './given-orders.js';

/** The adapter may hold orders of other apps. */
export function orderChangesContract(
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

  describe('a change', () => {
    it('sets the sent fields and keeps the rest', async () => {
      const order = await shop.imported();
      given.clock.forward({ seconds: 5 });
      const outcome = await shop.changed(
        orderChange(order, { status: 'completed', paymentStatus: 'paid', invoiceNumber: 'I-1' }),
      );
      expect(outcome).toEqual({ failed: [], due: [], explain: undefined });
      expect(await shop.order(order.id)).toMatchObject({
        order_number: order.order_number,
        delivery_status_id: 1,
        end_sales: 2_000,
        items: order.items,
        order_status_id: 2,
        payment_status_id: 3,
        invoice_number: 'I-1',
        inserted_at: order.inserted_at,
        updated_at: given.clock.now(),
      });
    });

    it('applies rows in order and skips failed ones', async () => {
      const [one, two] = [await shop.imported(), await shop.imported({ externalRef: 'b' })];
      const { failed } = await shop.change([
        orderChange(one, { invoiceNumber: 'I-1', status: 'canceled' }),
        'API.Orders.InvalidStatus',
        orderChange(one, { status: 'open', invoiceNumber: 'I-2' }),
        orderChange(two, { invoiceNumber: 'I-3' }),
        orderChange(two, { invoiceNumber: null }),
      ]);
      expect(failed).toEqual([
        { row: 1, key: 'API.Orders.InvalidStatus' },
        { row: 2, key: 'API.Orders.InvalidStatus' },
      ]);
      expect(await shop.order(one.id)).toMatchObject({ order_status_id: 3, invoice_number: 'I-1' });
      expect(await shop.order(two.id)).toMatchObject({ order_status_id: 1, invoice_number: null });
    });

    it('finds an order of its app by all its parts', async () => {
      const order = await shop.imported();
      const foreign = await (await OrderShop.open(given)).imported();
      const change = orderChange(order, { status: 'completed' });
      const { failed } = await shop.change([
        { ...change, dataPart: change.dataPart + 1 },
        { ...change, timePart: change.timePart + 1 },
        { ...change, id: 987_654_321_987 },
        orderChange(foreign, { status: 'completed' }),
      ]);
      expect(failed.map(({ key }) => key)).toEqual(Array(4).fill('API.Orders.NotFound'));
      expect(await shop.order(order.id)).toEqual(order);
    });

    it('explains how each row found its order, if requested', async () => {
      const order = await shop.imported();
      const change = orderChange(order, { status: 'completed' });
      const { explain } = await shop.change([change, { ...change, dataPart: change.dataPart + 1 }, 'API.x'], {
        explain: true,
      });
      expect(explain).toEqual([
        [{ record: 'order', identifier: 'id', id: order.id, others: [] }],
        [{ record: 'order', identifier: null, id: null, others: [] }],
        [],
      ]);
    });

    it('accepts an empty list', async () => {
      expect(await shop.change([])).toEqual({ failed: [], due: [], explain: undefined });
    });

    it('is not lost among concurrent ones', async () => {
      const order = await shop.imported();
      const rows = [{ invoiceNumber: 'I-1' }, { status: 'completed' as const }, { paymentStatus: 'paid' as const }];
      await Promise.all(rows.map((row) => shop.changed(orderChange(order, row))));
      expect(await shop.order(order.id)).toMatchObject({
        invoice_number: 'I-1',
        order_status_id: 2,
        payment_status_id: 3,
      });
    });
  });

  describe('stock movements', () => {
    it('record shipped and released pieces', async () => {
      const [shipped, canceled] = [await shop.sold(), await shop.sold({ items: [{ code: 'S', qty: 1 }] })];
      const booked = (await given.movementsOf(shop.appId)).length;
      given.clock.forward({ seconds: 1 });
      await shop.changed(orderChange(shipped, { deliveryStatus: 'shipped' }));
      given.clock.forward({ seconds: 1 });
      await shop.changed(orderChange(canceled, { status: 'canceled' }));
      expect((await given.movementsOf(shop.appId)).slice(booked)).toEqual([
        `ship -2 S@W1 ${shipped.order_number}`,
        `release -1 S@W1 ${canceled.order_number}`,
      ]);
    });
  });

  describe('a dry run', () => {
    it('returns the result of the change and writes nothing', async () => {
      const order = await shop.sold();
      const rows = [orderChange(order, { deliveryStatus: 'shipped' }), orderChange(order, { status: 'canceled' })];
      const { failed } = await shop.change(rows, { dryRun: true });
      expect(failed).toEqual([{ row: 1, key: 'API.Order.AlreadyShipped' }]);
      expect(await shop.order(order.id)).toEqual(order);
      expect(await shop.stock()).toEqual({ onHand: 10, reserved: 2 });
    });
  });

  describe('the pieces of an order', () => {
    eachCase(it, ['shipped', 'delivered'] as const)('leave the stock once when %s', async (deliveryStatus) => {
      const order = await shop.sold();
      expect(await shop.stock()).toEqual({ onHand: 10, reserved: 2 });
      await shop.changed(orderChange(order, { deliveryStatus }));
      expect(await shop.stock()).toEqual({ onHand: 8, reserved: 0 });
      await shop.changed(orderChange(order, { deliveryStatus: 'returned' }));
      await shop.changed(orderChange(order, { deliveryStatus: 'shipped' }));
      expect(await shop.stock()).toEqual({ onHand: 8, reserved: 0 });
    });

    it('leave the stock once for concurrent calls', async () => {
      const order = await shop.sold();
      const ship = () => shop.changed(orderChange(order, { deliveryStatus: 'shipped' }));
      await Promise.all([ship(), ship(), ship(), ship()]);
      expect(await shop.stock()).toEqual({ onHand: 8, reserved: 0 });
    });

    it('are released once when canceled', async () => {
      const order = await shop.sold();
      await shop.changed(orderChange(order, { status: 'canceled' }), orderChange(order, { status: 'canceled' }));
      expect(await shop.stock()).toEqual({ onHand: 10, reserved: 0 });
    });

    it('that have shipped prevent a cancellation', async () => {
      const order = await shop.sold();
      await shop.changed(orderChange(order, { deliveryStatus: 'shipped' }));
      await shop.changed(orderChange(order, { deliveryStatus: 'pending' }));
      const { failed } = await shop.change([orderChange(order, { status: 'canceled' })]);
      expect(failed).toEqual([{ row: 0, key: 'API.Order.AlreadyShipped' }]);
    });

    it('cannot ship after a cancellation', async () => {
      const order = await shop.sold();
      await shop.changed(orderChange(order, { status: 'canceled' }));
      const { failed } = await shop.change([orderChange(order, { deliveryStatus: 'shipped' })]);
      expect(failed).toEqual([{ row: 0, key: 'API.Orders.InvalidStatus' }]);
    });

    it('cannot ship when not on hand', async () => {
      const [one, two] = [await shop.sold(), await shop.sold()];
      await given.countStock(shop.appId, 'S', 'W1', 3);
      const rows = [one, two].map((order) => orderChange(order, { deliveryStatus: 'shipped' }));
      expect((await shop.change(rows)).failed).toEqual([{ row: 1, key: 'API.Stocks.NegativeStock' }]);
      expect(await shop.stock()).toEqual({ onHand: 1, reserved: 2 });
      expect(await shop.order(two.id)).toEqual(two);
    });

    it('of an imported order do not affect stock', async () => {
      await shop.changed(orderChange(await shop.imported(), { deliveryStatus: 'shipped' }));
      expect(await shop.stock()).toEqual({ onHand: 10, reserved: 0 });
    });
  });
}
