import type { ChangedOrders, DueRefunds } from '@back-office/orders';
import { OrderUpdates } from './order-updates.js';

const APP_ID = 1;
const DUE_REFUNDS: readonly DueRefunds[] = [
  { proformaId: 10, refundIds: [1, 2] },
  { proformaId: 11, refundIds: [3] },
];

async function updateAndListRefunds({ due = DUE_REFUNDS, isResumed = false, dryRun = false } = {}): Promise<
  readonly number[]
> {
  const refundIds: number[] = [];
  const changedOrders: ChangedOrders = { dueRefunds: due, failed: [], explain: undefined };
  const payer = {
    payOutByIds: async (_app: number, _id: number, ids: readonly number[]) => void refundIds.push(...ids),
  };
  const updates = new OrderUpdates({ change: async () => changedOrders }, payer, () => isResumed);
  expect(await updates.update(APP_ID, [], { dryRun })).toEqual({ failed: [], explain: undefined });
  return refundIds;
}

describe('an update of orders', () => {
  it('requests its refunds', async () => {
    expect(await updateAndListRefunds()).toEqual([1, 2, 3]);
  });

  it('requests no refunds in a dry run', async () => {
    expect(await updateAndListRefunds({ dryRun: true })).toEqual([]);
  });

  it('requests no refunds in a resumed call', async () => {
    expect(await updateAndListRefunds({ isResumed: true })).toEqual([]);
  });

  it.each([
    [50, 50],
    [51, 0],
  ])('with %i due refunds requests %i immediately', async (count, expected) => {
    const refundIds = Array.from({ length: count }, (_, index) => index + 1);
    expect(await updateAndListRefunds({ due: [{ proformaId: 10, refundIds }] })).toHaveLength(expected);
  });
});
