import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import {
  ClientTransaction,
  ignored,
  isAnswer,
  rolledBack,
  type Ending,
  type Sql,
  type Transaction,
  type Writing,
} from './client-transaction.js';
import { TIMEOUTS } from './data-source.js';
import { DatabaseUnavailable, failureOf, isPoolExhausted, UnknownOutcome } from './failures.js';
import { hasWritten, noteWritten } from './call-writes.js';
import { WriteOnce } from './write-once.js';

export type { Lockable, Sql, Transaction, Writing } from './client-transaction.js';

export interface TransactionOptions {
  /** Everything is done, and then taken back: what the work answers is what it would have written. */
  readonly rehearsal?: boolean | undefined;
}

const MOST_TRIES = 4;
const MOST_NAMES = 500;
const inTransaction = new AsyncLocalStorage<true>();

/** Throws when called inside a transaction: nothing may wait for a network while rows are locked. */
export function assertOutsideTransaction(what: string): void {
  if (inTransaction.getStore()) throw new Error(`${what} was called inside a transaction`);
}

export class Database implements Sql {
  private readonly pool: Pool;
  private readonly names = new Map<string, string>();

  constructor(
    readonly source: DataSource,
    private readonly onStatement: (text: string) => void = () => {},
    private readonly longestTransaction: number = TIMEOUTS.transaction,
  ) {
    this.pool = (source.driver as unknown as { master: Pool }).master;
  }

  /** How many connections of the pool are open and idle, and how many callers await one. */
  connections(): { readonly open: number; readonly idle: number; readonly awaited: number } {
    return { open: this.pool.totalCount, idle: this.pool.idleCount, awaited: this.pool.waitingCount };
  }

  /** Throws unless the database answers. */
  async ping(): Promise<void> {
    await this.rows('select 1');
  }

  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    this.onStatement(text);
    const query = { name: this.nameOf(text), text, values: [...values] };
    return this.read(async () => (await patiently(() => this.pool.query(query))).rows as Row[]);
  }

  /** Work that writes with its {@link Writing.last} statement alone: it needs a transaction only where the call must not be done twice. */
  write<Result>(work: (sql: Writing) => Promise<Result>): Promise<Result> {
    if (WriteOnce.pending() !== undefined) return this.transaction(work);
    return work({
      rows: (text, values) => this.rows(text, values),
      last: (text, values) => this.alone(text, values),
    });
  }

  /** Reads by other means than a statement of one's own, and fails as every statement does. */
  async read<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw translated(error);
    }
  }

  /** A statement that is a transaction by itself. */
  private async alone<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    this.onStatement(text);
    // As long as there is no connection, nothing is written.
    const client = await this.read(() => patiently(() => this.pool.connect()));
    client.on('error', ignored);
    let broken = false;
    try {
      const { rows } = await client.query({ name: this.nameOf(text), text, values: [...values] });
      noteWritten();
      return rows as Row[];
    } catch (error) {
      broken = failureOf(error) === 'unavailable';
      if (broken && !isAnswer(error)) throw new UnknownOutcome('The connection was lost while a statement was done');
      throw translated(error);
    } finally {
      client.off('error', ignored);
      client.release(broken);
    }
  }

  /**
   * Runs `work` in one transaction. A deadlock or serialisation failure runs all of it again, up to 3 times, with a
   * growing random pause. A connection lost at COMMIT is reported as {@link UnknownOutcome} and never repeated.
   * Work that takes longer than the ladder allows, all attempts together, is rolled back and reported as unavailable.
   * A rehearsal is the same, but for its end.
   */
  async transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    { rehearsal = false }: TransactionOptions = {},
  ): Promise<Result> {
    assertOutsideTransaction('A second transaction');
    const once = WriteOnce.pending();
    if (once?.isWritten) return once.resume() as Result;
    // A mark of what was written would be taken back too, and there is nothing that a second run could do twice.
    const ending = rehearsal ? 'rehearsal' : once;
    const end = performance.now() + this.longestTransaction;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await inTransaction.run(true, () => this.attempt(work, end, ending));
        if (!rehearsal) noteWritten();
        return result;
      } catch (error) {
        if (failureOf(error) !== 'retry' || attempt === MOST_TRIES || performance.now() > end) throw translated(error);
        await pause(attempt);
      }
    }
  }

  private async attempt<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    end: number,
    ending: Ending,
  ): Promise<Result> {
    const client = await patiently(() => this.pool.connect());
    // Between two statements a lost connection is told to nobody but this listener; without it the process would end.
    client.on('error', ignored);
    let broken = false;
    try {
      const transaction = new ClientTransaction(client, (text) => this.nameOf(text), this.onStatement, end, ending);
      const result = await work(transaction);
      await transaction.commit(result);
      return result;
    } catch (error) {
      broken = error instanceof UnknownOutcome || failureOf(error) === 'unavailable' || !(await rolledBack(client));
      throw error;
    } finally {
      client.off('error', ignored);
      client.release(broken);
    }
  }

  /** The text decides, so that one name never stands for two texts, whoever shares the connections. */
  private nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    if (known) return known;
    // Lists can be asked in thousands of combinations, and the server keeps every named statement per connection.
    if (this.names.size === MOST_NAMES) return undefined;
    const name = createHash('sha1').update(text).digest('base64url');
    this.names.set(text, name);
    return name;
  }
}

/**
 * What a call still needs after its write is worth a longer wait for a connection: it can no longer be turned away. A
 * connection that was not given has done nothing, so asking again is safe.
 */
async function patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
  const end = performance.now() + TIMEOUTS.acquireAfterWrite;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isPoolExhausted(error) || !hasWritten() || performance.now() > end) throw error;
    }
  }
}

function translated(error: unknown): unknown {
  const failure = failureOf(error);
  if (failure === 'bug' || failure === 'duplicate' || error instanceof UnknownOutcome) return error;
  // The cause stays out of the message: PostgreSQL's details repeat the failing row.
  return new DatabaseUnavailable(`Database unavailable (${(error as { code?: string }).code ?? 'no connection'})`);
}

function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10 * 2 ** attempt * (0.5 + Math.random())));
}
