import { runMigrations } from 'graphile-worker';
import type { DataSource } from 'typeorm';
import { jobPool, migrationSourceFor, silentLogger, type Connection } from './data-source.js';

/** Any number that all nodes agree on. */
const MIGRATION_LOCK = 7_263_451;

/** Brings the schema up to date and answers the names of what ran. Several nodes may start at once. */
export function migrate(connection: Connection): Promise<string[]> {
  return inMigrationTurn(connection, async (source) => {
    const ran = (await source.showMigrations()) ? await source.runMigrations() : [];
    await migrateJobs(connection);
    return ran.map((migration) => migration.name);
  });
}

/**
 * Runs what changes the schema: one node does, the others wait for it. The lock belongs to a session, so it goes with
 * the process that held it.
 */
export async function inMigrationTurn<Result>(
  connection: Connection,
  work: (source: DataSource) => Promise<Result>,
): Promise<Result> {
  const source = await migrationSourceFor(connection).initialize();
  const guard = source.createQueryRunner();
  try {
    await guard.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await work(source);
  } finally {
    await guard.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    await guard.release();
    await source.destroy();
  }
}

/** The queue of background jobs keeps its own tables, in a schema of its own. */
async function migrateJobs(connection: Connection): Promise<void> {
  const pool = jobPool(connection, 1);
  try {
    await runMigrations({ pgPool: pool, logger: silentLogger() });
  } finally {
    await pool.end();
  }
}
