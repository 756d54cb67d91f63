import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { orderChange, OrderShop, type OrderFixture } from './given-orders.js';

export function convertedOrdersContract(
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
    await fixture.addGoods(shop.appId, { code: 'T', price: 300 });
    await fixture.addStock(shop.appId, 'T', { W1: 10 });
  });

  describe('the order of a proforma', () => {
    it('copies the data of the proforma', async () => {
      const now = fixture.clock.now();
      const customer = await fixture.addCustomer(shop.appId);
      const order = await shop.sellOrder({ customer, paid: 500, comment: 'Ring twice', tags: ['vip'] });
      expect(order).toMatchObject({
        order_date: now,
        inserted_at: now,
        order_status_id: 1,
        payment_status_id: 2,
        delivery_status_id: 1,
        external_ref: null,
        invoice_number: null,
        app_location_id: null,
        customer_id: customer.id,
        data_part: customer.data_part,
        time_part: customer.time_part,
        delivery: { city: 'Novi Sad' },
        end_sales: 2_000,
        net_sales: 1_667,
        vat: 333,
        paid: 500,
        debt: 1_500,
        currency: 'RSD',
        comment: 'Ring twice',
        tags: ['vip'],
      });
      expect(order.proforma_order_id).toBeGreaterThan(0);
      expect(order.proforma_number).toMatch(/^P-/);
      const { id: methodId, name: method } = await fixture.methodOf(shop.appId, 'bank_transfer');
      expect(order.payments).toMatchObject([
        { amount: 500, method, payment_method_id: methodId, status: 'settled', refund_of: null },
      ]);
      expect(new Date(order.payments?.[0]?.paid_at ?? 0)).toEqual(now);
    });

    it('has the confirmed quantities, but no lines with quantity 0', async () => {
      const items = ['S', 'T', 'S'].map((code) => ({ code, qty: 2 }));
      const order = await shop.sellOrder({ items, confirmed: [1, 0, 2] });
      expect(order.items).toMatchObject([
        { code: 'S', qty: 1, price: 1_000, sales: 1_000, warehouse_code: 'W1' },
        { code: 'S', qty: 2, price: 1_000, sales: 2_000, warehouse_code: 'W1' },
      ]);
      expect(order).toMatchObject({ sales: 3_000, end_sales: 3_000 });
    });

    it('shows a pending refund', async () => {
      const { payments } = await shop.sellOrder({ confirmed: [1] });
      expect(payments).toMatchObject([{ amount: 2_000 }, { amount: -1_000, status: 'pending' }]);
    });
  });

  describe('the sold quantities of products', () => {
    it('include converted and imported orders, but not canceled ones', async () => {
      await shop.importOrder({ items: [{ code: 'T', qty: 2, price: null }] });
      expect(await fixture.bestSellers(shop.appId)).toEqual(['T', 'S']);
      const order = await shop.sellOrder({ items: [{ code: 'S', qty: 4 }], confirmed: [3] });
      expect(await fixture.bestSellers(shop.appId)).toEqual(['S', 'T']);
      const cancel = orderChange(order, { status: 'canceled' });
      await shop.change([cancel], { dryRun: true });
      expect(await fixture.bestSellers(shop.appId)).toEqual(['S', 'T']);
      await shop.changeAll(cancel);
      await shop.changeAll(cancel);
      expect(await fixture.bestSellers(shop.appId)).toEqual(['T', 'S']);
    });
  });
}
