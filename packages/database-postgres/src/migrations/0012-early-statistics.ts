import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES_OF_APPS = `
  select quote_ident(c.relname) as name from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = (select oid from pg_namespace where nspname = current_schema()) and c.relkind = 'r'
    and a.attname = 'app_id' and not a.attisdropped
  order by 1`;

/**
 * Analyzes a table after 1 % of its rows have changed. By default, 10 % must change, and a small app may never change
 * so many rows. Without statistics of an app, the planner assumes that the app is empty and uses any index that starts
 * with `app_id`.
 */
export class EarlyStatistics1763700000012 implements MigrationInterface {
  readonly name = 'EarlyStatistics1763700000012';

  async up(runner: QueryRunner): Promise<void> {
    const tables = (await runner.query(TABLES_OF_APPS)) as readonly { readonly name: string }[];
    for (const { name } of tables) {
      await runner.query(`alter table ${name} set (autovacuum_analyze_scale_factor = 0.01)`);
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
