import { DataSource, type EntitySchema } from 'typeorm';
import { makeTestDatabase, type TestDatabase } from '../../testing/test-database.js';
import { migrationSourceFor } from '../connection/data-source.js';
import { MIGRATIONS } from '../migrations/index.js';
import { ENTITIES, TABLES } from './all-tables.js';

const EXCEPTIONS: Readonly<Record<string, string>> = {
  'public.migrations': 'TypeORM makes it and records migrations in it.',
  'public.typeorm_metadata': 'This test makes it.',
};
const QUEUE_SCHEMA = 'graphile_worker';

let testDatabase: TestDatabase;
let source: DataSource;

const openSource = (entities: EntitySchema[]): Promise<DataSource> => {
  const { options } = migrationSourceFor(testDatabase.connection, MIGRATIONS);
  return new DataSource({ ...options, entities, migrations: [] } as typeof options).initialize();
};

const findDifferences = async (): Promise<string[]> => {
  const { upQueries } = await source.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
};

// TypeORM reads the expressions of generated columns from this table.
const RECORD_GENERATED_COLUMNS = `
  create table typeorm_metadata as
  select 'GENERATED_COLUMN' as type, table_catalog::text as database, table_schema::text as schema, table_name::text as table,
    column_name::text as name, generation_expression::text as value
  from information_schema.columns where is_generated = 'ALWAYS'`;

beforeAll(async () => {
  testDatabase = await makeTestDatabase();
  source = await openSource(ENTITIES);
  await source.query(RECORD_GENERATED_COLUMNS);
});
afterAll(async () => {
  await source.destroy();
  await testDatabase.drop();
});

// Omits single-column unique constraints, which TypeORM names and compares itself.
const FIND_CONSTRAINTS = `
  select conrelid::regclass::text as table, conname as name, contype as type, pg_get_constraintdef(oid) as definition
  from pg_constraint where connamespace = 'public'::regnamespace and (contype in ('f', 'c') or contype = 'u' and cardinality(conkey) > 1)
    and conrelid <> 'migrations'::regclass
  order by contype = 'f' desc, conname`;
const FIND_INDEXES = `
  select c.relname as name, pg_get_indexdef(c.oid) as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint k where k.conindid = c.oid and k.contype in ('p', 'u'))
  order by name`;

interface SchemaObject {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const SQL_INDEXES = TABLES.flatMap(({ sqlIndexes }) => sqlIndexes);

const findConstraints = (): Promise<SchemaObject[]> => source.query(FIND_CONSTRAINTS);
const findIndexes = async (): Promise<SchemaObject[]> =>
  ((await source.query(FIND_INDEXES)) as SchemaObject[]).filter(({ name }) => !SQL_INDEXES.includes(name));

describe('the defined tables', () => {
  it('match the migrations', async () => {
    expect(await findDifferences()).toEqual([]);
  });

  it('include every table except the listed ones', async () => {
    const tables = (await source.query(`
      select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema', '${QUEUE_SCHEMA}')`)) as { name: string }[];
    const definedNames = source.entityMetadatas.map(({ schema, tableName }) => `${schema ?? 'public'}.${tableName}`);
    expect(tables.map(({ name }) => name).toSorted()).toEqual([...definedNames, ...Object.keys(EXCEPTIONS)].toSorted());
  });

  it('list every index that TypeORM cannot express', async () => {
    const indexNames = ((await source.query(FIND_INDEXES)) as SchemaObject[]).map(({ name }) => name);
    expect(SQL_INDEXES.filter((name) => !indexNames.includes(name))).toEqual([]);
  });
});

describe('the comparison of a database with the tables', () => {
  it.each([
    [
      'a column of another type',
      'comment',
      'alter table proforma_orders alter comment type varchar(80)',
      'alter table proforma_orders alter comment type text',
    ],
    [
      'a missing column',
      'description',
      'alter table products drop description',
      'alter table products add description text',
    ],
    ['a column too many', 'odd', 'alter table orders add odd text', 'alter table orders drop odd'],
    [
      'another nullability',
      'barcode',
      'alter table cards alter barcode drop not null',
      'alter table cards alter barcode set not null',
    ],
    [
      'another default',
      'spent',
      'alter table vouchers alter spent set default 1',
      'alter table vouchers alter spent set default 0',
    ],
    [
      'a missing check',
      'stocks_reserved_check',
      'alter table stocks drop constraint stocks_reserved_check',
      'alter table stocks add constraint stocks_reserved_check check (reserved >= 0)',
    ],
    [
      'a missing index',
      'cdn_usages_key_idx',
      'drop index cdn_usages_key_idx',
      'create index cdn_usages_key_idx on cdn_usages (app_id, key, id)',
    ],
    [
      'another expression of a generated column',
      'search_text',
      `update typeorm_metadata set value = value || '!' where "table" = 'customers'`,
      `update typeorm_metadata set value = rtrim(value, '!')`,
    ],
  ])('reports %s', async (_, expectedName, change, undo) => {
    await source.query(change);
    try {
      expect((await findDifferences()).join()).toContain(expectedName);
    } finally {
      await source.query(undo);
    }
    expect(await findDifferences()).toEqual([]);
  });
});

describe('keys, checks and indexes', () => {
  it('are generated from the tables exactly as the migrations create them', async () => {
    const before = { constraints: await findConstraints(), indexes: await findIndexes() };
    expect(before.constraints.length).toBeGreaterThan(200);
    for (const { table, name } of before.constraints)
      await source.query(`alter table ${table} drop constraint ${name}`);
    for (const { name } of before.indexes) await source.query(`drop index ${name}`);
    for (const statement of await findDifferences()) await source.query(statement);
    expect({ constraints: await findConstraints(), indexes: await findIndexes() }).toEqual(before);
  });
});
