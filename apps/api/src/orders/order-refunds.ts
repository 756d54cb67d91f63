import type { Proforma } from '@back-office/proforma';
import type { Transaction } from '../database/database.js';

/** Refunds that a bulk update has decided on, to be asked for once it is committed. */
export interface DueRefunds {
  readonly proformaId: number;
  readonly refundIds: readonly number[];
}

/** Gives back what customers paid for cancelled orders: money, vouchers and points, as for proformas. */
export interface OrderRefunds {
  /** Locks the proformas of the orders. To be called before the orders are locked. */
  lock(transaction: Transaction, appId: number, orderIds: readonly number[]): Promise<readonly Proforma[]>;
  /** Locks vouchers and customers of the proformas. To be called between the locks of orders and of stock. */
  lockBenefits(transaction: Transaction, appId: number, proformas: readonly Proforma[]): Promise<void>;
  /** Gives back what is left of the payments of these proformas, which are locked. */
  giveBack(transaction: Transaction, appId: number, proformas: readonly Proforma[]): Promise<readonly DueRefunds[]>;
  /** Asks the gateway for a few refunds at once; many are left to the worker. A missing answer is no error. */
  payOut(appId: number, due: readonly DueRefunds[]): Promise<void>;
}
