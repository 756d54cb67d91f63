import 'reflect-metadata';
import pg from 'pg';
import { Logger } from 'graphile-worker';
import { DataSource, type MigrationInterface } from 'typeorm';
import { TIMEOUTS } from './timeouts.js';
import { ENTITIES } from '../tables/all-tables.js';

const BIGINT_OID = 20;

// The first call on a new connection takes several times longer, because the server plans every statement again. TCP
// keep-alive finds a dead connection within 20 seconds.
const IDLE_OPTIONS = {
  idleTimeoutMillis: TIMEOUTS.idleConnection,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

// Parses bigint as number instead of string. This is safe, because checks keep ids and amounts below 2^53.
pg.types.setTypeParser(BIGINT_OID, Number);

// Sets `jit=off`, because compiling a statement takes longer than running it: all statements use indexes. Sets `read
// committed`, because a statement must see what was committed while it waited for a lock.
const SESSION_SETTINGS = ['-c timezone=UTC', '-c jit=off', '-c default_transaction_isolation=read\\ committed'];
// Forces index use, because a plan made while a table was small would scan the grown table until the next analyze.
const INDEX_SETTINGS = ['-c enable_seqscan=off'];
// Lowers `random_page_cost`, because random reads of cached data are as cheap as sequential reads. With the default,
// the planner avoids covering indexes. Uses no parallel workers, because they would take cores from other calls.
const PLANNER_SETTINGS = ['-c random_page_cost=1.1', '-c max_parallel_workers_per_gather=0'];
const TIMEOUT_SETTINGS = [
  `-c lock_timeout=${TIMEOUTS.lock}`,
  `-c statement_timeout=${TIMEOUTS.statement}`,
  `-c idle_in_transaction_session_timeout=${TIMEOUTS.idleInTransaction}`,
];

export type ConnectionTarget =
  | { readonly url: string }
  | { readonly host: string; readonly user: string; readonly database: string };

export function dataSourceFor(connection: ConnectionTarget, poolSize: number): DataSource {
  return new DataSource({
    ...commonOptions(connection),
    entities: ENTITIES,
    poolSize,
    extra: {
      options: optionsOf(connection, [
        ...SESSION_SETTINGS,
        ...INDEX_SETTINGS,
        ...PLANNER_SETTINGS,
        ...TIMEOUT_SETTINGS,
      ]),
      pipeline: true,
      query_timeout: TIMEOUTS.query,
      connectionTimeoutMillis: TIMEOUTS.acquire,
      ...IDLE_OPTIONS,
    },
  });
}

/**
 * The first setting lets one transaction change both reference and distributed tables. The second setting keeps a new
 * table plain until it is distributed, even if it references a reference table. Without Citus, both have no effect.
 */
const CLUSTER_SETTINGS = [
  '-c citus.multi_shard_modify_mode=sequential',
  '-c citus.enable_local_reference_table_foreign_keys=off',
];

// Waits for the lock of another node's migration, whatever the limits of the role or server are.
const NO_LIMITS = ['-c lock_timeout=0', '-c statement_timeout=0', '-c idle_in_transaction_session_timeout=0'];

export function migrationSourceFor(
  connection: ConnectionTarget,
  migrations: readonly (new () => MigrationInterface)[],
): DataSource {
  return new DataSource({
    ...commonOptions(connection),
    migrations: [...migrations],
    migrationsTransactionMode: 'each',
    poolSize: 2,
    extra: { options: optionsOf(connection, [...SESSION_SETTINGS, ...CLUSTER_SETTINGS, ...NO_LIMITS]) },
  });
}

// The options of the service come last, because the last of two equal settings applies.
function optionsOf(connection: ConnectionTarget, serviceOptions: readonly string[]): string {
  const urlOptions = 'url' in connection ? new URLSearchParams(queryOf(connection.url)).get('options') : null;
  return [...(urlOptions === null ? [] : [urlOptions]), ...serviceOptions].join(' ');
}

/** Removes the options from the URL, because pg would use them instead of the options of the service. */
function withoutOptions(url: string): string {
  const query = queryOf(url);
  const otherParameters = new URLSearchParams(query);
  if (!otherParameters.has('options')) return url;
  otherParameters.delete('options');
  return `${url.slice(0, -query.length)}${otherParameters.toString()}`;
}

/** Searches for `?` instead of using `URL`, which cannot parse the address of a socket. */
function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

function commonOptions(connection: ConnectionTarget) {
  return {
    type: 'postgres' as const,
    // Passes this copy of pg, which has the type parser above.
    driver: pg,
    ...('url' in connection
      ? { url: withoutOptions(connection.url) }
      : // The port is part of the socket's name. PGPORT and PGSSLMODE are meant for another server.
        { host: connection.host, port: 5432, username: connection.user, database: connection.database, ssl: false }),
    synchronize: false,
    applicationName: 'retail-back-office',
  };
}

export type JobPool = pg.Pool;

export function openJobPool(connection: ConnectionTarget, max: number, connectionTimeoutMillis = 0): JobPool {
  const server =
    'url' in connection
      ? { connectionString: withoutOptions(connection.url) }
      : { host: connection.host, port: 5432, user: connection.user, database: connection.database, ssl: false };
  const options = optionsOf(connection, SESSION_SETTINGS);
  const settings = { application_name: 'retail-back-office', options, connectionTimeoutMillis, ...IDLE_OPTIONS };
  const pool = new pg.Pool({ ...server, max, ...settings });
  // Ignores a lost connection, because the next statement of the queue reports it.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

export function silentLogger(): Logger {
  return new Logger(() => () => {});
}
