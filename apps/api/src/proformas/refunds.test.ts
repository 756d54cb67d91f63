import { anEvaluation, InMemoryProformaOrders, NOW } from '@back-office/proforma/testing';
import { cancel, createProforma, pay, type Proforma, type StoredChange } from '@back-office/proforma';
import { isRefusal } from '@back-office/kernel';
import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import { Refunds } from './refunds.js';

const APP_ID = 1;
const clock = { now: () => NOW };
const queue = { due: () => Promise.resolve([]), claim: () => Promise.resolve(undefined) };
const gateway = { refund: () => Promise.resolve('refunded' as const) };

async function cancelPaidProforma(orders: InMemoryProformaOrders): Promise<StoredChange> {
  orders.addStock(APP_ID, { variantId: 101, warehouseId: 1, warehouseCode: 'W1', onHand: 10 });
  const creation = await orders.create(APP_ID, orders.addEvaluation(APP_ID, anEvaluation()), (facts) =>
    createProforma({
      ...facts,
      preferredWarehouse: null,
      number: 'P-2026-000000',
      lifetimeHours: 1,
      minimumBasketAmount: 0,
      now: NOW,
    }),
  );
  if (isRefusal(creation)) throw new Error(creation.refused);
  const method = { id: 1, name: 'Bank', kind: 'bank_transfer' as const };
  const apply = async (decide: (proforma: Proforma) => Proforma | { refused: string }): Promise<StoredChange> =>
    (await orders.change(APP_ID, creation.id, (proforma) => ({ next: decide(proforma) as Proforma }))) as StoredChange;
  await apply((proforma) => pay(proforma, { method, amount: 0, now: NOW }));
  return apply((proforma) => cancel(proforma, { reason: null, now: NOW }));
}

describe('a refund whose answer cannot be recorded', () => {
  it.each<Error>([new DatabaseUnavailable(), new UnknownOutcome()])(
    'stays pending for the worker, and does not fail the call (%p)',
    async (error) => {
      const orders = new InMemoryProformaOrders();
      const storedChange = await cancelPaidProforma(orders);
      orders.change = () => {
        throw error;
      };
      const proforma = await new Refunds(orders, gateway, queue as never, clock, () => {}).payOut(APP_ID, storedChange);
      expect(proforma).toMatchObject({ status: 'canceled', payments: [{ amount: 3000 }, { status: 'pending' }] });
    },
  );

  it('rethrows an error that is a bug', async () => {
    const orders = new InMemoryProformaOrders();
    const storedChange = await cancelPaidProforma(orders);
    orders.change = () => Promise.reject(new TypeError('bug'));
    await expect(
      new Refunds(orders, gateway, queue as never, clock, () => {}).payOut(APP_ID, storedChange),
    ).rejects.toThrow('bug');
  });
});

describe('payOutDue', () => {
  const dueRefunds = Array.from({ length: 20 }, (_, index) => ({ appId: APP_ID, paymentId: index + 1 }));
  const dueQueue = { due: async () => dueRefunds, claim: async () => undefined };

  it('claims all due refunds one by one', async () => {
    const claimedIds: number[] = [];
    const claimQueue = { ...dueQueue, claim: async (_: number, id: number) => void claimedIds.push(id) };
    const refunds = new Refunds(new InMemoryProformaOrders(), gateway, claimQueue as never, clock, () => {});
    expect(await refunds.payOutDue()).toBe(20);
    expect(claimedIds.toSorted((a, b) => a - b)).toEqual(dueRefunds.map(({ paymentId }) => paymentId));
  });

  it('claims no refund while the process stops', async () => {
    const refunds = new Refunds(new InMemoryProformaOrders(), gateway, dueQueue as never, clock, () => {});
    expect(await refunds.payOutDue(AbortSignal.abort())).toBe(0);
  });
});
