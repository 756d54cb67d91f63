import { DatabaseUnavailable, UnknownOutcome, type Database } from '@back-office/database';
import { portsOf, State } from '@back-office/database-memory';
import { salesFixtureOf } from '@back-office/database/testing';
import { ManualClock } from '@back-office/kernel/testing';
import {
  cancel,
  pay,
  type Decision,
  type Proforma,
  type ProformaOrders,
  type StoredChange,
} from '@back-office/proforma';
import { Refunds } from './refunds.js';

const clock = new ManualClock();
const queue = { due: () => Promise.resolve([]), claim: () => Promise.resolve(undefined) };
const gateway = { refund: () => Promise.resolve('refunded' as const) };
const openPorts = (): Database =>
  portsOf(new State(), { clock, publicBase: () => 'https://media.example', isPublished: () => false });

async function cancelPaidProforma(): Promise<{
  readonly orders: ProformaOrders;
  readonly appId: number;
  readonly change: StoredChange;
}> {
  const ports = openPorts();
  const fixture = salesFixtureOf(ports, clock);
  const appId = await fixture.makeApp();
  await fixture.addGoods(appId, { code: 'S' });
  await fixture.addWarehouse(appId, 'W1');
  await fixture.addStock(appId, 'S', { W1: 10 });
  const { id } = await fixture.sell(appId, { items: [{ code: 'S', qty: 3 }] });
  const method = await fixture.methodOf(appId, 'bank_transfer');
  const orders = ports.proformaOrders;
  const apply = async (decide: Decision): Promise<StoredChange> =>
    (await orders.change(appId, id, decide)) as StoredChange;
  await apply((proforma, now) => ({ next: pay(proforma, { method, amount: 0, now }) as Proforma }));
  const change = await apply((proforma, now) => ({ next: cancel(proforma, { reason: null, now }) as Proforma }));
  return { orders, appId, change };
}

describe('a refund whose answer cannot be recorded', () => {
  it.each<Error>([new DatabaseUnavailable(), new UnknownOutcome()])(
    'stays pending for the worker, and does not fail the call (%p)',
    async (error) => {
      const { orders, appId, change } = await cancelPaidProforma();
      orders.change = () => {
        throw error;
      };
      const proforma = await new Refunds(orders, gateway, queue as never, clock, () => {}).payOut(appId, change);
      expect(proforma).toMatchObject({ status: 'canceled', payments: [{ amount: 3000 }, { status: 'pending' }] });
    },
  );

  it('rethrows an error that is a bug', async () => {
    const { orders, appId, change } = await cancelPaidProforma();
    orders.change = () => Promise.reject(new TypeError('bug'));
    await expect(new Refunds(orders, gateway, queue as never, clock, () => {}).payOut(appId, change)).rejects.toThrow(
      'bug',
    );
  });
});

describe('payOutDue', () => {
  const dueRefunds = Array.from({ length: 20 }, (_, index) => ({ appId: 1, paymentId: index + 1 }));
  const dueQueue = { due: async () => dueRefunds, claim: async () => undefined };

  it('claims all due refunds one by one', async () => {
    const claimedIds: number[] = [];
    const claimQueue = { ...dueQueue, claim: async (_: number, id: number) => void claimedIds.push(id) };
    const refunds = new Refunds(openPorts().proformaOrders, gateway, claimQueue as never, clock, () => {});
    expect(await refunds.payOutDue()).toBe(20);
    expect(claimedIds.toSorted((a, b) => a - b)).toEqual(dueRefunds.map(({ paymentId }) => paymentId));
  });

  it('claims no refund while the process stops', async () => {
    const refunds = new Refunds(openPorts().proformaOrders, gateway, dueQueue as never, clock, () => {});
    expect(await refunds.payOutDue(AbortSignal.abort())).toBe(0);
  });
});
