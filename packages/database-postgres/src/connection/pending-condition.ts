import { ConditionFailed, type ConditionalKind, type WriteCondition } from '@back-office/database';
import type { Sql } from './sql.js';
import { callContext, runInContext } from './write-once.js';

const TABLES: Readonly<Record<Exclude<ConditionalKind, 'app'>, string>> = {
  proforma: 'proforma_orders',
  customer: 'customers',
  file: 'cdn_files',
  'webhook endpoint': 'webhook_endpoints',
};

/** Condition of a call. It applies until the first transaction of the call has committed. */
export class PendingCondition {
  private isOpen = true;

  constructor(private readonly condition: WriteCondition) {}

  static current(): PendingCondition | undefined {
    const { condition } = callContext();
    return condition instanceof PendingCondition && condition.isOpen ? condition : undefined;
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return runInContext({ condition: this }, work);
  }

  /**
   * Throws {@link ConditionFailed} unless the condition is met. Locks the record first, so that it cannot change
   * between the check and the end of the transaction.
   */
  async check(transaction: Sql): Promise<void> {
    const { kind, appId, id, isMet } = this.condition;
    if (kind === 'app')
      await transaction.rows('select app_id from app_settings where app_id = $1 for no key update', [appId]);
    else
      await transaction.rows(`select id from ${TABLES[kind]} where app_id = $1 and id = $2 for no key update`, [
        appId,
        id,
      ]);
    if (!(await runInContext({ reader: transaction }, isMet))) throw new ConditionFailed();
  }

  close(): void {
    this.isOpen = false;
  }
}
