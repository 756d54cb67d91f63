/** Citus copies a `reference` table to every node; a `local` table stays on the coordinator. */
interface SpecialTable {
  readonly kind: 'reference' | 'local';
  readonly reason: string;
}

/**
 * Lists the tables that are not distributed. All other tables contain records of apps and are distributed by `app_id`.
 * The job queue has its own schemas, which stay on the coordinator.
 */
export const SPECIAL_TABLES: Readonly<Record<string, SpecialTable>> = {
  apps: { kind: 'reference', reason: 'It has no app_id, is small, and every app’s table points at it.' },
  migrations: { kind: 'local', reason: 'TypeORM records what has run on the coordinator.' },
};

export type Query = (text: string, values?: unknown[]) => Promise<unknown>;

export interface Breach {
  readonly rule: string;
  readonly table: string;
  readonly name: string;
}

export const TABLES_CTE = `
  tables as (
    select c.oid, c.relname as name, a.attnum as app_id,
      coalesce($1::jsonb ->> c.relname, case when a.attnum is null then 'unknown' else 'app' end) as kind
    from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attname = 'app_id' and not a.attisdropped
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema()) and c.relkind in ('r', 'p') and not c.relispartition
  )`;

/** Returns the kinds of the special tables by table name, as JSON text for $1 of {@link TABLES_CTE}. */
export function kindsByName(): string {
  return JSON.stringify(Object.fromEntries(Object.entries(SPECIAL_TABLES).map(([name, { kind }]) => [name, kind])));
}

const BREACHES_BY_RULE: Readonly<Record<string, string>> = {
  'A table without app_id is listed with its reason': `select name as table, name from tables where kind = 'unknown'`,
  'app_id is a bigint, neither nullable nor generated': `
    select table_name as table, name from columns
    where kind = 'app' and name = 'app_id' and (not is_bigint or not is_required or is_generated)`,
  'An app’s table has a primary key': `
    select t.name as table, t.name from tables t
    where t.kind = 'app' and not exists (select from pg_index i where i.indrelid = t.oid and i.indisprimary)`,
  'A unique key begins with app_id': `
    select table_name as table, name from keys where kind = 'app' and first_column <> app_id`,
  'A foreign key begins with app_id': `
    select from_name as table, name from links where from_kind = 'app' and from_columns[1] <> from_app_id`,
  'A foreign key to an app’s table pairs app_id with app_id': `
    select from_name as table, name from links
    where from_kind = 'app' and to_kind = 'app' and to_columns[1] <> to_app_id`,
  'Only an app’s table references an app’s table, and only a local table a local one': `
    select from_name as table, name from links
    where (to_kind, from_kind) not in
      (('app', 'app'), ('reference', 'app'), ('reference', 'reference'), ('local', 'local'))`,
  'No action of a foreign key changes app_id': `
    select from_name as table, name from links
    where from_kind = 'app' and (on_update in ('c', 'n', 'd') or on_delete in ('n', 'd'))`,
  'Ids are bigint identities, and no other column has a sequence': `
    select table_name as table, name from columns
    where kind in ('app', 'reference') and (is_counted or (name = 'id' or identity <> '') and
      (not is_bigint or identity <> 'a'))`,
  'There is no trigger': `
    select t.name as table, g.tgname as name from tables t join pg_trigger g on g.tgrelid = t.oid
    where t.kind in ('app', 'reference') and not g.tgisinternal`,
};

const FIND_BREACHES = `
  with ${TABLES_CTE}, columns as (
    select t.name as table_name, t.kind, a.attname as name, a.atttypid = 'bigint'::regtype as is_bigint,
      a.attnotnull as is_required, a.attgenerated <> '' as is_generated, a.attidentity as identity,
      coalesce(pg_get_expr(d.adbin, d.adrelid) like '%nextval(%', false) as is_counted
    from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  ), keys as (
    select t.name as table_name, t.kind, t.app_id, c.relname as name, i.indkey[0] as first_column
    from tables t join pg_index i on i.indrelid = t.oid join pg_class c on c.oid = i.indexrelid
    where i.indisunique or i.indisexclusion
  ), links as (
    select c.conname as name, f.name as from_name, f.kind as from_kind, f.app_id as from_app_id,
      c.conkey as from_columns, coalesce(t.kind, 'local') as to_kind, t.app_id as to_app_id, c.confkey as to_columns,
      c.confupdtype as on_update, c.confdeltype as on_delete
    from tables f join pg_constraint c on c.conrelid = f.oid and c.contype = 'f'
      left join tables t on t.oid = c.confrelid
  )
  ${Object.entries(BREACHES_BY_RULE)
    .map(([rule, breachesOfRule]) => `select '${rule}' as rule, b.table, b.name from (${breachesOfRule}) as b`)
    .join(' union all ')}
  order by rule, "table", name`;

export async function findSchemaBreaches(query: Query): Promise<Breach[]> {
  return (await query(FIND_BREACHES, [kindsByName()])) as Breach[];
}
