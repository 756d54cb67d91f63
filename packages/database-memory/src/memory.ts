import { assertUnchangedSinceCheck, closeCondition } from './conditional-write.js';
import type { Clock } from '@back-office/kernel';
import { MemoryKeyedWrite } from './keyed-write.js';

/** Records are immutable. A change stores a new record with the same id. */
export interface Stored {
  readonly id: number;
}

export class Table<Row extends Stored> {
  readonly #apps = new Map<number, Map<number, Row>>();
  #lastId = 0;
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  all(appId: number): Row[] {
    // Sorts the records, because undoing a deletion appends the restored record.
    return [...(this.#apps.get(appId)?.values() ?? [])].sort((a, b) => a.id - b.id);
  }

  get(appId: number, id: number): Row | undefined {
    return this.#apps.get(appId)?.get(id);
  }

  find(appId: number, matches: (row: Row) => boolean): Row | undefined {
    for (const row of this.#apps.get(appId)?.values() ?? []) if (matches(row)) return row;
    return undefined;
  }

  appIds(): number[] {
    return [...this.#apps.keys()];
  }

  /** Ids increase across all apps, like a database sequence. A dry run also uses up ids. */
  insert(appId: number, row: Omit<Row, 'id'>): Row {
    this.#lastId += 1;
    const newRow = { ...row, id: this.#lastId } as unknown as Row;
    this.put(appId, newRow);
    return newRow;
  }

  put(appId: number, row: Row): void {
    const rows = this.#apps.get(appId) ?? new Map<number, Row>();
    this.#apps.set(appId, rows);
    const previousRow = rows.get(row.id);
    this.#lastId = Math.max(this.#lastId, row.id);
    rows.set(row.id, row);
    this.#memory.addUndoStep(() => (previousRow === undefined ? rows.delete(row.id) : rows.set(row.id, previousRow)));
  }

  delete(appId: number, id: number): void {
    const rows = this.#apps.get(appId);
    const removedRow = rows?.get(id);
    if (rows === undefined || removedRow === undefined) return;
    rows.delete(id);
    this.#memory.addUndoStep(() => rows.set(id, removedRow));
  }
}

export interface TransactionOptions {
  readonly dryRun?: boolean | undefined;
}

/** The work of a transaction is synchronous, so transactions never interleave. */
export class Memory {
  #journal: (() => unknown)[] | undefined;
  #commitCount = 0;
  #moment: Date | undefined;

  get commitCount(): number {
    return this.#commitCount;
  }

  /** Returns a clock that is read once per transaction, so that all that it writes has the same time. */
  clockOf(clock: Clock): Clock {
    return { now: () => (this.#journal === undefined ? clock.now() : (this.#moment ??= clock.now())) };
  }

  /** The first transaction of a keyed call is its write. A later run of the call gets the result of this write. */
  transaction<Result>(work: () => Result, { dryRun = false }: TransactionOptions = {}): Result {
    if (this.#journal !== undefined) throw new Error('A transaction was started inside another one');
    const write = MemoryKeyedWrite.pendingWrite();
    if (write?.isWritten) return write.resume() as Result;
    assertUnchangedSinceCheck(this.#commitCount);
    const journal: (() => unknown)[] = [];
    this.#journal = journal;
    let isCommitted = false;
    try {
      const result = work();
      if (result instanceof Promise) throw new Error('A transaction in memory must be synchronous');
      if (!dryRun) {
        write?.keep(result);
        this.commit();
        this.#commitCount += 1;
        closeCondition();
      }
      isCommitted = !dryRun;
      return result;
    } finally {
      this.#journal = undefined;
      this.#moment = undefined;
      if (!isCommitted) for (const undo of journal.reverse()) undo();
    }
  }

  /**
   * Called at the end of every transaction. A subclass may store the transaction elsewhere. If `commit` throws, the
   * transaction is undone.
   */
  protected commit(): void {}

  addUndoStep(undo: () => unknown): void {
    this.#journal?.push(undo);
  }
}
