import type { QueryRunner } from 'typeorm';
import { hasCitus } from '../connection/outer-app.js';
import { kindsByName, TABLES_CTE, type Query } from './schema-rules.js';

export interface TableState {
  readonly name: string;
  readonly requiredKind: 'app' | 'reference';
  readonly currentKind: 'app' | 'reference' | 'plain';
  readonly column: string | null;
  readonly colocation: number | null;
}

// The Citus table `pg_dist_partition` also contains plain tables that other tables reference (method n, model s).
export const FIND_TABLE_STATES = `
  with ${TABLES_CTE}
  select t.name, t.kind as "requiredKind", p.colocationid as colocation, column_to_column_name(p.logicalrelid, p.partkey) as column,
    case when p.partmethod = 'h' then 'app' when p.repmodel = 't' then 'reference' else 'plain' end as "currentKind"
  from tables t left join pg_dist_partition p on p.logicalrelid = t.oid
  where t.kind in ('app', 'reference') order by t.kind desc, t.name`;

export function createDistributedTable(
  query: Query,
  table: string,
  colocateWith: string | undefined,
): Promise<unknown> {
  const colocation = colocateWith === undefined ? 'none' : quoteIdentifier(colocateWith);
  return query(`select create_distributed_table($1::regclass, 'app_id', colocate_with => $2)`, [
    quoteIdentifier(table),
    colocation,
  ]);
}

export function addForeignKey(query: Query, table: string, name: string, definition: string): Promise<unknown> {
  return query(`alter table ${quoteIdentifier(table)} add constraint ${quoteIdentifier(name)} ${definition}`);
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export interface AppTable {
  readonly name: string;
  readonly definition: string;
  readonly foreignKeys: Readonly<Record<string, string>>;
}

const EARLY_STATISTICS = 'autovacuum_analyze_scale_factor = 0.01';

export async function createAppTable(runner: QueryRunner, { name, definition, foreignKeys }: AppTable): Promise<void> {
  const query: Query = (text, values) => runner.query(text, values);
  await query(`create table ${quoteIdentifier(name)} (${definition}) with (${EARLY_STATISTICS})`);
  const colocateWith = (await hasCitus(query)) ? await findDistributedTable(query) : undefined;
  if (colocateWith !== undefined) await createDistributedTable(query, name, colocateWith);
  for (const [key, foreignKey] of Object.entries(foreignKeys)) await addForeignKey(query, name, key, foreignKey);
}

async function findDistributedTable(query: Query): Promise<string | undefined> {
  const states = (await query(FIND_TABLE_STATES, [kindsByName()])) as TableState[];
  return states.find(({ currentKind }) => currentKind === 'app')?.name;
}
