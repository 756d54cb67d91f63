import type { Clock } from '@back-office/kernel';
import type { Database } from './database.js';

export interface DatabaseOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Returns the base of all public URLs. Throws when no store is open. */
  readonly publicBase: () => string;
  /** Returns whether the store serves its files itself. Throws when no store is open. */
  readonly isPublished: () => boolean;
}

export interface OpenedDatabase {
  readonly database: Database;
  readonly notice?: string | undefined;
  /** Whether records are lost when the process ends. Commands of `cli` refuse such a database. */
  readonly isVolatile?: boolean | undefined;
  /** Called after everything that uses the database has stopped. */
  readonly close: () => Promise<void>;
}

/** A module for `DATABASE` exports such a function as `openDatabase`. */
export type DatabaseOpener = (options: DatabaseOptions) => Promise<OpenedDatabase>;
