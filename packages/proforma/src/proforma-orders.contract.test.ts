import { runnerOf } from '@back-office/kernel/testing';
import {
  anEvaluation,
  BANK,
  InMemoryProformaOrders,
  NOW,
  proformaOrdersContract,
  wanting,
  type ProformaOrdersSetUp,
} from './testing/index.js';

describe('proformas in memory', () => {
  proformaOrdersContract(runnerOf(globalThis), async () => inMemory());
});

function inMemory(): ProformaOrdersSetUp {
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
      const lines = items.map(({ variantId, qty }) => wanting({ variantId, qty, name: names.get(variantId)! }));
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
      orders.locked.add(id);
      const result = await work();
      orders.locked.delete(id);
      return result;
    },
  };
}
