import type { Database } from '../database/database.js';

/** Per app a text that changes with every row of the app that is written, changed to what it was before or deleted. */
export type Fingerprints = ReadonlyMap<number, string>;

const TABLES = `
  select t.table_name as name, bool_or(c.column_name = 'app_id') as has_app
  from information_schema.tables t
  join information_schema.columns c on c.table_schema = t.table_schema and c.table_name = t.table_name
  where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and t.table_name <> 'migrations'
  group by t.table_name order by t.table_name`;

/** The statement's text depends on the tables, so that a table that is added later is watched too. */
export async function fingerprintsOf(database: Database): Promise<() => Promise<Fingerprints>> {
  const tables = await database.rows<{ name: string; has_app: boolean }>(TABLES);
  const parts = tables.map(({ name, has_app: hasApp }) => {
    if (!hasApp && name !== 'apps') throw new Error(`Whose rows are those of ${name}?`);
    return `select '${name}' as name, ${hasApp ? 'app_id' : 'id'} as app_id, count(*) as rows,
      max(xmin::text::bigint) as newest from "${name}" group by 2`;
  });
  const text = `select app_id, string_agg(concat_ws(' ', name, rows, newest), ', ' order by name) as seen
    from (${parts.join(' union all ')}) as part group by app_id`;
  return async () => {
    const rows = await database.rows<{ app_id: number; seen: string }>(text);
    return new Map(rows.map(({ app_id: appId, seen }) => [appId, seen]));
  };
}
