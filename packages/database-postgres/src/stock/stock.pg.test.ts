import { runnerOf } from '@back-office/kernel/testing';
import { stockContract, stockQueriesContract, warehousesContract, type StockFixture } from '@back-office/stock/testing';
import { makeTestDatabase } from '../../testing/test-database.js';
import { dataSourceFor } from '../connection/data-source.js';
import { portsOf } from '../ports.js';
import { Postgres } from '../connection/postgres.js';

async function stockInPostgres(): Promise<StockFixture> {
  const testDatabase = await makeTestDatabase();
  const postgres = await Postgres.open(dataSourceFor(testDatabase.connection, 4));
  let now = Date.parse('2026-11-21T10:00:00Z');
  const clock = { now: () => new Date(now) };
  const { apps, products, ...ports } = portsOf(postgres, testDatabase.connection, {
    clock,
    publicBase: () => '',
    isPublished: () => false,
  });
  return {
    ...ports,
    makeApp: () => apps.create({ name: 'Shop', currency: 'RSD' }),
    addProduct: async (id, code, variants) => {
      const app = { id, currency: 'RSD', settings: { media: { prefix: 'p' } } };
      const owned = variants.map((variant) => ({ ...variant, images: [] }));
      const { outcomes } = await products.upsert(app, [{ code, name: code, images: [], variants: owned }]);
      const [outcome] = outcomes;
      return typeof outcome === 'object' ? (outcome.product.id as number) : 0;
    },
    now: () => new Date(now),
    forward: (seconds) => {
      now += seconds * 1_000;
    },
    close: async () => {
      await postgres.source.destroy();
      await testDatabase.drop();
    },
  };
}

describe('stock in PostgreSQL', () => {
  stockContract(runnerOf(globalThis), stockInPostgres);
  stockQueriesContract(runnerOf(globalThis), stockInPostgres);
  warehousesContract(runnerOf(globalThis), stockInPostgres);
});
