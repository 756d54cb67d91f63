import type { Clock } from '@back-office/kernel';
import type { MediaStore } from '@back-office/media';
import type { Container } from 'inversify';
import { resolve } from 'node:path';
import { closeAll, type Closable } from '../adapters/index.js';
import type { Config } from '../config.js';
import { containerOf } from '../container.js';
import { CustomerEntity } from '../customers/index.js';
import { Database } from '../database/database.js';
import { dataSourceFor, type Connection } from '../database/data-source.js';
import {
  hasEmbeddedDatabase,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../database/embedded/embedded-postgres.js';
import { libraryToolsOf, openLibrary } from '../media/index.js';
import { openRefundGateway, type OpenedRefundGateway } from '../proformas/index.js';
import { migrate } from '../database/migrate.js';
import { assertDurable } from '../database/durability.js';

export interface Service {
  readonly container: Container;
  readonly database: Database;
  readonly connection: Connection;
  /** Set when the service runs on a database of its own. */
  readonly embedded: EmbeddedPostgres | undefined;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly clock?: Clock | undefined;
  /** False for what touches no file: the store is not opened. */
  readonly opensStore?: boolean;
}

/** Longer than a database server, or all adapters of the media library, may take. */
const CLOSE_TIMEOUT_MS = 90_000;

/** For commands that pay nothing out: the worker asks for refunds that they leave. */
const LATER: OpenedRefundGateway = { refund: () => Promise.resolve('unknown') };

/** Starts what every process needs: the database, brought up to date, and the container on it. */
export async function startService(
  config: Config,
  { clock, opensStore = true }: ServiceOptions = {},
): Promise<Service> {
  const opened: Closable[] = [];
  const stop = () => closeAll(opened, CLOSE_TIMEOUT_MS);
  try {
    // First: a module that fails or hangs leaves no database server behind.
    const refunds = opensStore ? await openRefundGateway(config) : LATER;
    opened.push(refunds);
    const media = opensStore ? await libraryToolsOf(config) : undefined;
    if (media) opened.push(media);
    const embedded = config.databaseUrl === undefined ? await startEmbedded(config) : undefined;
    if (embedded) opened.push({ close: () => embedded.stop() });
    const connection: Connection = embedded ?? { url: config.databaseUrl as string };
    await migrate(connection);
    const source = await dataSourceFor(connection, config.databasePoolSize, [CustomerEntity]).initialize();
    opened.push({ close: () => source.destroy() });
    const database = new Database(source);
    await assertDurable(database);
    return { container: containerOf(database, { refunds, media }, clock), database, connection, embedded, stop };
  } catch (error) {
    // Open connections would keep the process alive.
    await stop();
    throw error;
  }
}

/** Throws where an embedded database would be made only now: no app or token that a command names can be in it. */
export async function assertDatabaseExists({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== undefined || (await hasEmbeddedDatabase({ dataDir }))) return;
  throw new Error(
    `There is no database below ${resolve(dataDir)}: start the service or run migrate, or set DATABASE_URL.`,
  );
}

/** An installation that is looked at, and left as it is: its database is not even brought up to date. */
export interface Inspection {
  readonly connection: Connection;
  readonly store: MediaStore;
  stop(): Promise<void>;
}

export async function openForInspection(config: Config): Promise<Inspection> {
  await assertDatabaseExists(config);
  const embedded = config.databaseUrl === undefined ? await startEmbedded(config) : undefined;
  const library = await openLibrary(config, { toRead: true }).catch(async (error: unknown) => {
    await embedded?.stop();
    throw error;
  });
  const { store } = library;
  const stop = async (): Promise<void> => {
    await library.close();
    await embedded?.stop();
  };
  return { connection: embedded ?? { url: config.databaseUrl as string }, store, stop };
}

/** A server of one's own, of which nothing is changed yet. */
export function openServer({ databaseUrl }: Config): Promise<{ connection: Connection; stop(): Promise<void> }> {
  if (databaseUrl === undefined) throw new Error('The embedded database stands alone: DATABASE_URL is not set.');
  return Promise.resolve({ connection: { url: databaseUrl }, stop: () => Promise.resolve() });
}

function startEmbedded({ dataDir }: Config): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir });
}
