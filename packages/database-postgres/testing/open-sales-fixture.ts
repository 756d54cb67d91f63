import { salesFixtureOf } from '@back-office/database/testing';
import { ManualClock } from '@back-office/kernel/testing';
import { dataSourceFor } from '../src/connection/data-source.js';
import { portsOf } from '../src/ports.js';
import { Postgres } from '../src/connection/postgres.js';
import { makeTestDatabase } from './test-database.js';

const POOL_SIZE = 8;

export async function openSalesFixture() {
  const testDatabase = await makeTestDatabase();
  const clock = new ManualClock();
  const postgres = await Postgres.open(dataSourceFor(testDatabase.connection, POOL_SIZE));
  const publicBase = (): string => 'https://media.example';
  const ports = portsOf(postgres, testDatabase.connection, { clock, publicBase, isPublished: () => false });
  const fixture = salesFixtureOf(ports, clock, async () => {
    await postgres.source.destroy();
    await testDatabase.drop();
  });
  return { ...fixture, postgres };
}
