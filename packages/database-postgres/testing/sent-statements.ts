import type { Logger } from 'typeorm';
import type { Postgres } from '../src/connection/postgres.js';
import { forCluster } from '../src/connection/outer-app.js';
import { findBreaches, loadGrammar } from './one-app-rule.js';

const FIND_COLUMNS = `
  select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
  group by c.relname order by c.relname`;

/** Caches the breaches by statement text, then by the checked tables, because parsing takes longer than sending. */
const knownBreaches = new Map<string, Map<string, readonly string[]>>();

export class SentStatements {
  private readonly texts = new Set<string>();

  readonly record = (text: string): void => {
    this.texts.add(text);
  };

  readonly logger: Logger = {
    logQuery: this.record,
    logQueryError: () => {},
    logQuerySlow: () => {},
    logSchemaBuild: () => {},
    logMigration: () => {},
    log: () => {},
  };

  async assertRules(database: Postgres): Promise<void> {
    const rows = await database.rows<{ table: string; columns: string[] }>(FIND_COLUMNS);
    const tables = new Map(rows.map(({ table, columns }) => [table, columns]));
    await loadGrammar();
    const breachesByText = getOrAdd(knownBreaches, JSON.stringify(rows), () => new Map<string, readonly string[]>());
    const violations = [...this.texts].flatMap((text) => {
      const breaches = getOrAdd(breachesByText, text, () => findBreaches(forCluster(text), tables));
      return breaches.length > 0 ? `${breaches.join(', ')}:\n${text.trim()}` : [];
    });
    if (violations.length > 0)
      throw new Error(`Statements that may touch records of more than one app\n\n${violations.join('\n\n')}`);
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
