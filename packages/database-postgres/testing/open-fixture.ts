import { goodsOf, fixtureOf } from '@back-office/database/testing';
import { ManualClock } from '@back-office/kernel/testing';
import { dataSourceFor } from '../src/connection/data-source.js';
import { portsOf } from '../src/ports.js';
import { Postgres } from '../src/connection/postgres.js';
import { makeTestDatabase } from './test-database.js';

const POOL_SIZE = 8;

export async function openFixture() {
  const testDatabase = await makeTestDatabase();
  const clock = new ManualClock();
  const postgres = await Postgres.open(dataSourceFor(testDatabase.connection, POOL_SIZE));
  const ports = portsOf(postgres, testDatabase.connection, {
    clock,
    publicBase: () => 'https://media.example',
    isPublished: () => false,
  });
  const close = async () => {
    await postgres.source.destroy();
    await testDatabase.drop();
  };
  return { ...fixtureOf(ports, clock, close), ...goodsOf(ports) };
}
