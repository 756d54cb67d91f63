import 'reflect-metadata';
import pg from 'pg';
import { Logger } from 'graphile-worker';
import { DataSource, type MigrationInterface } from 'typeorm';
import { TIMEOUTS } from './connection/timeouts.js';
import { MainPath1763700000001 } from './migrations/0001-main-path.js';
import { ProformasInFull1763700000002 } from './migrations/0002-proformas-in-full.js';
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
import { RefundKeys1763700000016 } from './migrations/0016-refund-keys.js';
import { TokenScopes1763700000017 } from './migrations/0017-token-scopes.js';
import { RecentChanges1763700000018 } from './migrations/0018-recent-changes.js';
import { UnusedEvaluations1763700000019 } from './migrations/0019-unused-evaluations.js';
import { AuditLog1763700000020 } from './migrations/0020-audit-log.js';
import { SessionUse1763700000021 } from './migrations/0021-session-use.js';
import { UploadTokens1763700000022 } from './migrations/0022-upload-tokens.js';
import { Events1763700000023 } from './migrations/0023-events.js';
import { Webhooks1763700000024 } from './migrations/0024-webhooks.js';
import { UnplacedEvents1763700000025 } from './migrations/0025-unplaced-events.js';
import { TrackingAndReferences1763700000026 } from './migrations/0026-tracking-and-references.js';
import { SmallerIndexes1763700000027 } from './migrations/0027-smaller-indexes.js';
import { TokensByApp1763700000028 } from './migrations/0028-tokens-by-app.js';
import { SettingsByApp1763700000029 } from './migrations/0029-settings-by-app.js';
import { CompatibleMigrations1763700000030 } from './migrations/0030-compatible-migrations.js';
import { PaymentAndStockReferences1763700000031 } from './migrations/0031-payment-and-stock-references.js';
import { ProductBarcodes1763700000032 } from './migrations/0032-product-barcodes.js';
import { VariantsInFull1763700000033 } from './migrations/0033-variants-in-full.js';
import { PurgedKeysAndDevices1763700000034 } from './migrations/0034-purged-keys-and-devices.js';
import { LooseVoucherCodes1763700000035 } from './migrations/0035-loose-voucher-codes.js';
import { FoldedNames1763700000036 } from './migrations/0036-folded-names.js';
import { NarrowScopes1763700000037 } from './migrations/0037-narrow-scopes.js';
import { ENTITIES } from './tables/all-tables.js';

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
  RefundKeys1763700000016,
  TokenScopes1763700000017,
  RecentChanges1763700000018,
  UnusedEvaluations1763700000019,
  AuditLog1763700000020,
  SessionUse1763700000021,
  UploadTokens1763700000022,
  Events1763700000023,
  Webhooks1763700000024,
  UnplacedEvents1763700000025,
  TrackingAndReferences1763700000026,
  SmallerIndexes1763700000027,
  TokensByApp1763700000028,
  SettingsByApp1763700000029,
  CompatibleMigrations1763700000030,
  PaymentAndStockReferences1763700000031,
  ProductBarcodes1763700000032,
  VariantsInFull1763700000033,
  PurgedKeysAndDevices1763700000034,
  LooseVoucherCodes1763700000035,
  FoldedNames1763700000036,
  NarrowScopes1763700000037,
];

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

export function migrationSourceFor(connection: ConnectionTarget, migrations = MIGRATIONS): DataSource {
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
    // Passes this copy of pg, because a bundled TypeORM would load another one, without the type parser above.
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
