import { hasCitus } from './connection/outer-app.js';
import type { ConnectionTarget } from './connection/data-source.js';
import {
  addForeignKey,
  createDistributedTable,
  quoteIdentifier,
  FIND_TABLE_STATES,
  type TableState,
} from './schema/app-table.js';
import { withMigrationLock, migrate } from './migrate.js';
import { kindsByName, findSchemaBreaches, TABLES_CTE, type Query } from './schema/schema-rules.js';

export interface ConvertedTables {
  readonly distributed: readonly string[];
  readonly reference: readonly string[];
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const LOCAL_GROUP = `select groupid as group from pg_dist_local_group`;
const COORDINATOR_GROUP = 0;

const FOREIGN_KEYS = `
  with ${TABLES_CTE}
  select f.name as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
  from tables f join pg_constraint c on c.conrelid = f.oid and c.contype = 'f' join tables t on t.oid = c.confrelid
  where array[f.name, t.name]::text[] && $2::text[] order by f.name, c.conname`;

/**
 * Migrates the database, then distributes its plain tables and their rows over the cluster in one transaction. Throws
 * and distributes nothing without Citus, or when a table cannot be distributed by `app_id`.
 */
export async function distribute(connection: ConnectionTarget): Promise<ConvertedTables> {
  await withMigrationLock(connection, async (source) => {
    await assertCoordinator((text, values) => source.query(text, values));
  });
  await migrate(connection);
  return distributeTables(connection);
}

export function distributeTables(connection: ConnectionTarget): Promise<ConvertedTables> {
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

async function distributeAll(query: Query): Promise<ConvertedTables> {
  const states = (await query(FIND_TABLE_STATES, [kindsByName()])) as TableState[];
  assertColocated(states);
  const plainTables = states.filter(({ currentKind }) => currentKind === 'plain');
  if (plainTables.length > 0) {
    await assertDistributable(query);
    await withoutForeignKeys(query, plainTables, async () => {
      let colocateWith = states.find(({ currentKind }) => currentKind === 'app')?.name;
      for (const { name, requiredKind } of plainTables) {
        await distributeTable(query, name, requiredKind, colocateWith);
        if (requiredKind === 'app') colocateWith ??= name;
      }
    });
  }
  const namesOf = (kind: string) =>
    plainTables.filter(({ requiredKind }) => requiredKind === kind).map(({ name }) => name);
  return { distributed: namesOf('app'), reference: namesOf('reference') };
}

/**
 * Runs `work` without the foreign keys of plain tables, then adds the keys again. PostgreSQL then checks every row.
 * With foreign keys, tables that reference each other could not be distributed in any order. Citus also refuses tables
 * that reference a reference table.
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
  kind: TableState['requiredKind'],
  colocateWith: string | undefined,
): Promise<void> {
  if (kind === 'reference') await query('select create_reference_table($1::regclass)', [quoteIdentifier(table)]);
  else await createDistributedTable(query, table, colocateWith);
  await query('select truncate_local_data_after_distributing_table($1::regclass)', [quoteIdentifier(table)]);
}

/**
 * Throws unless each distributed table has its required kind, and all app tables are distributed by `app_id` and
 * colocated. Only then are all rows of an app on one node.
 */
function assertColocated(states: readonly TableState[]): void {
  const distributedTables = states.filter(({ currentKind }) => currentKind !== 'plain');
  const group = distributedTables.find(({ currentKind }) => currentKind === 'app')?.colocation;
  const mismatch = distributedTables.find(
    ({ requiredKind, currentKind, column, colocation }) =>
      requiredKind !== currentKind || (currentKind === 'app' && (column !== 'app_id' || colocation !== group)),
  );
  if (mismatch) throw new Error(`The table ${mismatch.name} is distributed in another way. Nothing has been changed.`);
}

async function assertDistributable(query: Query): Promise<void> {
  const [breach, ...otherBreaches] = await findSchemaBreaches(query);
  if (!breach) return;
  const suffix = otherBreaches.length === 0 ? '' : ` (and ${otherBreaches.length} more)`;
  throw new Error(`${breach.table}, ${breach.name}: ${breach.rule}${suffix}. Nothing has been changed.`);
}
