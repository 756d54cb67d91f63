import {
  attributesContract,
  productQueriesContract,
  productsContract,
  type CatalogueFixture,
} from '@back-office/catalogue/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { State } from '../state.js';
import { MemoryUsageList } from '../media/memory-usage-list.js';
import { MemoryStock } from '../stock/memory-stock.js';
import { MemoryWarehouses } from '../stock/memory-warehouses.js';
import { MemoryAttributes } from './memory-attributes.js';
import { MemoryProductQueries } from './memory-product-queries.js';
import { MemoryProducts } from './memory-products.js';

const PAGE = { offset: 0, limit: 100 };
const ADDRESS = { address_line_1: 'a', city: 'c', postcode: 'p', market_id: 1 };

async function openCatalogueFixture(): Promise<CatalogueFixture> {
  const state = new State();
  let now = Date.parse('2026-11-21T10:00:00Z');
  const clock = { now: () => new Date(now) };
  const currencies = new Map<number, string>();
  const options = { publicBase: () => 'http://localhost/media', currencyOf: (appId: number) => currencies.get(appId) };
  const attributes = new MemoryAttributes(state, clock);
  const warehouses = new MemoryWarehouses(state, clock);
  const stock = new MemoryStock(state, clock);
  const usages = new MemoryUsageList(state);
  return {
    products: new MemoryProducts(state, clock, options),
    productQueries: new MemoryProductQueries(state),
    attributes,
    attributeQueries: attributes,
    makeApp: async () => {
      currencies.set(currencies.size + 1, 'RSD');
      return currencies.size;
    },
    changeCurrency: async (appId, currency) => void currencies.set(appId, currency),
    addStock: async (appId, code, qty, sellable) => {
      const warehouse = `${Math.random()}`;
      await warehouses.add(appId, { code: warehouse, name: warehouse, ...ADDRESS, sellable });
      await stock.add(appId, [{ code, warehouse_code: warehouse, qty }]);
    },
    brokenUsages: async (appId) => JSON.parse(await usages.brokenUsages(appId, undefined, PAGE)) as object[],
    forward: (seconds) => {
      now += seconds * 1_000;
    },
    close: async () => {},
  };
}

describe('the catalogue in memory', () => {
  productsContract(runnerOf(globalThis), openCatalogueFixture);
  productQueriesContract(runnerOf(globalThis), openCatalogueFixture);
  attributesContract(runnerOf(globalThis), openCatalogueFixture);
});
