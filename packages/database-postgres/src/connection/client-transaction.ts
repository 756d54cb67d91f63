import type { PoolClient, QueryConfig } from 'pg';
import { auditStatement } from './audit-statement.js';
import type { PreparedStatements } from './prepared-statements.js';
import { TIMEOUTS } from './timeouts.js';
import type { AuditEntry, DomainEvent, RecordedChanges } from '@back-office/kernel';
import { WrittenByAnother } from '@back-office/database';
import { eventsStatement } from './event-statements.js';
import { sendTogether, type SettledQuery } from './send-statements.js';
import { LOCK_ORDER, type Lockable, type Transaction } from './transaction.js';
import { assertCommitted, assertInTime, assertSucceeded, rowsOf } from './transaction-answers.js';
import { callContext, WriteOnce } from './write-once.js';

/** The last step is COMMIT (`undefined`), storing the result and COMMIT (`WriteOnce`), or ROLLBACK (`dry run`). */
export type TransactionEnd = undefined | WriteOnce | 'dry run';

/** Sends BEGIN with the first statement and COMMIT with the last, because round trips take most of the time. */
export class ClientTransaction implements Transaction {
  private lockedUpTo = -1;
  private bulkTimeout: { readonly query_timeout: number } | undefined;
  private recordedFor: { readonly appId: number; readonly at: Date } | undefined;
  private readonly entries: AuditEntry[] = [];
  private readonly events: DomainEvent[] = [];
  private state: 'new' | 'open' | 'committed' = 'new';

  constructor(
    private readonly client: PoolClient,
    private readonly statements: PreparedStatements,
    private readonly endMs: number,
    private readonly ending: TransactionEnd,
  ) {}

  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const [answer] = await this.send([this.query(text, values)]);
    return rowsOf(answer);
  }

  async runLast<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    // Does not commit here if the result must be stored first, or in a dry run.
    if (this.ending) return this.rows(text, values);
    const answer = await this.sendWithCommit([this.query(text, values)]);
    return rowsOf(answer);
  }

  async commit(result: unknown): Promise<void> {
    if (this.ending instanceof WriteOnce) return this.commitOnce(this.ending, result);
    const isEmpty = this.state === 'new' && this.recordedFor === undefined;
    if (isEmpty || this.state === 'committed') return;
    assertInTime(this.endMs);
    if (this.ending !== 'dry run') await this.sendWithCommit([]);
    else await this.send([{ text: 'ROLLBACK', ...this.bulkTimeout }]).then(([answer]) => rowsOf(answer));
  }

  private async commitOnce(writeOnce: WriteOnce, result: unknown): Promise<void> {
    const { text, values } = writeOnce.markOf(result);
    const [mark] = await this.rows(text, values);
    if (mark === undefined) throw new WrittenByAnother();
    await this.sendWithCommit([]);
    writeOnce.close();
  }

  /** Sends the statements, what the transaction has recorded, and COMMIT. Returns the answer to the first statement. */
  private async sendWithCommit(queries: readonly QueryConfig[]): Promise<SettledQuery | undefined> {
    const recordingQueries = this.recordingQueries();
    const commit = { text: 'COMMIT', ...this.bulkTimeout };
    const answers = await this.send([...queries, ...recordingQueries, commit]).finally(
      () => (this.state = 'committed'),
    );
    const statementAnswers = answers.slice(0, -1);
    assertSucceeded(statementAnswers);
    assertCommitted(statementAnswers.find(({ status }) => status === 'rejected') ?? answers.at(-1));
    return answers[0];
  }

  expectManyRows(): void {
    this.bulkTimeout = { query_timeout: TIMEOUTS.bulkQuery };
  }

  locks(kind: Lockable): void {
    const position = LOCK_ORDER.indexOf(kind);
    if (position < this.lockedUpTo) throw new Error(`${kind} is locked after ${LOCK_ORDER[this.lockedUpTo]}`);
    this.lockedUpTo = position;
  }

  record(appId: number, at: Date, { entries = [], events = [] }: RecordedChanges): void {
    this.recordedFor ??= { appId, at };
    // Does not use `push(...events)`, which could overflow the stack with 10,000 events.
    for (const entry of entries) this.entries.push(entry);
    for (const event of events) this.events.push(event);
  }

  private recordingQueries(): QueryConfig[] {
    if (this.recordedFor === undefined) return [];
    const { appId, at } = this.recordedFor;
    const { entries, events } = this;
    const statements = [
      ...(entries.length > 0 ? [auditStatement(appId, at, entries, callContext().actor)] : []),
      ...(events.length > 0 ? [eventsStatement(appId, at, events)] : []),
    ];
    return statements.map(({ text, values }) => this.query(text, values));
  }

  private query(text: string, values: readonly unknown[]): QueryConfig {
    if (this.state === 'committed') throw new Error('A statement came after the last one');
    assertInTime(this.endMs);
    const { name, text: sentText, isPlanFixed } = this.statements.named(text);
    const isPrepared = name !== undefined && (this.bulkTimeout === undefined || isPlanFixed);
    return { values: [...values], text: sentText, ...(isPrepared && { name }), ...this.bulkTimeout };
  }

  /** Sends BEGIN with the first statement. */
  private send(queries: readonly QueryConfig[]): Promise<SettledQuery[]> {
    const isFirst = this.state === 'new';
    this.state = 'open';
    return sendTogether(this.client, queries, isFirst);
  }
}
