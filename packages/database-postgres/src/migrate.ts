import { runMigrations } from 'graphile-worker';
import type { DataSource, Migration, MigrationInterface } from 'typeorm';
import { openJobPool, migrationSourceFor, silentLogger, type ConnectionTarget } from './connection/data-source.js';
import { MIGRATIONS } from './migrations/index.js';

// An arbitrary number that must be the same on all nodes.
const MIGRATION_LOCK = 7_263_451;

export interface MigrateOptions {
  /** Whether to accept a database that a newer release has migrated. */
  readonly allowsNewer?: boolean;
}

/**
 * Runs pending migrations and returns their names. Several nodes may call this at the same time. Throws when a newer
 * release has migrated the database, unless its migrations are marked as compatible.
 */
export function migrate(connection: ConnectionTarget, { allowsNewer = false }: MigrateOptions = {}): Promise<string[]> {
  return withMigrationLock(connection, async (source) => {
    if (!allowsNewer) await refuseNewer(source);
    const compatible = new Set(source.migrations.filter(isCompatible).map(({ name }) => name));
    const migrations = (await source.showMigrations()) ? await runPending(source) : [];
    await source.query(MARK_COMPATIBLE, [migrations.map(({ name }) => name).filter((name) => compatible.has(name))]);
    await migrateJobs(connection);
    return migrations.map((migration) => migration.name);
  });
}

/** Throws when the server refuses a connection. */
export async function assertReachable(connection: ConnectionTarget): Promise<void> {
  const pool = openJobPool(connection, 1);
  try {
    await pool.query('select 1');
  } finally {
    await pool.end();
  }
}

// Reads the columns from JSON, because older releases lack `compatible`, and another program may have a table of this name.
const APPLIED_MIGRATIONS = `
  select to_jsonb(m) ->> 'name' as name, coalesce(to_jsonb(m) ->> 'compatible' = 'true', false) as compatible
  from migrations m order by 1`;

const MARK_COMPATIBLE = 'update migrations set compatible = true where name = any ($1)';

/** Whether the release before this one still works with the database after the migration. */
function isCompatible(migration: MigrationInterface & { readonly isCompatible?: boolean }): boolean {
  return migration.isCompatible === true;
}

async function refuseNewer(source: DataSource): Promise<void> {
  const [table] = await source.query<{ exists: boolean }[]>(`select to_regclass('migrations') is not null as exists`);
  if (!table?.exists) return;
  const known = new Set(source.migrations.map(({ name }) => name));
  const applied = await source.query<{ name: string; compatible: boolean }[]>(APPLIED_MIGRATIONS);
  const isOwn = applied.some(({ name }) => known.has(name));
  const unknown = applied.filter(({ name, compatible }) => !known.has(name) && !compatible).map(({ name }) => name);
  if (!isOwn || unknown.length === 0) return;
  throw new Error(
    `A newer release has migrated the database: this release does not know ${unknown.join(', ')}. ` +
      'Start the newer release, restore a backup, or set ALLOW_NEWER_DATABASE=1.',
  );
}

// SQLSTATE class: syntax error or access rule violation. A table of another program causes such an error.
const DEFINITION_CLASS = '42';
const INSUFFICIENT_PRIVILEGE = '42501';

async function runPending(source: DataSource): Promise<Migration[]> {
  // The first migrations may succeed beside the tables of another program, so this is read before they run.
  const isOwn = await isOwnDatabase(source);
  try {
    return await source.runMigrations();
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    if (isOwn || code === INSUFFICIENT_PRIVILEGE || !code?.startsWith(DEFINITION_CLASS)) throw error;
    throw new Error(`${message}; the database must be empty, or a database of this service`, { cause: error });
  }
}

/** Returns whether a migration of this service is recorded. Another program may have a table of the same name. */
async function isOwnDatabase(source: DataSource): Promise<boolean> {
  const names = source.migrations.map(({ name }) => name);
  const rows: unknown[] = await source.query('select 1 from migrations where name = any($1) limit 1', [names]);
  return rows.length > 0;
}

/** The database session holds the lock, so the lock ends if the process dies. */
export async function withMigrationLock<Result>(
  connection: ConnectionTarget,
  work: (source: DataSource) => Promise<Result>,
): Promise<Result> {
  const source = await migrationSourceFor(connection, MIGRATIONS).initialize();
  const lockSession = source.createQueryRunner();
  try {
    await lockSession.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await work(source);
  } finally {
    await lockSession.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    await lockSession.release();
    await source.destroy();
  }
}

async function migrateJobs(connection: ConnectionTarget): Promise<void> {
  const pool = openJobPool(connection, 1);
  try {
    await runMigrations({ pgPool: pool, logger: silentLogger() });
  } finally {
    await pool.end();
  }
}
