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
  /** True when the records are lost at the end of the process. The commands of `cli` refuse such a database. */
  readonly isVolatile?: boolean | undefined;
  /** Callers must first stop everything that uses the database. */
  readonly close: () => Promise<void>;
}

/** Type of the function `openDatabase` that the module of the setting `DATABASE` must export. */
export type DatabaseOpener = (options: DatabaseOptions) => Promise<OpenedDatabase>;
