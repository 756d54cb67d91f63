import { salesFixtureOf } from '@back-office/database/testing';
import { ManualClock } from '@back-office/kernel/testing';
import { portsOf, State } from '../src/index.js';

export async function openSalesFixture() {
  const clock = new ManualClock();
  const options = { clock, publicBase: () => 'https://media.example', isPublished: () => false };
  return salesFixtureOf(portsOf(new State(), options), clock);
}
