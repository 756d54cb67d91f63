import { UnknownOutcome } from '@back-office/database';
import type { Order } from '@back-office/orders';
import { callContext, runInContext, WriteOnce, type CallProgress } from './write-once.js';

export function noteWritten(): void {
  const { progress } = callContext();
  if (progress) progress.hasWritten = true;
}

export function hasWritten(): boolean {
  return callContext().progress?.hasWritten ?? false;
}

/**
 * Remembers an order for the rest of the call. It cannot be stale: ids of rolled-back orders are never used again, and
 * no call changes the order that it has made.
 */
export function rememberMadeOrder(appId: number, order: Order): void {
  const { progress } = callContext();
  if (progress) progress.madeOrder = { appId, order };
}

export function recallMadeOrder(appId: number, id: number): Order | undefined {
  const made = callContext().progress?.madeOrder;
  return made?.appId === appId && made.order.id === id ? made.order : undefined;
}

/**
 * Runs a call. If this run or an earlier one has written, an error that means “nothing was written” becomes {@link
 * UnknownOutcome}.
 */
export async function trackWrites<Result>(
  work: () => Promise<Result>,
  impliesNothingWritten: (error: unknown) => boolean,
): Promise<Result> {
  const progress: CallProgress = { hasWritten: WriteOnce.pending()?.isWritten ?? false };
  try {
    return await runInContext({ progress }, work);
  } catch (error) {
    if (progress.hasWritten && impliesNothingWritten(error))
      throw new UnknownOutcome('The database was lost after the call had written', { cause: error });
    throw error;
  }
}
