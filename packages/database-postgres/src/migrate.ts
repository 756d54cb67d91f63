import { runMigrations } from 'graphile-worker';
import type { DataSource, Migration } from 'typeorm';
import { openJobPool, migrationSourceFor, silentLogger, type ConnectionTarget } from './data-source.js';

// An arbitrary number that must be the same on all nodes.
const MIGRATION_LOCK = 7_263_451;

/** Runs pending migrations and returns their names. Several nodes may call this at the same time. */
export function migrate(connection: ConnectionTarget): Promise<string[]> {
  return withMigrationLock(connection, async (source) => {
    const migrations = (await source.showMigrations()) ? await runPending(source) : [];
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
  const source = await migrationSourceFor(connection).initialize();
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
