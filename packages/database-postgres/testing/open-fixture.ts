import { goodsOf, fixtureOf } from '@back-office/database/testing';
import { ManualClock } from '@back-office/kernel/testing';
import { dataSourceFor } from '../src/data-source.js';
import { portsOf } from '../src/ports.js';
import { Postgres } from '../src/postgres.js';
import { testDatabase } from './test-database.js';

const POOL_SIZE = 8;

/** An empty database with the fixture of the contract suites. */
export async function openFixture() {
  const own = await testDatabase();
  const clock = new ManualClock();
  const postgres = new Postgres(await dataSourceFor(own.connection, POOL_SIZE).initialize());
  const ports = portsOf(postgres, own.connection, {
    clock,
    publicBase: () => 'https://media.example',
    isPublished: () => false,
  });
  const close = async () => {
    await postgres.source.destroy();
    await own.drop();
  };
  return { ...fixtureOf(ports, clock, close), ...goodsOf(ports) };
}
