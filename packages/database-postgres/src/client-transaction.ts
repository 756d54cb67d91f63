import type { CustomTypesConfig, PoolClient, QueryConfig } from 'pg';
import { auditStatement } from './apps/audit-statement.js';
import { runSteps, type StepQuery } from './cluster/run-steps.js';
import { JsonRows } from './json-rows.js';
import type { PreparedStatements } from './prepared-statements.js';
import { TIMEOUTS } from './data-source.js';
import type { AuditEntry, DomainEvent } from '@back-office/kernel';
import { WrittenByAnother } from '@back-office/database';
import { eventsStatement } from './events/event-statements.js';
import { isDivisionByZero } from './failures.js';
import { sendTogether, type SettledQuery } from './send-statements.js';
import type { RowsOfEach, Statement, StatementOfEach } from './sql.js';
import { LOCK_ORDER, type Lockable, type Transaction } from './transaction.js';
import { assertCommitted, assertInTime, assertSucceeded, resultOf, rowsOf } from './transaction-answers.js';
import { callContext, WriteOnce } from './write-once.js';

/** The last step is COMMIT (`undefined`), storing the result and COMMIT (`WriteOnce`), or ROLLBACK (`dry run`). */
export type TransactionEnd = undefined | WriteOnce | 'dry run';

/** Entries or events that the transaction collects and writes at its end in one statement. */
interface Collected<Item> {
  readonly appId: number;
  readonly at: Date;
  readonly list: Item[];
}

const MAX_ROWS_TOGETHER = 1_000;

/** Leaves values as PostgreSQL writes them. */
const TEXTS: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** Sends BEGIN with the first statement and COMMIT with the last, because round trips take most of the time. */
export class ClientTransaction implements Transaction {
  private lockedUpTo = -1;
  private bulkTimeout: { readonly query_timeout: number } | undefined;
  private collectedEntries: Collected<AuditEntry> | undefined;
  private collectedEvents: Collected<DomainEvent> | undefined;
  private state: 'new' | 'open' | 'committed' = 'new';
  private isShardLocked = false;
  private deferredQueries: QueryConfig[] = [];

  constructor(
    private readonly client: PoolClient,
    private readonly statements: PreparedStatements,
    private readonly endMs: number,
    private readonly ending: TransactionEnd,
  ) {}

  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const answers = await this.send(await this.queriesOf(text, values));
    return answers.map(resultOf).at(-1)?.rows as Row[];
  }

  async runDeferred(text: string, values: readonly unknown[] = []): Promise<void> {
    this.deferredQueries.push(...(await this.queriesOf(text, values)));
  }

  async rowsOfEach<Rows extends readonly unknown[]>(statements: StatementOfEach<Rows>): Promise<RowsOfEach<Rows>> {
    if (statements.some(({ text }) => this.statements.stepsOf(text)))
      throw new Error('A statement in steps runs alone');
    const answers = await this.send(statements.map(({ text, values }) => this.query(text, values)));
    return answers.map(rowsOf) as RowsOfEach<Rows>;
  }

  async runLast<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    // Does not commit here if the result must be stored first, or in a dry run.
    return this.ending ? this.rows(text, values) : this.commitWith(text, values);
  }

  async runAllLast(statements: readonly Statement[]): Promise<void> {
    const earlierStatements = statements.slice(0, -1);
    const [last] = statements.slice(-1);
    if (last === undefined) return;
    if (statements.some((statement) => this.runsAlone(statement)))
      for (const { text, values } of earlierStatements) await this.rows(text, values);
    else this.deferredQueries.push(...earlierStatements.map(({ text, values }) => this.query(text, values)));
    await this.runLast(last.text, last.values);
  }

  /** Returns true for a statement in steps, and for one that may need the time limit of the client for itself. */
  private runsAlone({ text, values }: Statement): boolean {
    const isLong = values.some((value) => value instanceof JsonRows && value.length > MAX_ROWS_TOGETHER);
    return isLong || this.statements.stepsOf(text) !== undefined;
  }

  async commit(result: unknown): Promise<void> {
    if (this.ending instanceof WriteOnce) return this.commitOnce(this.ending, result);
    if (this.state !== 'open' && this.deferredQueries.length === 0) return;
    assertInTime(this.endMs);
    if (this.ending === 'dry run') return this.rollBack();
    const queries = [...this.auditQueries(), ...this.eventQueries(), { text: 'COMMIT', ...this.bulkTimeout }];
    const answers = await this.send(queries);
    assertSucceeded(answers.slice(0, -1));
    assertCommitted(answers.at(-1));
  }

  private async rollBack(): Promise<void> {
    const [answer] = await this.send([{ text: 'ROLLBACK', ...this.bulkTimeout }]);
    rowsOf(answer);
  }

  private async commitOnce(writeOnce: WriteOnce, result: unknown): Promise<void> {
    const { text, values } = writeOnce.markOf(result);
    try {
      await this.commitWith(text, values);
    } catch (error) {
      // The statement that stores a result divides by its row count, which is 0 if another run has taken the key.
      if (isDivisionByZero(error)) throw new WrittenByAnother();
      throw error;
    }
    writeOnce.close();
  }

  private async commitWith<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const ownQueries = await this.queriesOf(text, values);
    const firstQueries = [...this.auditQueries(), ...ownQueries];
    const queries = [...firstQueries, ...this.eventQueries(), { text: 'COMMIT', ...this.bulkTimeout }];
    const answers = await this.send(queries).finally(() => (this.state = 'committed'));
    const statementAnswers = answers.slice(0, -1);
    assertSucceeded(statementAnswers);
    assertCommitted(statementAnswers.find(({ status }) => status === 'rejected') ?? answers.at(-1));
    return rowsOf<Row>(answers[firstQueries.length - 1]);
  }

  expectManyRows(): void {
    this.bulkTimeout = { query_timeout: TIMEOUTS.bulkQuery };
  }

  locks(kind: Lockable): void {
    const position = LOCK_ORDER.indexOf(kind);
    if (position < this.lockedUpTo) throw new Error(`${kind} is locked after ${LOCK_ORDER[this.lockedUpTo]}`);
    this.lockedUpTo = position;
  }

  audit(appId: number, at: Date, entries: readonly AuditEntry[]): void {
    if (entries.length === 0) return;
    this.collectedEntries ??= { appId, at, list: [] };
    this.collectedEntries.list.push(...entries);
  }

  publish(appId: number, at: Date, events: readonly DomainEvent[]): void {
    if (events.length === 0) return;
    this.collectedEvents ??= { appId, at, list: [] };
    // Does not use `push(...events)`, which could overflow the stack with 10,000 events.
    for (const event of events) this.collectedEvents.list.push(event);
  }

  private eventQueries(): QueryConfig[] {
    if (this.collectedEvents === undefined) return [];
    const { appId, at, list } = this.collectedEvents;
    const { text, values } = eventsStatement(appId, at, list);
    return [this.query(text, values)];
  }

  private auditQueries(): QueryConfig[] {
    if (this.collectedEntries === undefined) return [];
    const { appId, at, list } = this.collectedEntries;
    const { text, values } = auditStatement(appId, at, list, callContext().actor);
    return [this.query(text, values)];
  }

  /** Returns the queries that are left of a statement: one, or its last steps on a cluster. */
  private async queriesOf(text: string, values: readonly unknown[]): Promise<QueryConfig[]> {
    const steps = this.statements.stepsOf(text);
    if (steps === undefined) return [this.query(text, values)];
    const queries = await runSteps(steps, values, async (sent) => {
      const answers = await this.send(sent.map((query) => this.stepQuery(query)));
      return answers.map(resultOf);
    });
    return queries.map((query) => this.stepQuery(query));
  }

  private stepQuery({ text, values, isResult }: StepQuery): QueryConfig {
    return { ...this.query(text, values), ...(isResult && { types: TEXTS }) };
  }

  private query(text: string, values: readonly unknown[]): QueryConfig {
    if (this.state === 'committed') throw new Error('A statement came after the last one');
    assertInTime(this.endMs);
    const { name, text: sentText, isPlanFixed } = this.statements.named(text);
    const isPrepared = name !== undefined && (this.bulkTimeout === undefined || isPlanFixed);
    return { values: [...values], text: sentText, ...(isPrepared && { name }), ...this.bulkTimeout };
  }

  /** Sends BEGIN first, and the deferred statements before the others. Throws when a deferred statement fails. */
  private async send(queries: readonly QueryConfig[]): Promise<SettledQuery[]> {
    const isFirst = this.state === 'new';
    const sentQueries = [...this.deferredQueries, ...queries];
    this.deferredQueries = [];
    this.state = 'open';
    const lock = this.isShardLocked ? undefined : this.findLock(sentQueries);
    this.isShardLocked ||= lock !== undefined;
    if (lock) sentQueries.splice(lock.index, 0, lock.query);
    const answers = await sendTogether(this.client, sentQueries, isFirst);
    const own = new Set(queries);
    const isOwn = (index: number): boolean => own.has(sentQueries[index] as QueryConfig);
    // Only the first error tells what failed, because PostgreSQL then refuses the following statements.
    const failedIndex = answers.findIndex(({ status }) => status === 'rejected');
    if (failedIndex !== -1 && !isOwn(failedIndex)) assertSucceeded([answers[failedIndex] as SettledQuery]);
    return answers.filter((_, index) => isOwn(index));
  }

  /** Finds the lock of the app's shard on a cluster, and the first statement of an app, before which it must be sent. */
  private findLock(
    queries: readonly QueryConfig[],
  ): { readonly index: number; readonly query: QueryConfig } | undefined {
    for (const [index, { text, values = [] }] of queries.entries()) {
      const lock = this.statements.lockFor(text, values);
      if (lock) return { index, query: this.query(lock.text, lock.values) };
    }
    return undefined;
  }
}
