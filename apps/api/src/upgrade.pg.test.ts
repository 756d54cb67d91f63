import pg from 'pg';
import { check, migrate, MIGRATIONS, migrationSourceFor } from '@back-office/database-postgres';
import { fillApp } from './testing/a-day.js';
import { testApi, type TestApi } from './testing/test-api.js';
import { type TestDatabase, makeTestDatabase } from '@back-office/database-postgres/testing';
import { TOKENS } from './tokens.js';

let api: TestApi;
let oldDatabase: TestDatabase;
let newClient: pg.Client;
let oldClient: pg.Client;

beforeAll(async () => {
  api = await testApi();
  await fillApp(api, await api.app());
  oldDatabase = await makeTestDatabase({ isEmpty: true });
  const source = await migrationSourceFor(oldDatabase.connection, MIGRATIONS.slice(0, 1)).initialize();
  await source.runMigrations();
  await source.destroy();
  [newClient, oldClient] = [new pg.Client(api.url), new pg.Client(oldDatabase.url)];
  await newClient.connect();
  await oldClient.connect();
}, 60_000);
afterAll(async () => {
  await newClient.end();
  await oldClient.end();
  await oldDatabase.drop();
  await api.close();
});

interface Table {
  readonly name: string;
  readonly columns: string;
}

/** Columns of a table of the first migration that a later one moved, by the table that has them now. */
const MOVED_COLUMNS: Readonly<Record<string, string>> = { app_settings: 'apps' };
const MIGRATED: Readonly<Record<string, string>> = { apps: 'apps join app_settings on app_id = apps.id' };

/** Lists the tables of the first migration with the columns that still exist, except generated columns. */
async function commonTables(): Promise<Table[]> {
  const columns = async (client: pg.Client) =>
    (
      await client.query<{ table_name: string; column_name: string }>(
        `select table_name, column_name from information_schema.columns
         where table_schema = 'public' and is_generated = 'NEVER' and table_name <> 'migrations' order by 1, ordinal_position`,
      )
    ).rows;
  const currentColumns = new Set(
    (await columns(newClient)).map(
      ({ table_name: table, column_name: column }) => `${MOVED_COLUMNS[table] ?? table}.${column}`,
    ),
  );
  const tables = new Map<string, string[]>();
  for (const { table_name: table, column_name: column } of await columns(oldClient)) {
    if (currentColumns.has(`${table}.${column}`)) tables.set(table, [...(tables.get(table) ?? []), column]);
  }
  return [...tables].map(([name, names]) => ({ name, columns: names.map((column) => `"${column}"`).join(', ') }));
}

const rowsOf = async (client: pg.Client, columns: string, source: string): Promise<string[]> => {
  const { rows } = await client.query<{ row: string }>(
    `select row_to_json(r)::text as row from (select ${columns} from ${source}) as r`,
  );
  return rows.map(({ row }) => row).sort();
};
const oldRowsOf = ({ name, columns }: Table) => rowsOf(oldClient, columns, name);
const migratedRowsOf = (client: pg.Client, { name, columns }: Table) => rowsOf(client, columns, MIGRATED[name] ?? name);

describe('a filled database of the first migration', () => {
  it('is migrated without losing rows or breaking rules', async () => {
    const tables = await commonTables();
    await oldClient.query('set session_replication_role = replica');
    for (const table of tables) {
      const rows = `[${(await migratedRowsOf(newClient, table)).join(',')}]`;
      await oldClient.query(
        `insert into ${table.name} (${table.columns}) overriding system value
         select ${table.columns} from json_populate_recordset(null::${table.name}, $1)`,
        [rows],
      );
    }
    // The first migration has no table of booked points, so the test sets all points to 0.
    await oldClient.query('update customers set loyalty_points = 0');
    const rowsBefore = await Promise.all(tables.map(oldRowsOf));
    expect(rowsBefore.filter((rows) => rows.length > 0).length).toBeGreaterThan(12);

    expect(await migrate(oldDatabase.connection)).toHaveLength(MIGRATIONS.length - 1);
    expect(await migrate(oldDatabase.connection)).toEqual([]);

    const rowsAfter: string[][] = [];
    for (const table of tables) rowsAfter.push(await migratedRowsOf(oldClient, table));
    expect(rowsAfter).toEqual(rowsBefore);
    const { store } = api.container.get(TOKENS.Library).library;
    const findings = await check(oldDatabase.connection, store, api.clock.now());
    expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);
  }, 60_000);
});
