import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { TIMEOUTS } from './data-source.js';
import { DatabaseUnavailable, failureOf, UnknownOutcome } from './failures.js';

export interface Sql {
  /** Runs one statement, prepared once per connection, and answers its rows. */
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Locks are taken in this order in every transaction, rows of one kind in the order of their keys. */
const LOCK_ORDER = [
  'app',
  'bulk',
  'warehouse',
  'evaluation',
  'proforma',
  'order',
  'voucher',
  'customer',
  'stock',
] as const;
export type Lockable = (typeof LOCK_ORDER)[number];

export interface Transaction extends Sql {
  /** Declares that the next statement locks rows of this kind; throws when that is against the lock order. */
  locks(kind: Lockable): void;
  /**
   * The statements that follow bring many rows: they are planned anew, for these rows, and may take their time.
   * Not by `plan_cache_mode`: that would plan the check of each foreign key of each row anew, too.
   */
  expectManyRows(): void;
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
    try {
      return (await this.pool.query({ name: this.nameOf(text), text, values: [...values] })).rows as Row[];
    } catch (error) {
      throw translated(error);
    }
  }

  /**
   * Runs `work` in one transaction. A deadlock or serialisation failure runs all of it again, up to 3 times, with a
   * growing random pause. A connection lost at COMMIT is reported as {@link UnknownOutcome} and never repeated.
   * Work that takes longer than the ladder allows, all attempts together, is rolled back and reported as unavailable.
   */
  async transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    assertOutsideTransaction('A second transaction');
    const end = performance.now() + this.longestTransaction;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await inTransaction.run(true, () => this.attempt(work, end));
      } catch (error) {
        if (failureOf(error) !== 'retry' || attempt === MOST_TRIES || performance.now() > end) throw translated(error);
        await pause(attempt);
      }
    }
  }

  private async attempt<Result>(work: (transaction: Transaction) => Promise<Result>, end: number): Promise<Result> {
    const client = await this.pool.connect();
    // Between two statements a lost connection is told to nobody but this listener; without it the process would end.
    client.on('error', ignored);
    let broken = false;
    try {
      await client.query('BEGIN');
      const result = await work(new ClientTransaction(client, (text) => this.nameOf(text), this.onStatement, end));
      assertInTime(end);
      await commit(client);
      return result;
    } catch (error) {
      broken = error instanceof UnknownOutcome || failureOf(error) === 'unavailable' || !(await rolledBack(client));
      throw error;
    } finally {
      client.off('error', ignored);
      client.release(broken);
    }
  }

  /** Statement names are per process; the text decides, so one name never stands for two texts. */
  private nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    if (known) return known;
    // Lists can be asked in thousands of combinations, and the server keeps every named statement per connection.
    if (this.names.size === MOST_NAMES) return undefined;
    const name = `s${this.names.size + 1}`;
    this.names.set(text, name);
    return name;
  }
}

class ClientTransaction implements Transaction {
  private lockedUpTo = -1;
  private patience: { readonly query_timeout: number } | undefined;

  constructor(
    private readonly client: PoolClient,
    private readonly nameOf: (text: string) => string | undefined,
    private readonly onStatement: (text: string) => void,
    private readonly end: number,
  ) {}

  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    assertInTime(this.end);
    this.onStatement(text);
    const query = { text, values: [...values], ...(this.patience ?? { name: this.nameOf(text) }) };
    return (await this.client.query(query)).rows as Row[];
  }

  expectManyRows(): void {
    this.patience = { query_timeout: TIMEOUTS.bulkQuery };
  }

  locks(kind: Lockable): void {
    const place = LOCK_ORDER.indexOf(kind);
    if (place < this.lockedUpTo) throw new Error(`${kind} is locked after ${LOCK_ORDER[this.lockedUpTo]}`);
    this.lockedUpTo = place;
  }
}

/** Whoever called has given up by now; what is done for nobody holds locks that others wait for. */
function assertInTime(end: number): void {
  if (performance.now() > end) throw new DatabaseUnavailable('The transaction took too long');
}

/** The statement that comes next, COMMIT at the latest, reports the loss. */
function ignored(): void {}

async function commit(client: PoolClient): Promise<void> {
  try {
    const { command } = await client.query('COMMIT');
    // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK instead of an error.
    if (command !== 'COMMIT') throw new Error('The transaction had failed before its COMMIT');
  } catch (error) {
    if (failureOf(error) === 'unavailable') throw new UnknownOutcome('The connection was lost at COMMIT');
    throw error;
  }
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
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
