import type { ProformaOrdersFixture } from '@back-office/proforma/testing';
import type { salesFixtureOf } from './sales-fixture.js';

type Fixture = ReturnType<typeof salesFixtureOf>;

export async function proformaSetUpOf(fixture: Fixture): Promise<ProformaOrdersFixture> {
  const [appId, otherAppId] = [await fixture.makeApp(), await fixture.makeApp()];
  return {
    orders: fixture.proformaOrders,
    appId,
    otherAppId,
    paymentMethod: await fixture.methodOf(appId, 'bank_transfer'),
    now: () => fixture.clock.now(),
    async variantWithStock(app, onHand, { name, notSellableIn }) {
      for (const code of Object.keys(onHand)) await fixture.addWarehouse(app, code, code !== notSellableIn);
      const { code, variantId } = await fixture.addGoods(app, { name });
      await fixture.addStock(app, code, onHand);
      return variantId;
    },
    async makeEvaluation(app, items, warehouseCode) {
      const basketItems = items.map(({ variantId, qty }) => ({ product_variant_id: variantId, qty }));
      return (await fixture.evaluate(app, { items: basketItems, warehouseCode: warehouseCode ?? null })).id;
    },
    stockOf: (app, variantId) => fixture.stockOf(app, variantId),
  };
}
