import { portsOf } from '@back-office/database-memory';
import { KeptCards } from './kept-cards.js';
import { KeptState } from './kept-state.js';

/**
 * Opens a database that keeps customers and cards in `CUSTOMERS_FILE` and all other records in memory.
 * @type {import('@back-office/database').DatabaseOpener}
 */
export async function openDatabase(options) {
  const path = options.environment.CUSTOMERS_FILE ?? 'customers.jsonl';
  const state = new KeptState(path);
  return {
    // All ports share one state, because they read each other's tables.
    database: { ...portsOf(state, options), cards: new KeptCards(state, options.clock) },
    notice: `Customers and cards are kept in ${path}; all other records are lost when this process ends.`,
    isVolatile: true,
    close: async () => state.close(),
  };
}
