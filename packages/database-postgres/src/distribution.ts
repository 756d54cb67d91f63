import type { QueryRunner } from 'typeorm';
import type { Connection } from './data-source.js';
import { withMigrationLock, migrate } from './migrate.js';
import { kindsByName, schemaBreaches, TABLES, type Query } from './schema-rules.js';

/** The tables that {@link distribute} has converted; empty when there were none left. */
export interface Distribution {
  readonly distributed: readonly string[];
  readonly reference: readonly string[];
}

interface TableState {
  readonly name: string;
  readonly wanted: 'app' | 'reference';
  readonly found: 'app' | 'reference' | 'plain';
  /** The distribution column. */
  readonly column: string | null;
  readonly colocation: number | null;
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const LOCAL_GROUP = `select groupid as group from pg_dist_local_group`;
const COORDINATOR_GROUP = 0;
const HAS_CITUS = `select to_regclass('pg_dist_partition') is not null as has`;

/** A table that Citus only tracks because others reference it (method n, model s) counts as plain. */
const STATES = `
  with ${TABLES}
  select t.name, t.kind as wanted, p.colocationid as colocation, column_to_column_name(p.logicalrelid, p.partkey) as column,
    case when p.partmethod = 'h' then 'app' when p.repmodel = 't' then 'reference' else 'plain' end as found
  from tables t left join pg_dist_partition p on p.logicalrelid = t.oid
  where t.kind in ('app', 'reference') order by t.kind desc, t.name`;

const FOREIGN_KEYS = `
  with ${TABLES}
  select f.name as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
  from tables f join pg_constraint c on c.conrelid = f.oid and c.contype = 'f' join tables t on t.oid = c.confrelid
  where array[f.name, t.name]::text[] && $2::text[] order by f.name, c.conname`;

async function hasCitus(query: Query): Promise<boolean> {
  const [answer] = (await query(HAS_CITUS)) as { has: boolean }[];
  return answer?.has === true;
}

/**
 * Migrates the database, then distributes its plain tables and their rows over the cluster in one transaction. Throws,
 * with nothing distributed, without Citus or when a table cannot be distributed by `app_id`.
 */
export async function distribute(connection: Connection): Promise<Distribution> {
  await withMigrationLock(connection, async (source) => {
    await assertCoordinator((text, values) => source.query(text, values));
  });
  await migrate(connection);
  return distributeTables(connection);
}

/** As {@link distribute}, without migrating. */
export function distributeTables(connection: Connection): Promise<Distribution> {
  return withMigrationLock(connection, (source) =>
    source.transaction((manager) => distributeAll((text, values) => manager.query(text, values))),
  );
}

async function assertCoordinator(query: Query): Promise<void> {
  if (!(await hasCitus(query))) {
    throw new Error('This database has no Citus: create the extension on every node first. Nothing has been changed.');
  }
  const [node] = (await query(LOCAL_GROUP)) as { group: number }[];
  if (node?.group !== COORDINATOR_GROUP) {
    throw new Error(
      'This is a worker of the cluster: DATABASE_URL has to name its coordinator. Nothing has been changed.',
    );
  }
}

async function distributeAll(query: Query): Promise<Distribution> {
  const states = (await query(STATES, [kindsByName()])) as TableState[];
  assertColocated(states);
  const plain = states.filter(({ found }) => found === 'plain');
  if (plain.length > 0) {
    await assertDistributable(query);
    await withoutForeignKeys(query, plain, async () => {
      let colocateWith = states.find(({ found }) => found === 'app')?.name;
      for (const { name, wanted } of plain) {
        await distributeTable(query, name, wanted, colocateWith);
        if (wanted === 'app') colocateWith ??= name;
      }
    });
  }
  const namesOf = (kind: string) => plain.filter(({ wanted }) => wanted === kind).map(({ name }) => name);
  return { distributed: namesOf('app'), reference: namesOf('reference') };
}

/**
 * Runs `work` without the foreign keys of plain tables, then adds them again, which checks every row. Tables that
 * reference each other have no order of distribution, and Citus refuses tables that reference a reference table.
 */
async function withoutForeignKeys(
  query: Query,
  tables: readonly TableState[],
  work: () => Promise<void>,
): Promise<void> {
  const names = tables.map(({ name }) => name);
  const foreignKeys = (await query(FOREIGN_KEYS, [kindsByName(), names])) as ForeignKey[];
  for (const { table, name } of foreignKeys)
    await query(`alter table ${quoteIdentifier(table)} drop constraint ${quoteIdentifier(name)}`);
  await work();
  for (const { table, name, definition } of foreignKeys) await addForeignKey(query, table, name, definition);
}

async function distributeTable(
  query: Query,
  table: string,
  kind: TableState['wanted'],
  colocateWith: string | undefined,
): Promise<void> {
  if (kind === 'reference') await query('select create_reference_table($1::regclass)', [quoteIdentifier(table)]);
  else await createDistributedTable(query, table, colocateWith);
  // The nodes have the rows now; this removes the unused local copy.
  await query('select truncate_local_data_after_distributing_table($1::regclass)', [quoteIdentifier(table)]);
}

function createDistributedTable(query: Query, table: string, colocateWith: string | undefined): Promise<unknown> {
  const others = colocateWith === undefined ? 'none' : quoteIdentifier(colocateWith);
  return query(`select create_distributed_table($1::regclass, 'app_id', colocate_with => $2)`, [
    quoteIdentifier(table),
    others,
  ]);
}

function addForeignKey(query: Query, table: string, name: string, definition: string): Promise<unknown> {
  return query(`alter table ${quoteIdentifier(table)} add constraint ${quoteIdentifier(name)} ${definition}`);
}

/** Colocated tables keep all rows of an app on one node. */
function assertColocated(states: readonly TableState[]): void {
  const distributed = states.filter(({ found }) => found !== 'plain');
  const group = distributed.find(({ found }) => found === 'app')?.colocation;
  const mismatch = distributed.find(
    ({ wanted, found, column, colocation }) =>
      wanted !== found || (found === 'app' && (column !== 'app_id' || colocation !== group)),
  );
  if (mismatch) throw new Error(`The table ${mismatch.name} is distributed in another way. Nothing has been changed.`);
}

async function assertDistributable(query: Query): Promise<void> {
  const [breach, ...more] = await schemaBreaches(query);
  if (!breach) return;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  throw new Error(`${breach.table}, ${breach.name}: ${breach.rule}${others}. Nothing has been changed.`);
}

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A new table of apps' records. */
export interface AppTable {
  readonly name: string;
  /** The body of `create table`: columns, checks and keys, without foreign keys. */
  readonly definition: string;
  /** By name, such as `foreign key (app_id, customer_id) references customers (app_id, id)`. */
  readonly foreignKeys: Readonly<Record<string, string>>;
}

/** See the migration EarlyStatistics. */
const EARLY_STATISTICS = 'autovacuum_analyze_scale_factor = 0.01';

/** Creates a table, distributed when the others are. Foreign keys come last, see {@link withoutForeignKeys}. */
export async function createAppTable(runner: QueryRunner, { name, definition, foreignKeys }: AppTable): Promise<void> {
  const query: Query = (text, values) => runner.query(text, values);
  await query(`create table ${quoteIdentifier(name)} (${definition}) with (${EARLY_STATISTICS})`);
  const colocateWith = (await hasCitus(query)) ? await findDistributedTable(query) : undefined;
  if (colocateWith !== undefined) await createDistributedTable(query, name, colocateWith);
  for (const [key, foreignKey] of Object.entries(foreignKeys)) await addForeignKey(query, name, key, foreignKey);
}

async function findDistributedTable(query: Query): Promise<string | undefined> {
  const states = (await query(STATES, [kindsByName()])) as TableState[];
  return states.find(({ found }) => found === 'app')?.name;
}
