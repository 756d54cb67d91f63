import type { ProformaStatus } from '@back-office/proforma';

/** Work of one kind that waits in the database. */
export interface WaitingWork {
  readonly count: number;
  /** Seconds for which the oldest piece of work has been due; 0 when none is due. */
  readonly dueForSeconds: number;
}

/** The figures are sums over all apps. */
export interface BacklogFigures {
  /** Number of open proformas by status. A status without proformas is absent. */
  readonly openProformas: Readonly<Partial<Record<ProformaStatus, number>>>;
  /** Open proformas whose deadline has passed. Paid proformas with an alert about it do not count. */
  readonly overdueProformas: WaitingWork;
  /** Lines of proformas and orders whose stock is reserved. */
  readonly reservedLines: number;
  /** Refunds without a final answer of the payment service. Not all of them are due for an attempt. */
  readonly pendingRefunds: WaitingWork;
  /** Background jobs that are due and not running. */
  readonly dueJobs: WaitingWork;
  /** Number of background jobs that have used all their attempts. */
  readonly failedJobs: number;
}

/** Shows operators whether background work keeps up. */
export interface Backlog {
  figures(now: Date): Promise<BacklogFigures>;
}
