import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { DataSource } from 'typeorm';
import { TIMEOUTS } from './data-source.js';
import { DatabaseUnavailable, failureOf, UnknownOutcome } from './failures.js';
import { noteWritten } from './call-writes.js';
import { WriteOnce, WrittenByAnother } from './write-once.js';

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
  'card',
  'stock',
  'file',
  'device',
] as const;
export type Lockable = (typeof LOCK_ORDER)[number];

export interface TransactionOptions {
  /** Everything is done, and then taken back: what the work answers is what it would have written. */
  readonly rehearsal?: boolean | undefined;
}

export interface Writing extends Sql {
  /**
   * As {@link rows}, for the statement after which there is none: it travels together with COMMIT. What it answers is
   * committed; when it fails, nothing is. A connection that is lost meanwhile is {@link UnknownOutcome}.
   */
  last<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Transaction extends Writing {
  /** Declares that the next statement locks rows of this kind; throws when that is against the lock order. */
  locks(kind: Lockable): void;
  /**
   * The statements that follow bring many rows: they are planned anew, for these rows, and may take their time.
   * Not by `plan_cache_mode`: that would plan the check of each foreign key of each row anew, too.
   */
  expectManyRows(): void;
}

/** Division by zero: how a mark says that no row was there to be marked. */
const STOLEN = '22012';
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
    const client = await this.read(() => this.pool.connect());
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
    const client = await this.pool.connect();
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

/** How a transaction ends when its work is done: with COMMIT, with a mark and COMMIT, or with nothing written. */
type Ending = undefined | WriteOnce | 'rehearsal';

/** Each wait for the server costs more than most statements: BEGIN travels with the first, COMMIT with the last. */
class ClientTransaction implements Transaction {
  private lockedUpTo = -1;
  private patience: { readonly query_timeout: number } | undefined;
  private state: 'new' | 'open' | 'committed' = 'new';

  constructor(
    private readonly client: PoolClient,
    private readonly nameOf: (text: string) => string | undefined,
    private readonly onStatement: (text: string) => void,
    private readonly end: number,
    private readonly ending: Ending,
  ) {}

  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const [answer] = await together(this.client, [this.query(text, values)], { begin: this.begins() });
    return rowsOf<Row>(answer);
  }

  async last<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    // What is to be stored with the write is known only when the work is done; and a rehearsal is never committed.
    return this.ending ? this.rows(text, values) : this.commitWith(text, values);
  }

  async commit(result: unknown): Promise<void> {
    if (this.ending instanceof WriteOnce) return this.commitOnce(this.ending, result);
    if (this.state !== 'open') return;
    assertInTime(this.end);
    if (this.ending === 'rehearsal') return this.takeBack();
    const [committed] = await together(this.client, [{ text: 'COMMIT' }]);
    assertCommitted(committed);
  }

  private async takeBack(): Promise<void> {
    const [answer] = await together(this.client, [{ text: 'ROLLBACK' }]);
    rowsOf(answer);
  }

  private async commitOnce(once: WriteOnce, result: unknown): Promise<void> {
    const { text, values } = once.markOf(result);
    try {
      await this.commitWith(text, values);
    } catch (error) {
      if ((error as { code?: unknown }).code === STOLEN) throw new WrittenByAnother();
      throw error;
    }
    once.done();
  }

  private async commitWith<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    // The client counts COMMIT's time from when it is sent, and so also the time of the statement that it stands behind.
    const queries = [this.query(text, values), { text: 'COMMIT', ...this.patience }];
    const [answer, committed] = await together(this.client, queries, { begin: this.begins() });
    this.state = 'committed';
    if (answer?.status === 'rejected' && isAnswer(answer.reason)) throw answer.reason as Error;
    assertCommitted(answer?.status === 'rejected' ? answer : committed);
    return rowsOf<Row>(answer);
  }

  expectManyRows(): void {
    this.patience = { query_timeout: TIMEOUTS.bulkQuery };
  }

  locks(kind: Lockable): void {
    const place = LOCK_ORDER.indexOf(kind);
    if (place < this.lockedUpTo) throw new Error(`${kind} is locked after ${LOCK_ORDER[this.lockedUpTo]}`);
    this.lockedUpTo = place;
  }

  private query(text: string, values: readonly unknown[]): QueryConfig {
    if (this.state === 'committed') throw new Error('A statement came after the last one');
    assertInTime(this.end);
    this.onStatement(text);
    return { text, values: [...values], ...(this.patience ?? { name: this.nameOf(text) }) };
  }

  private begins(): boolean {
    const isFirst = this.state === 'new';
    this.state = 'open';
    return isFirst;
  }
}

type Answered = PromiseSettledResult<QueryResult>;

/** Sends the statements in one breath, and waits for all their answers. */
async function together(
  client: PoolClient,
  queries: readonly QueryConfig[],
  { begin = false } = {},
): Promise<Answered[]> {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  const sent = [...(begin ? [{ text: 'BEGIN' }] : []), ...queries].map((query) => client.query(query));
  stream.uncork();
  const answers = await Promise.allSettled(sent);
  if (!begin) return answers;
  // Without BEGIN there is no transaction, and whatever came behind it must not count.
  const [begun, ...rest] = answers;
  return begun?.status === 'rejected' ? rest.map(() => begun) : rest;
}

function rowsOf<Row>(answer: Answered | undefined): Row[] {
  if (answer?.status !== 'fulfilled') throw answer?.reason;
  return answer.value.rows as Row[];
}

/** Whether the server itself has refused the statement, and so knows of it. One that panics does not. */
function isAnswer(error: unknown): boolean {
  const { severity } = (error ?? {}) as { severity?: unknown };
  return severity !== undefined && severity !== 'PANIC';
}

/** Whoever called has given up by now; what is done for nobody holds locks that others wait for. */
function assertInTime(end: number): void {
  if (performance.now() > end) throw new DatabaseUnavailable('The transaction took too long');
}

/** The statement that comes next, COMMIT at the latest, reports the loss. */
function ignored(): void {}

function assertCommitted(answer: Answered | undefined): void {
  if (answer?.status !== 'fulfilled') {
    if (failureOf(answer?.reason) === 'unavailable') throw new UnknownOutcome('The connection was lost at COMMIT');
    throw answer?.reason;
  }
  // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK instead of an error.
  if (answer.value.command !== 'COMMIT') throw new Error('The transaction had failed before its COMMIT');
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
