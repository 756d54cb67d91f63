import pg from 'pg';
import { installCitusStandIn } from '../testing/citus-stand-in.js';
import { makeTestDatabase, type TestDatabase } from '../testing/test-database.js';

// The expected results are measurements of Citus 13.2.2, with one exception that `installCitusStandIn` documents.

let testDatabase: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  testDatabase = await makeTestDatabase({ isEmpty: true });
  await installCitusStandIn(testDatabase);
  client = new pg.Client(testDatabase.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await testDatabase.drop();
});

const TABLES = `
  create table apps (id bigint primary key);
  create table people (app_id bigint not null constraint people_app_fkey references apps (id),
    id bigint generated always as identity, name text, primary key (app_id, id));
  create table cards (app_id bigint not null, id bigint generated always as identity, person_id bigint,
    primary key (app_id, id),
    constraint cards_person_fkey foreign key (app_id, person_id) references people (app_id, id))`;
const DROP_FOREIGN_KEYS = `alter table people drop constraint people_app_fkey; alter table cards drop constraint cards_person_fkey`;
const CREATE_REFERENCE_TABLE = `select create_reference_table('apps')`;
const SEQUENTIAL = `set local citus.multi_shard_modify_mode = 'sequential'`;
const distribute = (table: string, colocateWith = 'none'): string =>
  `select create_distributed_table('${table}', 'app_id', colocate_with => '${colocateWith}')`;
const DISTRIBUTE_ALL = [
  SEQUENTIAL,
  DROP_FOREIGN_KEYS,
  CREATE_REFERENCE_TABLE,
  distribute('people'),
  distribute('cards', 'people'),
];
const addForeignKey = (table: string, key: string): string =>
  `alter table ${table} add constraint odd foreign key ${key}`;
const createGadget = (columns: string): string => `create table gadget (app_id bigint not null, ${columns})`;

async function resultOf(...statements: readonly string[]): Promise<string> {
  await client.query('begin');
  try {
    for (const statement of [TABLES, ...statements]) await client.query(statement);
    return 'done';
  } catch (error) {
    const { message, detail } = error as pg.DatabaseError;
    return `${message} ${detail}`;
  } finally {
    await client.query('rollback');
  }
}

describe('the cluster stand-in', () => {
  it.each([
    [
      'tables whose foreign keys are added afterwards',
      [
        ...DISTRIBUTE_ALL,
        addForeignKey('people', '(app_id) references apps (id)'),
        addForeignKey('cards', '(app_id, person_id) references people (app_id, id)'),
      ],
    ],
    [
      'a new column with a named check',
      [...DISTRIBUTE_ALL, 'alter table cards add column n int constraint c check (n > 0)'],
    ],
    [
      'parallel connections without foreign keys to reference tables',
      [
        DROP_FOREIGN_KEYS,
        distribute('people'),
        distribute('cards', 'people'),
        addForeignKey('cards', '(app_id, person_id) references people (app_id, id)'),
      ],
    ],
  ])('accepts %s', async (_, statements) => {
    expect(await resultOf(...statements)).toBe('done');
  });

  it.each([
    ['a table before the one it references', [distribute('cards')], 'referenced table "people" must be'],
    [
      'a table with an identity that referenced a reference table',
      [CREATE_REFERENCE_TABLE, distribute('people')],
      'a table with identity column',
    ],
    [
      'a table with a trigger',
      [
        DROP_FOREIGN_KEYS,
        `create trigger t before insert on people for each row execute function suppress_redundant_updates_trigger()`,
        distribute('people'),
      ],
      'because it has triggers',
    ],
    [
      'a unique key without app_id',
      [createGadget('code text unique'), distribute('gadget')],
      'cannot create constraint on "gadget"',
    ],
    [
      'a later unique index without app_id',
      [...DISTRIBUTE_ALL, 'create unique index on cards (person_id)'],
      'creating unique indexes on non-partition columns',
    ],
    [
      'a foreign key to a table that is not colocated',
      [
        DROP_FOREIGN_KEYS,
        distribute('people'),
        distribute('cards'),
        addForeignKey('cards', '(app_id, person_id) references people'),
      ],
      'relations are not colocated',
    ],
    [
      'a foreign key from a reference table to a distributed one',
      [
        ...DISTRIBUTE_ALL,
        'create table r (a bigint primary key, b bigint)',
        `select create_reference_table('r')`,
        addForeignKey('r', '(a, b) references people'),
      ],
      'are not supported',
    ],
    [
      'a foreign key to a reference table after parallel connections',
      [
        DROP_FOREIGN_KEYS,
        CREATE_REFERENCE_TABLE,
        distribute('people'),
        addForeignKey('people', '(app_id) references apps'),
      ],
      'there was a parallel operation',
    ],
    [
      'a new column with an unnamed check',
      [...DISTRIBUTE_ALL, 'alter table cards add column n int check (n > 0)'],
      'ADD COLUMN command with',
    ],
  ])('refuses %s', async (_, statements, message) => {
    expect(await resultOf(...statements)).toContain(message);
  });
});
