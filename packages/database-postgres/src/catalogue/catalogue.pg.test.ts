import {
  attributesContract,
  productQueriesContract,
  productsContract,
  type CatalogueFixture,
} from '@back-office/catalogue/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { makeTestDatabase } from '../../testing/test-database.js';
import { dataSourceFor } from '../connection/data-source.js';
import { portsOf } from '../ports.js';
import { Postgres } from '../connection/postgres.js';

const PAGE = { offset: 0, limit: 100 };
const ADDRESS = { address_line_1: 'a', city: 'c', postcode: 'p', market_id: 1 };

async function openCatalogue(): Promise<CatalogueFixture> {
  const testDatabase = await makeTestDatabase();
  const postgres = await Postgres.open(dataSourceFor(testDatabase.connection, 4));
  let now = Date.parse('2026-11-21T10:00:00Z');
  const clock = { now: () => new Date(now) };
  const { apps, warehouses, stock, ...ports } = portsOf(postgres, testDatabase.connection, {
    clock,
    publicBase: () => 'http://localhost/media',
    isPublished: () => false,
  });
  return {
    ...ports,
    makeApp: () => apps.create({ name: 'Shop', currency: 'RSD' }),
    changeCurrency: async (appId, currency) => void (await apps.patch(appId, { currency })),
    addStock: async (appId, code, qty, sellable) => {
      const warehouse = `${Math.random()}`;
      await warehouses.add(appId, { code: warehouse, name: warehouse, ...ADDRESS, sellable });
      await stock.add(appId, [{ code, warehouse_code: warehouse, qty }]);
    },
    brokenUsages: async (appId) =>
      JSON.parse(await ports.fileUsageQueries.brokenUsages(appId, undefined, PAGE)) as object[],
    forward: (seconds) => {
      now += seconds * 1_000;
    },
    close: async () => {
      await postgres.source.destroy();
      await testDatabase.drop();
    },
  };
}

describe('the catalogue in PostgreSQL', () => {
  productsContract(runnerOf(globalThis), openCatalogue);
  productQueriesContract(runnerOf(globalThis), openCatalogue);
  attributesContract(runnerOf(globalThis), openCatalogue);
});
