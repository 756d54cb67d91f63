import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { orderChange, OrderShop, type OrderFixture } from './given-orders.js';

export function orderChangesContract(
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

  describe('a change of orders', () => {
    it('sets the sent fields and keeps the others', async () => {
      const order = await shop.importOrder();
      fixture.clock.forward({ seconds: 5 });
      const result = await shop.changeAll(
        orderChange(order, { status: 'completed', paymentStatus: 'paid', invoiceNumber: 'I-1' }),
      );
      expect(result).toEqual({ failed: [], dueRefunds: [], explain: undefined });
      expect(await shop.findOrder(order.id)).toMatchObject({
        order_number: order.order_number,
        delivery_status_id: 1,
        end_sales: 2_000,
        items: order.items,
        order_status_id: 2,
        payment_status_id: 3,
        invoice_number: 'I-1',
        inserted_at: order.inserted_at,
        updated_at: fixture.clock.now(),
      });
    });

    it('replaces the tracking data, and writes nothing when the same data is sent', async () => {
      const order = await shop.importOrder();
      const shipment = { carrier: 'Courier', number: 'RS1', url: 'https://courier.example/RS1', parcels: 2 };
      const other = { carrier: null, number: 'RS2', url: null, parcels: 1 };
      await shop.changeAll(orderChange(order, { tracking: [shipment, other] }));
      expect((await shop.findOrder(order.id)).tracking).toEqual([shipment, other]);
      const { updated_at: updatedAt } = await shop.findOrder(order.id);
      fixture.clock.forward({ seconds: 60 });
      await shop.changeAll(orderChange(order, { tracking: [{ ...shipment }, other] }));
      expect(await shop.findOrder(order.id)).toMatchObject({ updated_at: updatedAt, tracking: [shipment, other] });
      await shop.changeAll(orderChange(order, { tracking: [] }));
      expect((await shop.findOrder(order.id)).tracking).toEqual([]);
    });

    it('applies the rows in order and skips invalid ones', async () => {
      const [firstOrder, secondOrder] = [await shop.importOrder(), await shop.importOrder({ externalRef: 'b' })];
      const { failed } = await shop.change([
        orderChange(firstOrder, { invoiceNumber: 'I-1', status: 'canceled' }),
        'API.Orders.InvalidStatus',
        orderChange(firstOrder, { status: 'open', invoiceNumber: 'I-2' }),
        orderChange(secondOrder, { invoiceNumber: 'I-3' }),
        orderChange(secondOrder, { invoiceNumber: null }),
      ]);
      expect(failed).toEqual([
        { row: 1, key: 'API.Orders.InvalidStatus' },
        { row: 2, key: 'API.Orders.InvalidStatus' },
      ]);
      expect(await shop.findOrder(firstOrder.id)).toMatchObject({ order_status_id: 3, invoice_number: 'I-1' });
      expect(await shop.findOrder(secondOrder.id)).toMatchObject({ order_status_id: 1, invoice_number: null });
    });

    it('finds an order of its app only when id, data_part and time_part match', async () => {
      const order = await shop.importOrder();
      const foreignOrder = await (await OrderShop.open(fixture)).importOrder();
      const change = orderChange(order, { status: 'completed' });
      const { failed } = await shop.change([
        { ...change, dataPart: change.dataPart + 1 },
        { ...change, timePart: change.timePart + 1 },
        { ...change, id: 987_654_321_987 },
        orderChange(foreignOrder, { status: 'completed' }),
      ]);
      expect(failed.map(({ key }) => key)).toEqual(Array(4).fill('API.Orders.NotFound'));
      expect(await shop.findOrder(order.id)).toEqual(order);
    });

    it('explains how each row found its order, if requested', async () => {
      const order = await shop.importOrder();
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

    it('accepts an empty list of rows', async () => {
      expect(await shop.change([])).toEqual({ failed: [], dueRefunds: [], explain: undefined });
    });

    it('is not lost among concurrent changes', async () => {
      const order = await shop.importOrder();
      const rows = [{ invoiceNumber: 'I-1' }, { status: 'completed' as const }, { paymentStatus: 'paid' as const }];
      await Promise.all(rows.map((row) => shop.changeAll(orderChange(order, row))));
      expect(await shop.findOrder(order.id)).toMatchObject({
        invoice_number: 'I-1',
        order_status_id: 2,
        payment_status_id: 3,
      });
    });
  });

  describe('the stock movements of changed orders', () => {
    it('record the shipped and released quantities', async () => {
      const [shippedOrder, canceledOrder] = [
        await shop.sellOrder(),
        await shop.sellOrder({ items: [{ code: 'S', qty: 1 }] }),
      ];
      const earlierCount = (await fixture.movementsOf(shop.appId)).length;
      fixture.clock.forward({ seconds: 1 });
      await shop.changeAll(orderChange(shippedOrder, { deliveryStatus: 'shipped' }));
      fixture.clock.forward({ seconds: 1 });
      await shop.changeAll(orderChange(canceledOrder, { status: 'canceled' }));
      expect((await fixture.movementsOf(shop.appId)).slice(earlierCount)).toEqual([
        `ship -2 S@W1 ${shippedOrder.order_number}`,
        `release -1 S@W1 ${canceledOrder.order_number}`,
      ]);
    });
  });

  describe('a dry run of order changes', () => {
    it('returns the result of the change and writes nothing', async () => {
      const order = await shop.sellOrder();
      const rows = [orderChange(order, { deliveryStatus: 'shipped' }), orderChange(order, { status: 'canceled' })];
      const { failed } = await shop.change(rows, { dryRun: true });
      expect(failed).toEqual([{ row: 1, key: 'API.Order.AlreadyShipped' }]);
      expect(await shop.findOrder(order.id)).toEqual(order);
      expect(await shop.stock()).toEqual({ onHand: 10, reserved: 2 });
    });
  });

  describe('the reserved stock of an order', () => {
    eachCase(it, ['shipped', 'delivered'] as const)(
      'is taken out of stock once when the order becomes %s',
      async (deliveryStatus) => {
        const order = await shop.sellOrder();
        expect(await shop.stock()).toEqual({ onHand: 10, reserved: 2 });
        await shop.changeAll(orderChange(order, { deliveryStatus }));
        expect(await shop.stock()).toEqual({ onHand: 8, reserved: 0 });
        await shop.changeAll(orderChange(order, { deliveryStatus: 'returned' }));
        await shop.changeAll(orderChange(order, { deliveryStatus: 'shipped' }));
        expect(await shop.stock()).toEqual({ onHand: 8, reserved: 0 });
      },
    );

    it('is shipped only once by concurrent calls', async () => {
      const order = await shop.sellOrder();
      const ship = () => shop.changeAll(orderChange(order, { deliveryStatus: 'shipped' }));
      await Promise.all([ship(), ship(), ship(), ship()]);
      expect(await shop.stock()).toEqual({ onHand: 8, reserved: 0 });
    });

    it('is released once when the order is canceled', async () => {
      const order = await shop.sellOrder();
      await shop.changeAll(orderChange(order, { status: 'canceled' }), orderChange(order, { status: 'canceled' }));
      expect(await shop.stock()).toEqual({ onHand: 10, reserved: 0 });
    });

    it('prevents a cancellation once it was shipped', async () => {
      const order = await shop.sellOrder();
      await shop.changeAll(orderChange(order, { deliveryStatus: 'shipped' }));
      await shop.changeAll(orderChange(order, { deliveryStatus: 'pending' }));
      const { failed } = await shop.change([orderChange(order, { status: 'canceled' })]);
      expect(failed).toEqual([{ row: 0, key: 'API.Order.AlreadyShipped' }]);
    });

    it('cannot be shipped after a cancellation', async () => {
      const order = await shop.sellOrder();
      await shop.changeAll(orderChange(order, { status: 'canceled' }));
      const { failed } = await shop.change([orderChange(order, { deliveryStatus: 'shipped' })]);
      expect(failed).toEqual([{ row: 0, key: 'API.Orders.InvalidStatus' }]);
    });

    it('cannot be shipped when it is not on hand', async () => {
      const [firstOrder, secondOrder] = [await shop.sellOrder(), await shop.sellOrder()];
      await fixture.countStock(shop.appId, 'S', 'W1', 3);
      const rows = [firstOrder, secondOrder].map((order) => orderChange(order, { deliveryStatus: 'shipped' }));
      expect((await shop.change(rows)).failed).toEqual([{ row: 1, key: 'API.Stocks.NegativeStock' }]);
      expect(await shop.stock()).toEqual({ onHand: 1, reserved: 2 });
      expect(await shop.findOrder(secondOrder.id)).toEqual(secondOrder);
    });

    it('does not exist for an imported order, which changes no stock', async () => {
      await shop.changeAll(orderChange(await shop.importOrder(), { deliveryStatus: 'shipped' }));
      expect(await shop.stock()).toEqual({ onHand: 10, reserved: 0 });
    });
  });
}
