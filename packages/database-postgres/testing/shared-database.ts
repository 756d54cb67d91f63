import type { DataSource } from 'typeorm';
import { dataSourceFor, type Connection } from '../src/data-source.js';
import { Postgres } from '../src/postgres.js';
import { makeTestDatabase } from './test-database.js';

const INSPECTION_POOL_SIZE = 4;
const MAX_DELETED_ROWS = 1_000;

/** A migrated database without rows. Suites of one worker use it one after the other. */
export interface SharedDatabase {
  readonly connection: Connection;
  readonly url: string;
  /** Connections of the service under test. */
  readonly source: DataSource;
  /** Connections of the tests. */
  readonly inspection: Postgres;
  /** Removes all rows and keeps the connections for the next suite. */
  release(): Promise<void>;
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
  const emptyStatement = emptyTablesSql(keptTables.map(({ name }) => name));
  const database: SharedDatabase = {
    connection,
    url: testDatabase.url,
    source,
    inspection,
    release: async () => {
      try {
        await inspection.source.query(emptyStatement);
        freeDatabases.set(poolSize, [...(freeDatabases.get(poolSize) ?? []), database]);
      } catch (error) {
        await Promise.all([source.destroy(), inspection.source.destroy()]);
        await testDatabase.drop();
        throw error;
      }
    },
  };
  return database;
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

/** Deletes few rows, and truncates large tables: TRUNCATE makes every connection plan its statements again. */
const emptyTablesSql = (keptTables: readonly string[]): string => `
  do $$
  declare
    name text;
    row_count bigint;
    large_tables text[] := '{}';
  begin
    -- Foreign keys need no check, because all rows go.
    set local session_replication_role = replica;
    for name in
      select format('%I.%I', schemaname, tablename) from pg_tables where schemaname in ('public', 'graphile_worker')
        and format('%I.%I', schemaname, tablename) <> all ('{${keptTables.join(',')}}')
    loop
      execute format('select count(*) from (select from %s limit ${MAX_DELETED_ROWS + 1}) as r', name) into row_count;
      if row_count > ${MAX_DELETED_ROWS} then
        large_tables := large_tables || name;
      elsif row_count > 0 then
        execute format('delete from %s', name);
      end if;
    end loop;
    if large_tables <> '{}' then
      execute 'truncate ' || array_to_string(large_tables, ', ') || ' cascade';
    end if;
    perform setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
      from pg_sequences where schemaname in ('public', 'graphile_worker') and last_value is not null;
  end $$`;
