import { MemoryKeyedWrite } from './keyed-write.js';

/** A record of an app. Records are immutable; a change puts a new one under the same id. */
export interface Stored {
  readonly id: number;
}

/** Records of one kind by app and id. Writes can be undone until the transaction ends. */
export class Table<Row extends Stored> {
  readonly #apps = new Map<number, Map<number, Row>>();
  #lastId = 0;
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** In the order of ids. */
  all(appId: number): Row[] {
    // An undone deletion puts its record back at the end.
    return [...(this.#apps.get(appId)?.values() ?? [])].sort((a, b) => a.id - b.id);
  }

  get(appId: number, id: number): Row | undefined {
    return this.#apps.get(appId)?.get(id);
  }

  find(appId: number, matches: (row: Row) => boolean): Row | undefined {
    for (const row of this.#apps.get(appId)?.values() ?? []) if (matches(row)) return row;
    return undefined;
  }

  /** Apps that have or had records of this kind. */
  appIds(): number[] {
    return [...this.#apps.keys()];
  }

  /** Ids ascend over all apps, like those of a database sequence; ids of a dry run are not reused. */
  insert(appId: number, row: Omit<Row, 'id'>): Row {
    this.#lastId += 1;
    const inserted = { ...row, id: this.#lastId } as unknown as Row;
    this.put(appId, inserted);
    return inserted;
  }

  put(appId: number, row: Row): void {
    const rows = this.#apps.get(appId) ?? new Map<number, Row>();
    this.#apps.set(appId, rows);
    const before = rows.get(row.id);
    this.#lastId = Math.max(this.#lastId, row.id);
    rows.set(row.id, row);
    this.#memory.addUndoStep(() => (before === undefined ? rows.delete(row.id) : rows.set(row.id, before)));
  }

  delete(appId: number, id: number): void {
    const rows = this.#apps.get(appId);
    const before = rows?.get(id);
    if (rows === undefined || before === undefined) return;
    rows.delete(id);
    this.#memory.addUndoStep(() => rows.set(id, before));
  }
}

export interface TransactionOptions {
  /** Undoes all writes at the end; the result is the same. */
  readonly dryRun?: boolean | undefined;
}

/** Transactions in memory. Work is synchronous, so transactions never interleave. */
export class Memory {
  #journal: (() => unknown)[] | undefined;

  /** The first transaction of a keyed call is its write; a later run gets its result. */
  transaction<Result>(work: () => Result, { dryRun = false }: TransactionOptions = {}): Result {
    if (this.#journal !== undefined) throw new Error('A transaction was started inside another one');
    const write = MemoryKeyedWrite.pending();
    if (write?.isWritten) return write.resume() as Result;
    const journal: (() => unknown)[] = [];
    this.#journal = journal;
    let isKept = false;
    try {
      const result = work();
      if (result instanceof Promise) throw new Error('A transaction in memory must be synchronous');
      if (!dryRun) {
        write?.keep(result);
        this.commit();
      }
      isKept = !dryRun;
      return result;
    } finally {
      this.#journal = undefined;
      if (!isKept) for (const undo of journal.reverse()) undo();
    }
  }

  /** Called last in a transaction. A subclass may persist it; an exception undoes the transaction. */
  protected commit(): void {}

  addUndoStep(undo: () => unknown): void {
    this.#journal?.push(undo);
  }
}
