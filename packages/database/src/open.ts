import type { Clock } from '@back-office/kernel';
import type { Database } from './database.js';

export interface DatabaseOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Base of all public URLs. Throws when no store is open. */
  readonly publicBase: () => string;
  /** Whether the store serves files itself. Throws when no store is open. */
  readonly isPublished: () => boolean;
}

export interface OpenedDatabase {
  readonly database: Database;
  /** One line for the person who starts the service. */
  readonly notice?: string | undefined;
  /** Whether records are lost when the process ends. Commands of `cli` refuse such a database. */
  readonly isVolatile?: boolean | undefined;
  /** Awaited at the end of the process, after all users of the database have stopped. */
  readonly close: () => Promise<void>;
}

/** The function that a module for `DATABASE` exports as `openDatabase`. */
export type OpenDatabase = (options: DatabaseOptions) => Promise<OpenedDatabase>;
