import type { Pool, PoolClient, QueryResult } from 'pg';
import type { DataSource } from 'typeorm';
import { ClientTransaction, type TransactionEnd } from './client-transaction.js';
import type { Sql } from './sql.js';
import type { Transaction, WritingSql } from './transaction.js';
import { TIMEOUTS } from './timeouts.js';
import { isConnectionLost, isServerError, tryRollback } from './transaction-answers.js';
import { useConnection } from './use-connection.js';
import { ConditionFailed, UnknownOutcome, type PartyKind } from '@back-office/database';
import { failureOf, isUpstreamLost, toPortError } from './failures.js';
import { hasCitus } from './outer-app.js';
import { noteWritten } from './call-writes.js';
import { PendingCondition } from './pending-condition.js';
import { PreparedStatements } from './prepared-statements.js';
import { pause, retryWhileExhausted } from './retries.js';
import { BACKGROUND, ConnectionTurns } from './connection-turns.js';
import { callContext, runInContext, WriteOnce } from './write-once.js';

export interface TransactionOptions {
  readonly dryRun?: boolean | undefined;
}

const MAX_ATTEMPTS = 4;

/** Throws inside a transaction, because rows must not stay locked during a network call. */
export function assertOutsideTransaction(operation: string): void {
  if (callContext().moment) throw new Error(`${operation} was called inside a transaction`);
}

export class Postgres implements Sql {
  private readonly pool: Pool;
  private readonly turns: ConnectionTurns;
  private readonly statements = new PreparedStatements();

  constructor(
    readonly source: DataSource,
    private readonly maxTransactionMs: number = TIMEOUTS.transaction,
  ) {
    this.pool = (source.driver as unknown as { master: Pool }).master;
    // Reads the size from the options, because the data source has no pool before its initialization.
    this.turns = new ConnectionTurns(source.options.poolSize ?? 1, TIMEOUTS.acquire);
  }

  /** Opens the connections, and adapts the statements to a cluster. */
  static async open(source: DataSource): Promise<Postgres> {
    const postgres = new Postgres(await source.initialize());
    if (await hasCitus((text) => source.query(text))) postgres.statements.adaptToCluster();
    return postgres;
  }

  connections(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    return {
      open: this.pool.totalCount,
      idle: this.pool.idleCount,
      waiting: this.pool.waitingCount + this.turns.waitingCount,
    };
  }

  waiting(): Readonly<Record<PartyKind, number>> {
    return this.turns.waiting();
  }

  async ping(): Promise<void> {
    await this.rows('select 1');
  }

  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { reader } = callContext();
    if (reader) return reader.rows<Row>(text, values);
    const send = () => this.withConnection((client) => this.send(client, text, values));
    const { rows } = await this.read(() => this.inTurn(() => this.withCurrentPlan(() => retryWhileExhausted(send))));
    return rows as Row[];
  }

  /**
   * Runs work that writes only in its {@link WritingSql.runLast} statement. Such work needs a transaction only in a
   * keyed or conditional call.
   */
  write<Result>(work: (sql: WritingSql) => Promise<Result>): Promise<Result> {
    if (WriteOnce.pending() !== undefined || PendingCondition.current()) return this.transaction(work);
    return work({
      rows: (text, values) => this.rows(text, values),
      runLast: (text, values) => this.inTurn(() => this.runAlone(text, values)),
    });
  }

  async read<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw toPortError(error);
    }
  }

  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const { party = BACKGROUND } = callContext();
    const endTurn = await this.read(() => retryWhileExhausted(() => this.turns.take(party)));
    try {
      return await work();
    } finally {
      endTurn();
    }
  }

  private async runAlone<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    // Treats a failed connection like a failed read, because nothing has been written.
    const client = await this.read(() => retryWhileExhausted(() => this.pool.connect()));
    try {
      const send = () => this.send(client, text, values);
      const { rows } = await useConnection(client, () => this.withCurrentPlan(send));
      noteWritten();
      return rows as Row[];
    } catch (error) {
      if (isUpstreamLost(error) || (isConnectionLost(error) && !isServerError(error)))
        throw new UnknownOutcome('The connection was lost during a write');
      throw toPortError(error);
    }
  }

  /**
   * Runs `work` in one transaction. Repeats it up to 3 times after a deadlock, a serialization failure or a change of a
   * table. Throws {@link UnknownOutcome} when the connection is lost at COMMIT. Throws `DatabaseUnavailable` when
   * all attempts together take too long.
   */
  async transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    { dryRun = false }: TransactionOptions = {},
  ): Promise<Result> {
    // The check of a condition runs here only if a read must write, for example to expire an overdue proforma. The
    // record has then changed.
    if (callContext().reader) throw new ConditionFailed();
    assertOutsideTransaction('A second transaction');
    const writeOnce = WriteOnce.pending();
    if (writeOnce?.isWritten) return writeOnce.resume() as Result;
    const transactionEnd = dryRun ? 'dry run' : writeOnce;
    const endMs = performance.now() + this.maxTransactionMs;
    const conditionalWork = async (transaction: Transaction): Promise<Result> => {
      await PendingCondition.current()?.check(transaction);
      return work(transaction);
    };
    for (let attempt = 1; ; attempt += 1) {
      const { generation } = this.statements;
      try {
        const result = await runInContext({ moment: {} }, () =>
          this.inTurn(() => this.runAttempt(conditionalWork, endMs, transactionEnd)),
        );
        if (!dryRun) noteWritten();
        PendingCondition.current()?.close();
        return result;
      } catch (error) {
        const failure = failureOf(error);
        if (failure === 'stale plan') this.statements.renew(generation);
        const isRetryable = failure === 'retry' || failure === 'stale plan';
        if (!isRetryable || attempt === MAX_ATTEMPTS || performance.now() > endMs) throw toPortError(error);
        await pause(attempt);
      }
    }
  }

  private async runAttempt<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    endMs: number,
    transactionEnd: TransactionEnd,
  ): Promise<Result> {
    const client = await retryWhileExhausted(() => this.pool.connect());
    const attempt = async (): Promise<Result> => {
      const transaction = new ClientTransaction(client, this.statements, endMs, transactionEnd);
      const result = await work(transaction);
      await transaction.commit(result);
      return result;
    };
    return useConnection(client, attempt, tryRollback);
  }

  private async withConnection<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    return useConnection(client, () => work(client));
  }

  private send(client: PoolClient, text: string, values: readonly unknown[]): Promise<QueryResult> {
    return client.query({ values: [...values], ...this.statements.named(text) });
  }

  /** Repeats a statement that a connection prepared before a migration changed its columns. */
  private async withCurrentPlan<Result>(send: () => Promise<Result>): Promise<Result> {
    const { generation } = this.statements;
    try {
      return await send();
    } catch (error) {
      if (failureOf(error) !== 'stale plan') throw error;
      this.statements.renew(generation);
      return send();
    }
  }
}
