import { MemorySessions, portsOf, State } from '@back-office/database-memory';
import { ManualClock } from '@back-office/kernel/testing';
import { containerOf } from './container.js';
import { makeDemo } from './demo.js';

describe('the demo app', () => {
  it('fails with the name of the port that refuses a call', async () => {
    const clock = new ManualClock();
    const ports = portsOf(new State(), { clock, publicBase: () => '', isPublished: () => false });
    const refunds = { refund: () => Promise.resolve('refunded' as const) };
    // These sessions use another in-memory database, which does not contain the customer.
    const database = { ...ports, sessions: new MemorySessions(new State(), clock) };
    const container = containerOf(database, { refunds, media: undefined }, clock);
    await expect(makeDemo(container)).rejects.toThrow(
      'Cannot create the demo app: port sessions refused API.Customers.NotFound',
    );
  });
});
