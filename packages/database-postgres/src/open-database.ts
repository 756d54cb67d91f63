import 'reflect-metadata';
import type { DatabaseOptions, OpenedDatabase } from '@back-office/database';
import { dataSourceFor, type ConnectionTarget } from './connection/data-source.js';
import { assertDurable } from './durability.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { migrate } from './migrate.js';
import { portsOf } from './ports.js';
import { Postgres } from './connection/postgres.js';

export interface PostgresOptions extends DatabaseOptions {
  /** URL of an external server; without it, an embedded server starts below `dataDir`. */
  readonly url?: string | undefined;
  readonly dataDir: string;
  readonly poolSize: number;
  /** Whether to accept a database that a newer release has migrated. */
  readonly allowsNewer?: boolean;
}

export interface OpenedPostgres extends OpenedDatabase {
  readonly postgres: Postgres;
  readonly connection: ConnectionTarget;
}

/** Opens the external or embedded database. Throws when the settings of the server allow a loss of committed data. */
export async function openDatabase(options: PostgresOptions): Promise<OpenedPostgres> {
  const { url, dataDir, poolSize, allowsNewer = false } = options;
  const embedded = url === undefined ? await startEmbeddedPostgres({ dataDir }) : undefined;
  const connection: ConnectionTarget = embedded ?? { url: url as string };
  const source = dataSourceFor(connection, poolSize);
  const close = async (): Promise<void> => {
    if (source.isInitialized) await source.destroy();
    await embedded?.stop();
  };
  try {
    await migrate(connection, { allowsNewer });
    const postgres = await Postgres.open(source);
    await assertDurable(postgres);
    const database = portsOf(postgres, connection, options);
    return { database, notice: embedded?.notice, postgres, connection, close };
  } catch (error) {
    // Closes the connections, because open ones would keep the process alive.
    await close();
    throw error;
  }
}
