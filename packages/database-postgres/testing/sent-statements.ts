import type { Logger } from 'typeorm';
import type { Postgres } from '../src/postgres.js';
import { breachesOf, loadGrammar } from './one-app-rule.js';

const COLUMNS = `
  select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') group by c.relname`;

/** Collects the statements of a service during a test. */
export class SentStatements {
  private readonly texts = new Set<string>();

  readonly note = (text: string): void => {
    this.texts.add(text);
  };

  /** Collects TypeORM's own statements. */
  readonly logger: Logger = {
    logQuery: this.note,
    logQueryError: () => {},
    logQuerySlow: () => {},
    logSchemaBuild: () => {},
    logMigration: () => {},
    log: () => {},
  };

  /** Throws when a statement may touch several apps. */
  async assertOneApp(database: Postgres): Promise<void> {
    const rows = await database.rows<{ table: string; columns: string[] }>(COLUMNS);
    const tables = new Map(rows.map(({ table, columns }) => [table, columns]));
    await loadGrammar();
    const found = [...this.texts].flatMap((text) => {
      const breaches = breachesOf(text, tables);
      return breaches.length > 0 ? `${breaches.join(', ')}:\n${text.trim()}` : [];
    });
    if (found.length > 0)
      throw new Error(`Statements that may touch records of more than one app\n\n${found.join('\n\n')}`);
  }
}
