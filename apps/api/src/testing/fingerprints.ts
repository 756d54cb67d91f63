import type { Database } from '../database/database.js';

/** Per app a text that changes with every row of the app that is written, changed to what it was before or deleted. */
export type Fingerprints = ReadonlyMap<number, string>;

const TABLES = `
  select t.table_name as name, bool_or(c.column_name = 'app_id') as has_app
  from information_schema.tables t
  join information_schema.columns c on c.table_schema = t.table_schema and c.table_name = t.table_name
  where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and t.table_name <> 'migrations'
  group by t.table_name order by t.table_name`;

interface Table {
  readonly name: string;
  /** The column that says whose a row is. */
  readonly owner: 'app_id' | 'id';
}

/** All there are, so that a table that is added later is watched too. */
async function tablesOf(database: Database): Promise<Table[]> {
  const tables = await database.rows<{ name: string; has_app: boolean }>(TABLES);
  return tables.map(({ name, has_app: hasApp }) => {
    if (!hasApp && name !== 'apps') throw new Error(`Whose rows are those of ${name}?`);
    return { name, owner: hasApp ? 'app_id' : 'id' };
  });
}

export async function fingerprintsOf(database: Database): Promise<() => Promise<Fingerprints>> {
  const tables = await tablesOf(database);
  const parts = tables.map(
    ({ name, owner }) => `select '${name}' as name, ${owner} as app_id, count(*) as rows,
      max(xmin::text::bigint) as newest from "${name}" group by 2`,
  );
  const text = `select app_id, string_agg(concat_ws(' ', name, rows, newest), ', ' order by name) as seen
    from (${parts.join(' union all ')}) as part group by app_id`;
  return async () => {
    const rows = await database.rows<{ app_id: number; seen: string }>(text);
    return new Map(rows.map(({ app_id: appId, seen }) => [appId, seen]));
  };
}

/** The tables in which a row of the app holds this text. */
export async function tablesWith(database: Database, appId: number, text: string): Promise<string[]> {
  const parts = (await tablesOf(database)).map(
    ({ name, owner }) => `select '${name}' as name from "${name}" as row
      where ${owner} = $1 and strpos(to_jsonb(row)::text, $2) > 0`,
  );
  const found = await database.rows<{ name: string }>(parts.join(' union '), [appId, text]);
  return found.map(({ name }) => name).sort();
}
