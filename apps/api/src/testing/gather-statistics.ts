import type { Postgres } from '@back-office/database-postgres';

const TABLES = `
  select quote_ident(c.relname) as name from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition`;

/** Analyzes one table after the other, because ANALYZE without a table goes to every node of a cluster. */
export async function gatherStatistics(database: Postgres): Promise<void> {
  const tables = await database.rows<{ name: string }>(TABLES);
  for (const { name } of tables) await database.source.query(`analyze ${name}`);
}
