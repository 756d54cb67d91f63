import { portsOf } from '@back-office/database-memory';
import { KeptCards } from './kept-cards.js';
import { KeptState } from './kept-state.js';

/**
 * The database in memory, but for customers and cards, which are kept in `CUSTOMERS_FILE`.
 * @type {import('@back-office/database').DatabaseOpener}
 */
export async function openDatabase(options) {
  const path = options.environment.CUSTOMERS_FILE ?? 'customers.jsonl';
  const state = new KeptState(path);
  return {
    // The ports of memory first: they read the tables of the state, and so do ports of your own.
    database: { ...portsOf(state, options), cards: new KeptCards(state, options.clock) },
    notice: `Customers and cards are kept in ${path}; everything else is gone when this process ends.`,
    isVolatile: true,
    close: async () => state.close(),
  };
}
