import 'reflect-metadata';
import pg from 'pg';
import { Logger } from 'graphile-worker';
import { DataSource, type EntitySchema, type MigrationInterface } from 'typeorm';
import { MainPath1763700000001 } from './migrations/0001-main-path.js';
import { CatalogueInFull1763700000003 } from './migrations/0003-catalogue-in-full.js';
import { Media1763700000004 } from './migrations/0004-media.js';
import { PeopleAndSessions1763700000005 } from './migrations/0005-people-and-sessions.js';
import { MediaObjects1763700000006 } from './migrations/0006-media-objects.js';
import { ShippedOrders1763700000007 } from './migrations/0007-shipped-orders.js';
import { ConsentAndDevices1763700000008 } from './migrations/0008-consent-and-devices.js';
import { ProformasByApp1763700000009 } from './migrations/0009-proformas-by-app.js';
import { WaitingFiles1763700000010 } from './migrations/0010-waiting-files.js';
import { HiddenFiles1763700000011 } from './migrations/0011-hidden-files.js';
import { EarlyStatistics1763700000012 } from './migrations/0012-early-statistics.js';
import { ReturnedPoints1763700000013 } from './migrations/0013-returned-points.js';
import { SignsInSearch1763700000014 } from './migrations/0014-signs-in-search.js';
import { ListedRenditions1763700000015 } from './migrations/0015-listed-renditions.js';
import { ProformasInFull1763700000002 } from './migrations/0002-proformas-in-full.js';

const BIGINT = 20;

/** The timeout ladder in ms: each step gives up before the one above it would, so that the server cleans up first. */
export const TIMEOUTS = {
  /** Of a bulk write, which may bring 10,000 rows. */
  bulkStatement: 15_000,
  bulkQuery: 16_000,

  acquire: 2_000,
  /** How long a call that has written begins new attempts. */
  acquireAfterWrite: 5_000,
  lock: 2_000,
  statement: 5_000,
  query: 7_000,
  idleInTransaction: 10_000,
  transaction: 12_000,
};

// Ids and amounts stay below 2^53 by their checks; pg would hand them out as strings.
pg.types.setTypeParser(BIGINT, Number);

// Every statement here finds its rows by index; compiling it (jit) costs more than running it.
// Locks are what keeps changes apart, and a statement behind one must see what has been committed meanwhile.
const SESSION = ['-c timezone=UTC', '-c jit=off', '-c default_transaction_isolation=read\\ committed'];
// And plans are kept: one that was made while a table was still small would read it from end to end until it is analysed.
const BY_INDEX = ['-c enable_seqscan=off'];
// What a shop works with is in memory, where a page costs the same wherever it lies: taken for four times as dear, an
// index that holds all that is asked for is passed over. And while others wait for a core, nobody is served by three.
const IN_MEMORY = ['-c random_page_cost=1.1', '-c max_parallel_workers_per_gather=0'];
const LIMITS = [
  `-c lock_timeout=${TIMEOUTS.lock}`,
  `-c statement_timeout=${TIMEOUTS.statement}`,
  `-c idle_in_transaction_session_timeout=${TIMEOUTS.idleInTransaction}`,
];

export type Connection =
  { readonly url: string } | { readonly host: string; readonly user: string; readonly database: string };

/** The data source of the running service. */
export function dataSourceFor(connection: Connection, poolSize: number, entities: EntitySchema[] = []): DataSource {
  return new DataSource({
    ...common(connection),
    entities,
    poolSize,
    extra: {
      options: optionsOf(connection, [...SESSION, ...BY_INDEX, ...IN_MEMORY, ...LIMITS]),
      // A transaction sends BEGIN with its first statement and COMMIT with its last.
      pipeline: true,
      query_timeout: TIMEOUTS.query,
      connectionTimeoutMillis: TIMEOUTS.acquire,
      keepAlive: true,
    },
  });
}

/** In the order in which they have been written. */
export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [
  MainPath1763700000001,
  ProformasInFull1763700000002,
  CatalogueInFull1763700000003,
  Media1763700000004,
  PeopleAndSessions1763700000005,
  MediaObjects1763700000006,
  ShippedOrders1763700000007,
  ConsentAndDevices1763700000008,
  ProformasByApp1763700000009,
  WaitingFiles1763700000010,
  HiddenFiles1763700000011,
  EarlyStatistics1763700000012,
  ReturnedPoints1763700000013,
  SignsInSearch1763700000014,
  ListedRenditions1763700000015,
];

/**
 * What changes the schema of a cluster uses one connection a node, without which tables that are kept whole on every node
 * and those that are spread cannot be touched together; and a new table that points at one of the former stays plain
 * until it is spread. Elsewhere these settings mean nothing.
 */
const ON_A_CLUSTER = [
  '-c citus.multi_shard_modify_mode=sequential',
  '-c citus.enable_local_reference_table_foreign_keys=off',
];

/** The data source of migrations, which may take as long as they need. */
export function migrationSourceFor(connection: Connection, migrations = MIGRATIONS): DataSource {
  return new DataSource({
    ...common(connection),
    migrations: [...migrations],
    migrationsTransactionMode: 'each',
    poolSize: 2,
    extra: { options: optionsOf(connection, [...SESSION, ...ON_A_CLUSTER]) },
  });
}

/** What the URL asks of a session, and then ours: of two that say the same the later one counts. */
function optionsOf(connection: Connection, ours: readonly string[]): string {
  const asked = 'url' in connection ? new URLSearchParams(queryOf(connection.url)).get('options') : null;
  return [...(asked === null ? [] : [asked]), ...ours].join(' ');
}

/** The URL without its options, which would take the place of ours. */
function addressOf(url: string): string {
  const query = queryOf(url);
  const left = new URLSearchParams(query);
  if (!left.has('options')) return url;
  left.delete('options');
  return `${url.slice(0, -query.length)}${left.toString()}`;
}

/** Not by `URL`, which knows no address of a socket. */
function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

function common(connection: Connection) {
  return {
    type: 'postgres' as const,
    // TypeORM would find another copy beside a bundle, without the parser above.
    driver: pg,
    ...('url' in connection
      ? { url: addressOf(connection.url) }
      : // The port names the socket; PGPORT and PGSSLMODE are meant for another server.
        { host: connection.host, port: 5432, username: connection.user, database: connection.database, ssl: false }),
    synchronize: false,
    applicationName: 'retail-back-office',
  };
}

export type JobPool = pg.Pool;

/** A pool on the same server for the queue of jobs, which TypeORM has no part in. */
export function jobPool(connection: Connection, max: number, connectionTimeoutMillis = 0): JobPool {
  const server =
    'url' in connection
      ? { connectionString: addressOf(connection.url) }
      : { host: connection.host, port: 5432, user: connection.user, database: connection.database, ssl: false };
  const options = optionsOf(connection, SESSION);
  const more = { application_name: 'retail-back-office', options, keepAlive: true, connectionTimeoutMillis };
  const pool = new pg.Pool({ ...server, max, ...more });
  // A lost connection is told to the queue by its next statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** The queue of jobs says nothing by itself: what fails is reported by whoever does the job. */
export function silentLogger(): Logger {
  return new Logger(() => () => {});
}
