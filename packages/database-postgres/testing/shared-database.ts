import type { DataSource } from 'typeorm';
import { dataSourceFor, type Connection } from '../src/data-source.js';
import { Postgres } from '../src/postgres.js';
import { makeTestDatabase } from './test-database.js';

const INSPECTION_POOL_SIZE = 4;
const MAX_DELETED_ROWS = 1_000;
const TOO_LARGE = 'The database has too many rows';

/** A migrated database without rows. Suites of one worker use it one after the other. */
export interface SharedDatabase {
  readonly connection: Connection;
  readonly url: string;
  /** Connections of the service under test. */
  readonly source: DataSource;
  /** Connections of the tests. */
  readonly inspection: Postgres;
  /** Removes all rows and keeps the connections for the next suite. A changed or large database is dropped instead. */
  release(): Promise<void>;
  drop(): Promise<void>;
}

const freeDatabases = new Map<number, SharedDatabase[]>();

/** A new connection costs PostgreSQL as much CPU as a small suite, so suites inherit database and connections. */
export async function borrowDatabase(poolSize: number): Promise<SharedDatabase> {
  return freeDatabases.get(poolSize)?.pop() ?? openSharedDatabase(poolSize);
}

async function openSharedDatabase(poolSize: number): Promise<SharedDatabase> {
  const testDatabase = await makeTestDatabase();
  // Test data need not survive a crash of the server.
  const connection = {
    url: `${testDatabase.url}${testDatabase.url.includes('?') ? '&' : '?'}options=-c%20synchronous_commit%3Doff`,
  };
  const source = await openSource(connection, poolSize);
  const inspection = new Postgres(await openSource(connection, INSPECTION_POOL_SIZE));
  const keptTables = await inspection.rows<{ name: string }>(FIND_FILLED_TABLES);
  const emptyStatement = deleteRowsSql(keptTables.map(({ name }) => name));
  const readSchema = async (): Promise<string> => JSON.stringify(await inspection.rows(FINGERPRINT_OF_SCHEMA));
  const schema = await readSchema();
  const drop = async (): Promise<void> => {
    await Promise.all([source.destroy(), inspection.source.destroy()]);
    await testDatabase.drop();
  };
  const database: SharedDatabase = {
    connection,
    url: testDatabase.url,
    source,
    inspection,
    drop,
    release: async () => {
      if ((await readSchema()) !== schema || !(await isEmptied(inspection, emptyStatement))) return drop();
      freeDatabases.set(poolSize, [...(freeDatabases.get(poolSize) ?? []), database]);
    },
  };
  return database;
}

async function isEmptied({ source }: Postgres, emptyStatement: string): Promise<boolean> {
  try {
    await source.query(emptyStatement);
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes(TOO_LARGE)) return false;
    throw error;
  }
}

/** Idle connections do not keep the process of a worker alive. */
function openSource(connection: Connection, poolSize: number): Promise<DataSource> {
  const source = dataSourceFor(connection, poolSize);
  const extra = { ...(source.options.extra as object), allowExitOnIdle: true };
  return source.setOptions({ extra }).initialize();
}

const FIND_FILLED_TABLES = `
  select t.name from (
    select format('%I.%I', schemaname, tablename) as name,
      (xpath('/row/n/text()', query_to_xml(
        format('select count(*) as n from (select from %I.%I limit 1) as r', schemaname, tablename), false, true, ''
      )))[1]::text::int as count
    from pg_tables where schemaname in ('public', 'graphile_worker')
  ) as t where t.count > 0`;

const FINGERPRINT_OF_SCHEMA = `
  select (select count(*) || '/' || max(oid) from pg_namespace where nspname !~ '^pg_(toast_)?temp') as schemas,
    (select count(*) || '/' || max(oid) from pg_class where relpersistence = 'p') as classes,
    (select count(*) from pg_attribute where not attisdropped) as columns,
    (select count(*) || '/' || max(oid) from pg_constraint) as constraints,
    (select count(*) || '/' || max(oid) from pg_trigger) as triggers,
    (select count(*) || '/' || max(oid) from pg_proc) as functions,
    (select count(*) || '/' || max(setrole) from pg_db_role_setting) as settings`;

/** Deleting more rows takes longer than copying a database, and leaves statistics that change plans. */
const deleteRowsSql = (keptTables: readonly string[]): string => `
  do $$
  declare
    name text;
    deleted_count bigint;
  begin
    -- Foreign keys need no check, because all rows go.
    set local session_replication_role = replica;
    for name in
      select format('%I.%I', schemaname, tablename) from pg_tables where schemaname in ('public', 'graphile_worker')
        and format('%I.%I', schemaname, tablename) <> all ('{${keptTables.join(',')}}')
    loop
      execute format('delete from %s', name);
      get diagnostics deleted_count = row_count;
      if deleted_count > ${MAX_DELETED_ROWS} then raise exception '${TOO_LARGE}'; end if;
    end loop;
    perform setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
      from pg_sequences where schemaname in ('public', 'graphile_worker') and last_value is not null;
  end $$`;
