import type { QueryRunner } from 'typeorm';
import type { Connection } from './data-source.js';
import { inMigrationTurn, migrate } from './migrate.js';
import { kindsByName, schemaBreaches, TABLES, type Query } from './schema-rules.js';

/** What a run of {@link distribute} has turned into distributed and reference tables: nothing, when all of them were. */
export interface Distribution {
  readonly distributed: readonly string[];
  readonly reference: readonly string[];
}

interface TableState {
  readonly name: string;
  readonly wanted: 'app' | 'reference';
  readonly found: 'app' | 'reference' | 'plain';
  /** By which the rows are spread. */
  readonly column: string | null;
  readonly colocation: number | null;
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const GROUP = `select groupid as group from pg_dist_local_group`;
const COORDINATORS = 0;
const HAS_CITUS = `select to_regclass('pg_dist_partition') is not null as has`;

/** A table that Citus only knows because others point to it (method n, model s) is plain to us. */
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

/** Whether this database belongs to a cluster. */
async function hasCitus(query: Query): Promise<boolean> {
  const [answer] = (await query(HAS_CITUS)) as { has: boolean }[];
  return answer?.has === true;
}

/**
 * Brings the database up to date and spreads its tables over the nodes of its cluster, with what is in them, in one
 * transaction: cut off anywhere, it has done nothing. Tables that are spread already stay as they are. Throws, with
 * nothing changed, where there is no Citus, and where a table cannot be spread or has been in another way.
 */
export async function distribute(connection: Connection): Promise<Distribution> {
  await inMigrationTurn(connection, async (source) => {
    await assertCoordinator((text, values) => source.query(text, values));
  });
  await migrate(connection);
  return distributeTables(connection);
}

/** As {@link distribute}, of a database of a cluster as it is. */
export function distributeTables(connection: Connection): Promise<Distribution> {
  return inMigrationTurn(connection, (source) =>
    source.transaction((manager) => distributeAll((text, values) => manager.query(text, values))),
  );
}

async function assertCoordinator(query: Query): Promise<void> {
  if (!(await hasCitus(query))) {
    throw new Error('This database has no Citus: create the extension on every node first. Nothing has been changed.');
  }
  const [node] = (await query(GROUP)) as { group: number }[];
  if (node?.group !== COORDINATORS) {
    throw new Error(
      'This is a worker of the cluster: DATABASE_URL has to name its coordinator. Nothing has been changed.',
    );
  }
}

async function distributeAll(query: Query): Promise<Distribution> {
  const states = (await query(STATES, [kindsByName()])) as TableState[];
  assertAlike(states);
  const plain = states.filter(({ found }) => found === 'plain');
  if (plain.length > 0) {
    await assertDistributable(query);
    await withoutForeignKeys(query, plain, async () => {
      let beside = states.find(({ found }) => found === 'app')?.name;
      for (const { name, wanted } of plain) {
        await place(query, name, wanted, beside);
        if (wanted === 'app') beside ??= name;
      }
    });
  }
  const namesOf = (kind: string) => plain.filter(({ wanted }) => wanted === kind).map(({ name }) => name);
  return { distributed: namesOf('app'), reference: namesOf('reference') };
}

/**
 * Among plain tables a foreign key is an obstacle: two tables that point at each other have no order in which they
 * could be spread, and Citus takes whatever points at a reference table into its care, whereupon it refuses to spread it.
 * Each is made again afterwards, which checks every row.
 */
async function withoutForeignKeys(
  query: Query,
  tables: readonly TableState[],
  work: () => Promise<void>,
): Promise<void> {
  const names = tables.map(({ name }) => name);
  const foreignKeys = (await query(FOREIGN_KEYS, [kindsByName(), names])) as ForeignKey[];
  for (const { table, name } of foreignKeys)
    await query(`alter table ${quoted(table)} drop constraint ${quoted(name)}`);
  await work();
  for (const { table, name, definition } of foreignKeys) await addForeignKey(query, table, name, definition);
}

async function place(
  query: Query,
  table: string,
  kind: TableState['wanted'],
  beside: string | undefined,
): Promise<void> {
  if (kind === 'reference') await query('select create_reference_table($1::regclass)', [quoted(table)]);
  else await spread(query, table, beside);
  // The rows are on the nodes by now; here they would only be an old copy that nobody sees.
  await query('select truncate_local_data_after_distributing_table($1::regclass)', [quoted(table)]);
}

function spread(query: Query, table: string, beside: string | undefined): Promise<unknown> {
  const others = beside === undefined ? 'none' : quoted(beside);
  return query(`select create_distributed_table($1::regclass, 'app_id', colocate_with => $2)`, [quoted(table), others]);
}

function addForeignKey(query: Query, table: string, name: string, definition: string): Promise<unknown> {
  return query(`alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`);
}

/** All app's tables lie together, so that what belongs to an app is on one node. */
function assertAlike(states: readonly TableState[]): void {
  const placed = states.filter(({ found }) => found !== 'plain');
  const home = placed.find(({ found }) => found === 'app')?.colocation;
  const stray = placed.find(
    ({ wanted, found, column, colocation }) =>
      wanted !== found || (found === 'app' && (column !== 'app_id' || colocation !== home)),
  );
  if (stray) throw new Error(`The table ${stray.name} is distributed in another way. Nothing has been changed.`);
}

async function assertDistributable(query: Query): Promise<void> {
  const [breach, ...more] = await schemaBreaches(query);
  if (!breach) return;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  throw new Error(`${breach.table}, ${breach.name}: ${breach.rule}${others}. Nothing has been changed.`);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A new table of an app's records, as a migration makes it. */
export interface AppTable {
  readonly name: string;
  /** Columns, checks and keys, as they stand in `create table`; everything but foreign keys. */
  readonly definition: string;
  /** By name, such as `foreign key (app_id, customer_id) references customers (app_id, id)`. */
  readonly foreignKeys: Readonly<Record<string, string>>;
}

/** As on the tables that there have been so far, see the migration EarlyStatistics. */
const EARLY_STATISTICS = 'autovacuum_analyze_scale_factor = 0.01';

/**
 * Makes a table: plain where the others are, and spread beside them where those are spread. A foreign key that was there
 * earlier would be in the way; see {@link withoutForeignKeys}.
 */
export async function createAppTable(runner: QueryRunner, { name, definition, foreignKeys }: AppTable): Promise<void> {
  const query: Query = (text, values) => runner.query(text, values);
  await query(`create table ${quoted(name)} (${definition}) with (${EARLY_STATISTICS})`);
  const beside = (await hasCitus(query)) ? await spreadTable(query) : undefined;
  if (beside !== undefined) await spread(query, name, beside);
  for (const [key, foreignKey] of Object.entries(foreignKeys)) await addForeignKey(query, name, key, foreignKey);
}

async function spreadTable(query: Query): Promise<string | undefined> {
  const states = (await query(STATES, [kindsByName()])) as TableState[];
  return states.find(({ found }) => found === 'app')?.name;
}
