import { Memory, State, Table } from '@back-office/database-memory';
import { Journal } from './journal.js';

/** Writes the changes of {@link KeptTable} to the journal at the end of each transaction. */
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

  addChange(change) {
    this.#changes.push(change);
  }

  /** If this method throws, the transaction is undone. */
  commit() {
    if (this.#changes.length > 0) this.#journal.append(this.#changes);
  }
}

/** A table whose rows are also in the journal. */
class KeptTable extends Table {
  #memory;
  #name;

  constructor(memory, name) {
    super(memory);
    this.#memory = memory;
    this.#name = name;
  }

  /** Also called by `insert`, so every new and every changed row gets into the journal. */
  put(appId, row) {
    super.put(appId, row);
    this.#memory.addChange([this.#name, appId, row]);
  }

  delete() {
    throw new Error('Customers and cards are never deleted');
  }
}

/**
 * The records of the in-memory database, with customers and cards from a file. Other ports read the customers of this
 * state and change their loyalty points, so a replaced port must use the same tables.
 */
export class KeptState extends State {
  #journal;

  /** @param {string} path */
  constructor(path) {
    const journal = new Journal(path);
    super(new KeptMemory(journal));
    this.#journal = journal;
    const tables = {
      customers: new KeptTable(this.memory, 'customers'),
      cards: new KeptTable(this.memory, 'cards'),
    };
    for (const line of journal.lines)
      for (const [name, appId, row] of JSON.parse(line, parseDate)) tables[name].put(appId, row);
    Object.assign(this, tables);
  }

  close() {
    this.#journal.close();
  }
}

function parseDate(key, value) {
  return key.endsWith('_at') ? new Date(value) : value;
}
