import type { Database, DatabaseOptions } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import type { MediaStore } from '@back-office/media';
import { makeDataFolder } from '@back-office/storage-disk';
import type { Container } from 'inversify';
import { resolve } from 'node:path';
import { closeAll, type Closable } from '../adapters/index.js';
import type { Config } from '../config.js';
import { containerOf, SystemClock } from '../container.js';
import {
  assertReachable,
  hasEmbeddedDatabase,
  startEmbeddedPostgres,
  type ConnectionTarget,
} from '@back-office/database-postgres';
import { openLibraryTools, openLibrary, type Library, type LibraryTools } from '../media/index.js';
import { loggerOf, type Logger } from './logger.js';
import { refundReportOf } from './observer.js';
import { withVariableName } from './named-variable.js';
import { openDatabase } from './open-database.js';
import { openRefundGateway, type OpenedRefundGateway } from '../proformas/index.js';

export interface Service {
  readonly container: Container;
  readonly database: Database;
  /** A line about the database, printed at the start of the service. */
  readonly notice: string | undefined;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly clock?: Clock | undefined;
  /** Whether the process uses files; false for commands that use none. */
  readonly usesFiles?: boolean;
  /** Whether an in-memory database is refused; true for commands, because their changes must outlive the process. */
  readonly needsPersistence?: boolean;
  /** By default, a logger as configured. */
  readonly logger?: Logger;
}

/** Longer than a database server or any other adapter takes to close. */
const CLOSE_TIMEOUT_MS = 90_000;

const IN_MEMORY_MESSAGE = 'The database is in the memory of a service: no command can reach it.';

/** Commands request no refunds; the worker requests them later. */
const POSTPONING_GATEWAY: OpenedRefundGateway = { refund: () => Promise.resolve('unknown') };

/** Opens the adapters and migrates the database. */
export async function startService(
  config: Config,
  {
    clock = new SystemClock(),
    usesFiles = true,
    needsPersistence = false,
    logger = loggerOf(config),
  }: ServiceOptions = {},
): Promise<Service> {
  const { webhookNetworks } = config;
  await makeDataFolder(config.dataDir, config.databaseUrl === undefined);
  const openAdapters: Closable[] = [];
  const stop = () => closeAll(openAdapters, CLOSE_TIMEOUT_MS);
  try {
    // Modules open before the database, so that a failing module leaves no database server running.
    const refunds = usesFiles ? await openRefundGateway(config, refundReportOf(logger)) : POSTPONING_GATEWAY;
    openAdapters.push(refunds);
    const media = usesFiles ? await openLibraryTools(config) : undefined;
    if (media) openAdapters.push(media);
    const openedDatabase = await openDatabase(config, databaseOptionsOf(config, clock, media));
    openAdapters.push(openedDatabase);
    if (needsPersistence && openedDatabase.isVolatile === true) throw new Error(IN_MEMORY_MESSAGE);
    const { database, notice } = openedDatabase;
    return {
      container: containerOf(database, { refunds, media, webhookNetworks }, clock),
      database,
      notice,
      stop,
    };
  } catch (error) {
    // Closes the opened adapters, because an open connection would keep the process alive.
    await stop();
    throw error;
  }
}

function databaseOptionsOf(config: Config, clock: Clock, media: LibraryTools | undefined): DatabaseOptions {
  const libraryOf = (): LibraryTools['library'] => {
    if (media === undefined) throw new Error('This process has not opened the store of files');
    return media.library;
  };
  return {
    environment: config.environment,
    clock,
    publicBase: () => libraryOf().base,
    isPublished: () => libraryOf().isPublished,
  };
}

/**
 * Throws when no embedded database exists, because a command would otherwise create an empty one. Also throws for a
 * database in memory.
 */
export async function assertDatabaseExists({ database, databaseUrl, dataDir }: Config): Promise<void> {
  if (database === 'memory') throw new Error(IN_MEMORY_MESSAGE);
  if (database !== 'postgres' || databaseUrl !== undefined || (await hasEmbeddedDatabase({ dataDir }))) return;
  throw new Error(
    `There is no database below ${resolve(dataDir)}: start the service or run migrate, or set DATABASE_URL.`,
  );
}

/** Throws for another database. `what` is what cannot be done to it. */
export function assertPostgres({ database }: Config, what: 'checked' | 'distributed' | 'migrated'): void {
  if (database !== 'postgres') throw new Error(`Only PostgreSQL can be ${what}: DATABASE names another one.`);
}

/** An installation opened read-only and without migrating its database. */
export interface Inspection {
  readonly connection: ConnectionTarget;
  readonly store: MediaStore;
  stop(): Promise<void>;
}

export async function openForInspection(config: Config): Promise<Inspection> {
  assertPostgres(config, 'checked');
  await assertDatabaseExists(config);
  const { databaseUrl, dataDir } = config;
  const embedded = databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir }) : undefined;
  const connection = embedded ?? (await openConnection(databaseUrl as string));
  const library = await openReadableLibrary(config).catch(async (error: unknown) => {
    await embedded?.stop();
    throw error;
  });
  const { store } = library;
  const stop = async (): Promise<void> => {
    await library.close();
    await embedded?.stop();
  };
  return { connection, store, stop };
}

async function openReadableLibrary(config: Config): Promise<Library> {
  const library = await openLibrary(config, { isReadOnly: true });
  if (config.storage.kind !== 's3') return library;
  try {
    const variable = config.storage.s3.endpoint === undefined ? 'S3_BUCKET' : 'S3_ENDPOINT';
    await withVariableName(variable, () => readFirstKey(library.store));
    return library;
  } catch (error) {
    await library.close();
    throw error;
  }
}

async function readFirstKey(store: MediaStore): Promise<void> {
  for await (const _ of store.list('')) return;
}

/** Opens an external PostgreSQL without migrating its database. Throws when `DATABASE_URL` is not set. */
export async function openExternalDatabase(
  config: Config,
): Promise<{ connection: ConnectionTarget; stop(): Promise<void> }> {
  assertPostgres(config, 'distributed');
  const { databaseUrl } = config;
  if (databaseUrl === undefined) throw new Error('The embedded database stands alone: DATABASE_URL is not set.');
  return { connection: await openConnection(databaseUrl), stop: () => Promise.resolve() };
}

async function openConnection(url: string): Promise<ConnectionTarget> {
  await withVariableName('DATABASE_URL', () => assertReachable({ url }));
  return { url };
}
