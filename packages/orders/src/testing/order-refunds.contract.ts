import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { orderChange, OrderShop, type GivenOrders } from './given-orders.js';

export function orderRefundsContract(
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
  const refund = { status: 'canceled', refund: true } as const;

  describe('the money of a canceled order', () => {
    it('is refunded only on request, also later', async () => {
      const order = await shop.sold();
      expect((await shop.changed(orderChange(order, { status: 'canceled' }))).due).toEqual([]);
      expect((await shop.order(order.id)).payments).toHaveLength(1);
      const { due } = await shop.changed(orderChange(order, { refund: true }));
      expect(due).toEqual([{ proformaId: order.proforma_order_id, refundIds: [expect.any(Number)] }]);
    });

    it('is refunded once', async () => {
      const order = await shop.sold();
      const { due } = await shop.changed(orderChange(order, refund), orderChange(order, refund));
      const { payments, payment_status_id: status, paid } = await shop.order(order.id);
      const [paidAt, back] = payments ?? [];
      expect(back).toMatchObject({ amount: -2_000, status: 'pending', refund_of: paidAt?.id });
      expect(due).toEqual([{ proformaId: order.proforma_order_id, refundIds: [back?.id] }]);
      expect([paid, status]).toEqual([2_000, 3]);
      expect((await shop.changed(orderChange(order, refund))).due).toEqual([]);
      expect((await shop.order(order.id)).payments).toHaveLength(2);
    });

    it('is refunded for that order only', async () => {
      const [order, other, third] = [await shop.sold(), await shop.sold(), await shop.sold()];
      const { due } = await shop.changed(orderChange(order, refund), orderChange(third, { status: 'canceled' }));
      expect(due.map(({ proformaId }) => proformaId)).toEqual([order.proforma_order_id]);
      expect(await shop.order(other.id)).toEqual(other);
      expect((await shop.order(third.id)).payments).toEqual(third.payments);
    });

    it('is refunded once for concurrent calls', async () => {
      const order = await shop.sold();
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => shop.changed(orderChange(order, refund))));
      expect(outcomes.flatMap(({ due }) => due)).toHaveLength(1);
      expect((await shop.order(order.id)).payments).toHaveLength(2);
    });

    it('is not refunded in a dry run', async () => {
      const order = await shop.sold();
      const { due } = await shop.change([orderChange(order, refund)], { dryRun: true });
      expect(due).toHaveLength(1);
      expect(await shop.order(order.id)).toEqual(order);
    });

    it('is not refunded for open or imported orders', async () => {
      const [own, imported] = [await shop.sold(), await shop.imported({ payments: await paidInCash(500) })];
      const { failed } = await shop.change([orderChange(own, { refund: true }), orderChange(imported, refund)]);
      expect(failed).toEqual([
        { row: 0, key: 'API.Orders.RefundIsInvalid' },
        { row: 1, key: 'API.Orders.NotRefundable' },
      ]);
      expect(await shop.order(imported.id)).toEqual(imported);
    });

    it('is not refunded when nothing was paid', async () => {
      const [own, imported] = [await shop.sold({ paid: 0 }), await shop.imported()];
      expect((await shop.changed(orderChange(own, refund), orderChange(imported, refund))).due).toEqual([]);
    });
  });

  describe('vouchers and points', () => {
    it('are returned once with the refund', async () => {
      const customer = await given.addCustomer(shop.appId);
      await given.addVoucher(shop.appId, 'gift', 500);
      const order = await shop.sold({ customer, vouchers: ['gift'], amountPerPoint: 100 });
      expect([await given.spentOf(shop.appId, 'gift'), await given.pointsOf(shop.appId, customer)]).toEqual([500, 20]);
      await shop.changed(orderChange(order, { status: 'canceled' }));
      expect([await given.spentOf(shop.appId, 'gift'), await given.pointsOf(shop.appId, customer)]).toEqual([500, 20]);
      await shop.changed(orderChange(order, refund));
      await shop.changed(orderChange(order, refund));
      expect([await given.spentOf(shop.appId, 'gift'), await given.pointsOf(shop.appId, customer)]).toEqual([0, 0]);
      expect(await shop.order(order.id)).toMatchObject({ paid: 1_500, debt: 500, payment_status_id: 2 });
    });

    it('that paid the total leave a refunded order', async () => {
      await given.addVoucher(shop.appId, 'gift', 2_000);
      const order = await shop.sold({ vouchers: ['gift'] });
      expect((await shop.changed(orderChange(order, refund))).due).toEqual([]);
      expect(await shop.order(order.id)).toMatchObject({ paid: 0, debt: 2_000, payment_status_id: 4 });
      expect(await given.spentOf(shop.appId, 'gift')).toBe(0);
    });
  });

  async function paidInCash(amount: number) {
    const { id: methodId } = await given.methodOf(shop.appId, 'cash');
    return [{ methodId, amount }];
  }
}
