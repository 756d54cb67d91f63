import { goodsOf, fixtureOf } from '@back-office/database/testing';
import { ManualClock } from '@back-office/kernel/testing';
import { portsOf } from '../src/ports.js';
import { Postgres } from '../src/postgres.js';
import { borrowDatabase } from './shared-database.js';

const POOL_SIZE = 8;

export async function openFixture() {
  const database = await borrowDatabase(POOL_SIZE);
  const clock = new ManualClock();
  const postgres = new Postgres(database.source);
  const ports = portsOf(postgres, database.connection, {
    clock,
    publicBase: () => 'https://media.example',
    isPublished: () => false,
  });
  return { ...fixtureOf(ports, clock, () => database.release()), ...goodsOf(ports) };
}
