import { ManualClock } from '@back-office/kernel/testing';
import { dataSourceFor } from '../src/connection/data-source.js';
import { portsOf } from '../src/ports.js';
import { Postgres } from '../src/connection/postgres.js';
import { makeTestDatabase } from './test-database.js';

/** Opens a database with one app, for tests of statements. */
export async function openApp() {
  const testDatabase = await makeTestDatabase();
  const postgres = await Postgres.open(dataSourceFor(testDatabase.connection, 1));
  const options = { clock: new ManualClock(), publicBase: () => '', isPublished: () => false };
  const appId = await portsOf(postgres, testDatabase.connection, options).apps.create({
    name: 'Shop',
    currency: 'RSD',
  });
  const close = async (): Promise<void> => {
    await postgres.source.destroy();
    await testDatabase.drop();
  };
  return { postgres, appId, close };
}
