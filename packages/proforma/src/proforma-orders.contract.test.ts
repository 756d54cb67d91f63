import { runnerOf } from '@back-office/kernel/testing';
import {
  anEvaluation,
  BANK,
  InMemoryProformaOrders,
  NOW,
  proformaOrdersContract,
  withLine,
  type ProformaOrdersFixture,
} from './testing/index.js';

describe('proformas in memory', () => {
  proformaOrdersContract(runnerOf(globalThis), async () => inMemory());
});

function inMemory(): ProformaOrdersFixture {
  const orders = new InMemoryProformaOrders();
  const names = new Map<number, string>();
  return {
    orders,
    appId: 1,
    otherAppId: 2,
    paymentMethod: BANK,
    now: () => NOW,
    async variantWithStock(appId, onHand, { name, notSellableIn }) {
      const variantId = orders.nextId();
      names.set(variantId, name);
      for (const [warehouseCode, pieces] of Object.entries(onHand)) {
        if (warehouseCode === notSellableIn) continue;
        orders.addStock(appId, {
          variantId,
          warehouseId: Number(warehouseCode.slice(1)),
          warehouseCode,
          onHand: pieces,
        });
      }
      return variantId;
    },
    async makeEvaluation(appId, items, warehouseCode) {
      const lines = items.map(({ variantId, qty }) => withLine({ variantId, qty, name: names.get(variantId)! }));
      return orders.addEvaluation(appId, anEvaluation(...lines), warehouseCode);
    },
    async stockOf(appId, variantId) {
      const rows = orders.stockOf(appId, variantId);
      return {
        onHand: rows.reduce((total, row) => total + row.onHand, 0),
        reserved: rows.reduce((total, row) => total + row.reserved, 0),
      };
    },
    async whileLocked(_appId, id, work) {
      orders.lockedIds.add(id);
      const result = await work();
      orders.lockedIds.delete(id);
      return result;
    },
  };
}
