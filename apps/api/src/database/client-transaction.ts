import type { Writable } from 'node:stream';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { TIMEOUTS } from './data-source.js';
import { DatabaseUnavailable, failureOf, UnknownOutcome } from './failures.js';
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
/** How a transaction ends when its work is done: with COMMIT, with a mark and COMMIT, or with nothing written. */
export type Ending = undefined | WriteOnce | 'rehearsal';

/** Each wait for the server costs more than most statements: BEGIN travels with the first, COMMIT with the last. */
export class ClientTransaction implements Transaction {
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
    const [committed] = await together(this.client, [{ text: 'COMMIT', ...this.patience }]);
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
export function isAnswer(error: unknown): boolean {
  const { severity } = (error ?? {}) as { severity?: unknown };
  return severity !== undefined && severity !== 'PANIC';
}

/** Whoever called has given up by now; what is done for nobody holds locks that others wait for. */
function assertInTime(end: number): void {
  if (performance.now() > end) throw new DatabaseUnavailable('The transaction took too long');
}

/** The statement that comes next, COMMIT at the latest, reports the loss. */
export function ignored(): void {}

function assertCommitted(answer: Answered | undefined): void {
  if (answer?.status !== 'fulfilled') {
    if (failureOf(answer?.reason) === 'unavailable') throw new UnknownOutcome('The connection was lost at COMMIT');
    throw answer?.reason;
  }
  // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK instead of an error.
  if (answer.value.command !== 'COMMIT') throw new Error('The transaction had failed before its COMMIT');
}

export async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
