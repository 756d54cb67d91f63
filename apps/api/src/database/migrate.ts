import { migrationSourceFor, type Connection } from './data-source.js';

/** Any number that all nodes agree on. */
const MIGRATION_LOCK = 7_263_451;

/**
 * Brings the schema up to date and answers the names of what ran. Several nodes may start at once: one migrates,
 * the others wait for it. The lock belongs to a session, so it goes with the process that held it.
 */
export async function migrate(connection: Connection): Promise<string[]> {
  const source = await migrationSourceFor(connection).initialize();
  const guard = source.createQueryRunner();
  try {
    await guard.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    if (!(await source.showMigrations())) return [];
    return (await source.runMigrations()).map((migration) => migration.name);
  } finally {
    await guard.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    await guard.release();
    await source.destroy();
  }
}
