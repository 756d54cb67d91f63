import { anEvaluation, InMemoryProformaOrders, NOW } from '@back-office/proforma/testing';
import { cancel, createProforma, pay, type Proforma, type StoredChange } from '@back-office/proforma';
import { isRefusal } from '@back-office/kernel';
import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import { Refunds } from './refunds.js';

const APP = 1;
const clock = { now: () => NOW };
const queue = { due: () => Promise.resolve([]), claim: () => Promise.resolve(undefined) };
const gateway = { refund: () => Promise.resolve('refunded' as const) };

/** A cancelled proforma with a pending refund. */
async function canceled(orders: InMemoryProformaOrders): Promise<StoredChange> {
  orders.addStock(APP, { variantId: 101, warehouseId: 1, warehouseCode: 'W1', onHand: 10 });
  const made = await orders.create(APP, orders.addEvaluation(APP, anEvaluation()), (facts) =>
    createProforma({
      ...facts,
      preferredWarehouse: null,
      number: 'P-2026-000000',
      lifetimeHours: 1,
      minimumBasketAmount: 0,
      now: NOW,
    }),
  );
  if (isRefusal(made)) throw new Error(made.refused);
  const method = { id: 1, name: 'Bank', kind: 'bank_transfer' as const };
  const deciding = async (decide: (found: Proforma) => Proforma | { refused: string }): Promise<StoredChange> =>
    (await orders.change(APP, made.id, (found) => ({ next: decide(found) as Proforma }))) as StoredChange;
  await deciding((found) => pay(found, { method, amount: 0, now: NOW }));
  return deciding((found) => cancel(found, { reason: null, now: NOW }));
}

describe('a refund whose answer cannot be recorded', () => {
  it.each<Error>([new DatabaseUnavailable(), new UnknownOutcome()])(
    'stays pending for the worker, and the call succeeds (%p)',
    async (error) => {
      const orders = new InMemoryProformaOrders();
      const stored = await canceled(orders);
      orders.change = () => {
        throw error;
      };
      const proforma = await new Refunds(orders, gateway, queue as never, clock, () => {}).payOut(APP, stored);
      expect(proforma).toMatchObject({ status: 'canceled', payments: [{ amount: 3000 }, { status: 'pending' }] });
    },
  );

  it('throws on a bug', async () => {
    const orders = new InMemoryProformaOrders();
    const stored = await canceled(orders);
    orders.change = () => Promise.reject(new TypeError('bug'));
    await expect(new Refunds(orders, gateway, queue as never, clock, () => {}).payOut(APP, stored)).rejects.toThrow(
      'bug',
    );
  });
});

describe('due refunds', () => {
  const due = Array.from({ length: 20 }, (_, index) => ({ appId: APP, paymentId: index + 1 }));
  const dueQueue = { due: async () => due, claim: async () => undefined };

  it('are all claimed, one by one', async () => {
    const claimed: number[] = [];
    const claiming = { ...dueQueue, claim: async (_: number, id: number) => void claimed.push(id) };
    const refunds = new Refunds(new InMemoryProformaOrders(), gateway, claiming as never, clock, () => {});
    expect(await refunds.payOutDue()).toBe(20);
    expect(claimed.toSorted((one, other) => one - other)).toEqual(due.map(({ paymentId }) => paymentId));
  });

  it('are left alone while the process stops', async () => {
    const refunds = new Refunds(new InMemoryProformaOrders(), gateway, dueQueue as never, clock, () => {});
    expect(await refunds.payOutDue(AbortSignal.abort())).toBe(0);
  });
});
