import type { DueRefunds, OrderChanges, ParsedChange, UpdatedOrders } from '@back-office/orders';
import type { BulkOptions } from '@back-office/kernel';
import { shouldRefundInCall } from '@back-office/proforma';

/** Requests refunds from the gateway. A missing answer is not an error, because the worker retries. */
export interface RefundPayer {
  payOutByIds(appId: number, proformaId: number, refundIds: readonly number[]): Promise<void>;
}

export class OrderUpdates {
  /** `isResumed` returns true when an earlier run of this keyed call has already written. */
  constructor(
    private readonly changes: OrderChanges,
    private readonly refunds: RefundPayer,
    private readonly isResumed: () => boolean,
  ) {}

  /** Updates orders. A string in `changes` is the message key of an invalid row; such a row fails. */
  async update(appId: number, changes: readonly ParsedChange[], options: BulkOptions = {}): Promise<UpdatedOrders> {
    const { dueRefunds, ...result } = await this.changes.change(appId, changes, options);
    if (!options.dryRun && !this.isResumed()) await this.payOut(appId, dueRefunds);
    return result;
  }

  /** Requests a few refunds at once. A large number would delay the call, so the worker requests them later. */
  private async payOut(appId: number, dueRefunds: readonly DueRefunds[]): Promise<void> {
    if (!shouldRefundInCall(dueRefunds)) return;
    await Promise.all(
      dueRefunds.map(({ proformaId, refundIds }) => this.refunds.payOutByIds(appId, proformaId, refundIds)),
    );
  }
}
