import type { DueRefunds, OrderChanges, ParsedChange, UpdatedOrders } from '@back-office/orders';
import type { BulkOptions } from '@back-office/kernel';
import { shouldAskInCall } from '@back-office/proforma';

/** Asks the gateway for refunds of a proforma. A missing answer is no error. */
export interface RefundPayer {
  payOutByIds(appId: number, proformaId: number, refundIds: readonly number[]): Promise<void>;
}

export class OrderUpdates {
  /** `isResumed`: an earlier run of the same keyed call has already written. */
  constructor(
    private readonly changes: OrderChanges,
    private readonly refunds: RefundPayer,
    private readonly isResumed: () => boolean,
  ) {}

  /** Updates the valid rows and returns the others as failed. A row that failed to parse arrives as its message key. */
  async update(appId: number, changes: readonly ParsedChange[], options: BulkOptions = {}): Promise<UpdatedOrders> {
    const { due, ...updated } = await this.changes.change(appId, changes, options);
    // On a resumed call the worker handles the refunds.
    if (!options.dryRun && !this.isResumed()) await this.payOut(appId, due);
    return updated;
  }

  /** Many refunds would hold up the call, so they are left to the worker. */
  private async payOut(appId: number, due: readonly DueRefunds[]): Promise<void> {
    if (!shouldAskInCall(due)) return;
    await Promise.all(due.map(({ proformaId, refundIds }) => this.refunds.payOutByIds(appId, proformaId, refundIds)));
  }
}
