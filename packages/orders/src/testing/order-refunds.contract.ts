import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { orderChange, OrderShop, type OrderFixture } from './given-orders.js';

export function orderRefundsContract(
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
  const REFUND_CHANGE = { status: 'canceled', refund: true } as const;

  describe('the money of a canceled order', () => {
    it('is refunded only on request, even after the cancellation', async () => {
      const order = await shop.sellOrder();
      expect((await shop.changeAll(orderChange(order, { status: 'canceled' }))).dueRefunds).toEqual([]);
      expect((await shop.findOrder(order.id)).payments).toHaveLength(1);
      const { dueRefunds } = await shop.changeAll(orderChange(order, { refund: true }));
      expect(dueRefunds).toEqual([{ proformaId: order.proforma_order_id, refundIds: [expect.any(Number)] }]);
    });

    it('is refunded only once when the refund is requested twice', async () => {
      const order = await shop.sellOrder();
      const { dueRefunds } = await shop.changeAll(orderChange(order, REFUND_CHANGE), orderChange(order, REFUND_CHANGE));
      const { payments, payment_status_id: status, paid } = await shop.findOrder(order.id);
      const [firstPayment, refundEntry] = payments ?? [];
      expect(refundEntry).toMatchObject({ amount: -2_000, status: 'pending', refund_of: firstPayment?.id });
      expect(dueRefunds).toEqual([{ proformaId: order.proforma_order_id, refundIds: [refundEntry?.id] }]);
      expect([paid, status]).toEqual([2_000, 3]);
      expect((await shop.changeAll(orderChange(order, REFUND_CHANGE))).dueRefunds).toEqual([]);
      expect((await shop.findOrder(order.id)).payments).toHaveLength(2);
    });

    it('is refunded only for the order that requests it', async () => {
      const [order, otherOrder, canceledOrder] = [
        await shop.sellOrder(),
        await shop.sellOrder(),
        await shop.sellOrder(),
      ];
      const { dueRefunds } = await shop.changeAll(
        orderChange(order, REFUND_CHANGE),
        orderChange(canceledOrder, { status: 'canceled' }),
      );
      expect(dueRefunds.map(({ proformaId }) => proformaId)).toEqual([order.proforma_order_id]);
      expect(await shop.findOrder(otherOrder.id)).toEqual(otherOrder);
      expect((await shop.findOrder(canceledOrder.id)).payments).toEqual(canceledOrder.payments);
    });

    it('is refunded once by concurrent calls', async () => {
      const order = await shop.sellOrder();
      const results = await Promise.all([1, 2, 3, 4].map(() => shop.changeAll(orderChange(order, REFUND_CHANGE))));
      expect(results.flatMap(({ dueRefunds }) => dueRefunds)).toHaveLength(1);
      expect((await shop.findOrder(order.id)).payments).toHaveLength(2);
    });

    it('is not refunded in a dry run, which only returns the due refund', async () => {
      const order = await shop.sellOrder();
      const { dueRefunds } = await shop.change([orderChange(order, REFUND_CHANGE)], { dryRun: true });
      expect(dueRefunds).toHaveLength(1);
      expect(await shop.findOrder(order.id)).toEqual(order);
    });

    it('is not refunded for open or imported orders', async () => {
      const [openOrder, importedOrder] = [
        await shop.sellOrder(),
        await shop.importOrder({ payments: await cashPayment(500) }),
      ];
      const { failed } = await shop.change([
        orderChange(openOrder, { refund: true }),
        orderChange(importedOrder, REFUND_CHANGE),
      ]);
      expect(failed).toEqual([
        { row: 0, key: 'API.Orders.RefundIsInvalid' },
        { row: 1, key: 'API.Orders.NotRefundable' },
      ]);
      expect(await shop.findOrder(importedOrder.id)).toEqual(importedOrder);
    });

    it('is not refunded when nothing was paid', async () => {
      const [unpaidOrder, importedOrder] = [await shop.sellOrder({ paid: 0 }), await shop.importOrder()];
      expect(
        (await shop.changeAll(orderChange(unpaidOrder, REFUND_CHANGE), orderChange(importedOrder, REFUND_CHANGE)))
          .dueRefunds,
      ).toEqual([]);
    });
  });

  describe('the vouchers and loyalty points of a canceled order', () => {
    it('are returned once with the refund', async () => {
      const customer = await fixture.addCustomer(shop.appId);
      await fixture.addVoucher(shop.appId, 'gift', 500);
      const order = await shop.sellOrder({ customer, vouchers: ['gift'], amountPerPoint: 100 });
      expect([await fixture.spentOf(shop.appId, 'gift'), await fixture.pointsOf(shop.appId, customer)]).toEqual([
        500, 20,
      ]);
      await shop.changeAll(orderChange(order, { status: 'canceled' }));
      expect([await fixture.spentOf(shop.appId, 'gift'), await fixture.pointsOf(shop.appId, customer)]).toEqual([
        500, 20,
      ]);
      await shop.changeAll(orderChange(order, REFUND_CHANGE));
      await shop.changeAll(orderChange(order, REFUND_CHANGE));
      expect([await fixture.spentOf(shop.appId, 'gift'), await fixture.pointsOf(shop.appId, customer)]).toEqual([0, 0]);
      expect(await shop.findOrder(order.id)).toMatchObject({ paid: 1_500, debt: 500, payment_status_id: 2 });
    });

    it('are returned without a refund of money when vouchers paid the whole order, which then counts as refunded', async () => {
      await fixture.addVoucher(shop.appId, 'gift', 2_000);
      const order = await shop.sellOrder({ vouchers: ['gift'] });
      expect((await shop.changeAll(orderChange(order, REFUND_CHANGE))).dueRefunds).toEqual([]);
      expect(await shop.findOrder(order.id)).toMatchObject({ paid: 0, debt: 2_000, payment_status_id: 4 });
      expect(await fixture.spentOf(shop.appId, 'gift')).toBe(0);
    });
  });

  async function cashPayment(amount: number) {
    const { id: methodId } = await fixture.methodOf(shop.appId, 'cash');
    return [{ methodId, amount }];
  }
}
