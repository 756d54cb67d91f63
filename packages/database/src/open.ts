import type { Clock } from '@back-office/kernel';
import type { Database } from './database.js';

export interface DatabaseOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Base of all public URLs. Throws when no store is open. */
  readonly publicBase: () => string;
  /** Returns true when the store serves its files itself. Throws when no store is open. */
  readonly isPublished: () => boolean;
}

export interface OpenedDatabase {
  readonly database: Database;
  readonly notice?: string | undefined;
  /** True when records are lost at the end of the process. Commands of `cli` refuse such a database. */
  readonly isVolatile?: boolean | undefined;
  /** Call `close` after everything that uses the database has stopped. */
  readonly close: () => Promise<void>;
}

/** A module for the setting `DATABASE` exports a function of this type as `openDatabase`. */
export type DatabaseOpener = (options: DatabaseOptions) => Promise<OpenedDatabase>;
