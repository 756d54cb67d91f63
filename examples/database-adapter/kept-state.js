import { Memory, State, Table } from '@back-office/database-memory';
import { Journal } from './journal.js';

/** Transactions that write the changes of kept tables to the journal, as their last step. */
class KeptMemory extends Memory {
  #journal;
  #changes = [];

  constructor(journal) {
    super();
    this.#journal = journal;
  }

  transaction(work, options) {
    this.#changes = [];
    return super.transaction(work, options);
  }

  note(change) {
    this.#changes.push(change);
  }

  /** What this throws undoes the transaction. */
  commit() {
    if (this.#changes.length > 0) this.#journal.append(this.#changes);
  }
}

/** A table whose rows are in the journal as well. */
class KeptTable extends Table {
  #memory;
  #name;

  constructor(memory, name) {
    super(memory);
    this.#memory = memory;
    this.#name = name;
  }

  /** `insert` comes here, too. */
  put(appId, row) {
    super.put(appId, row);
    this.#memory.note([this.#name, appId, row]);
  }

  delete() {
    throw new Error('Customers and cards are never deleted');
  }
}

/**
 * The records of the memory database, with customers and cards from a file. Other ports read customers here and book
 * points on them, so a port of your own has to keep its records here, too.
 */
export class KeptState extends State {
  #journal;

  /** @param {string} path */
  constructor(path) {
    const journal = new Journal(path);
    super(new KeptMemory(journal));
    this.#journal = journal;
    const kept = {
      customers: new KeptTable(this.memory, 'customers'),
      cards: new KeptTable(this.memory, 'cards'),
    };
    for (const line of journal.lines)
      for (const [name, appId, row] of JSON.parse(line, asDate)) kept[name].put(appId, row);
    Object.assign(this, kept);
  }

  close() {
    this.#journal.close();
  }
}

function asDate(key, value) {
  return key.endsWith('_at') ? new Date(value) : value;
}
