import { salesFixtureOf } from '@back-office/database/testing';
import { ManualClock } from '@back-office/kernel/testing';
import { portsOf } from '../src/ports.js';
import { Postgres } from '../src/postgres.js';
import { borrowDatabase } from './shared-database.js';

const POOL_SIZE = 8;

export async function openSalesFixture() {
  const database = await borrowDatabase(POOL_SIZE);
  const clock = new ManualClock();
  const postgres = new Postgres(database.source);
  const publicBase = (): string => 'https://media.example';
  const ports = portsOf(postgres, database.connection, { clock, publicBase, isPublished: () => false });
  const fixture = salesFixtureOf(ports, clock, () => database.release());
  return { ...fixture, postgres };
}
