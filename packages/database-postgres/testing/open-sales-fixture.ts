import { salesFixtureOf } from '@back-office/database/testing';
import { ManualClock } from '@back-office/kernel/testing';
import { dataSourceFor } from '../src/data-source.js';
import { portsOf } from '../src/ports.js';
import { Postgres } from '../src/postgres.js';
import { makeTestDatabase } from './test-database.js';

const POOL_SIZE = 8;

export async function openSalesFixture() {
  const own = await makeTestDatabase();
  const clock = new ManualClock();
  const postgres = new Postgres(await dataSourceFor(own.connection, POOL_SIZE).initialize());
  const publicBase = (): string => 'https://media.example';
  const ports = portsOf(postgres, own.connection, { clock, publicBase, isPublished: () => false });
  const fixture = salesFixtureOf(ports, clock, async () => {
    await postgres.source.destroy();
    await own.drop();
  });
  return { ...fixture, postgres };
}
