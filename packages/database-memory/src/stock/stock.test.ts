import { runnerOf } from '@back-office/kernel/testing';
import { stockContract, stockQueriesContract, warehousesContract, type StockFixture } from '@back-office/stock/testing';
import { MemoryProducts } from '../catalogue/memory-products.js';
import { State } from '../state.js';
import { MemoryStock } from './memory-stock.js';
import { MemoryStockQueries } from './memory-stock-queries.js';
import { MemoryWarehouses } from './memory-warehouses.js';

async function openStockFixture(): Promise<StockFixture> {
  const state = new State();
  let now = Date.parse('2026-11-21T10:00:00Z');
  const clock = { now: () => new Date(now) };
  const products = new MemoryProducts(state, clock, { publicBase: () => '', currencyOf: () => 'RSD' });
  const warehouses = new MemoryWarehouses(state, clock);
  let apps = 0;
  return {
    stock: new MemoryStock(state, clock),
    stockQueries: new MemoryStockQueries(state),
    warehouses,
    warehouseQueries: warehouses,
    makeApp: async () => {
      apps += 1;
      return apps;
    },
    addProduct: async (id, code, variants) => {
      const app = { id, currency: 'RSD', settings: { media: { prefix: 'p' } } };
      const variantsWithImages = variants.map((variant) => ({ ...variant, images: [] }));
      await products.upsert(app, [{ code, name: code, images: [], variants: variantsWithImages }]);
      return state.products.find(id, (product) => product.code === code)?.id as number;
    },
    now: () => new Date(now),
    forward: (seconds) => {
      now += seconds * 1_000;
    },
    close: async () => {},
  };
}

describe('stock in memory', () => {
  stockContract(runnerOf(globalThis), openStockFixture);
  stockQueriesContract(runnerOf(globalThis), openStockFixture);
  warehousesContract(runnerOf(globalThis), openStockFixture);
});
