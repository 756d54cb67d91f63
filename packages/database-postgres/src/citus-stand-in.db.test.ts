import pg from 'pg';
import { installCitusStandIn } from '../testing/citus-stand-in.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';

// The expected results are those of Citus 13.2.2, except for one that the stand-in's comment names.

let own: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  own = await testDatabase({ empty: true });
  await installCitusStandIn(own);
  client = new pg.Client(own.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await own.drop();
});

const TABLES = `
  create table apps (id bigint primary key);
  create table people (app_id bigint not null constraint people_app_fkey references apps (id),
    id bigint generated always as identity, name text, primary key (app_id, id));
  create table cards (app_id bigint not null, id bigint generated always as identity, person_id bigint,
    primary key (app_id, id),
    constraint cards_person_fkey foreign key (app_id, person_id) references people (app_id, id))`;
const DROP_FOREIGN_KEYS = `alter table people drop constraint people_app_fkey; alter table cards drop constraint cards_person_fkey`;
const REFERENCE = `select create_reference_table('apps')`;
const SEQUENTIAL = `set local citus.multi_shard_modify_mode = 'sequential'`;
const distributed = (table: string, colocateWith = 'none'): string =>
  `select create_distributed_table('${table}', 'app_id', colocate_with => '${colocateWith}')`;
const ALL = [SEQUENTIAL, DROP_FOREIGN_KEYS, REFERENCE, distributed('people'), distributed('cards', 'people')];
const foreignKey = (table: string, key: string): string => `alter table ${table} add constraint odd foreign key ${key}`;
const gadgetTable = (columns: string): string => `create table gadget (app_id bigint not null, ${columns})`;

/** Runs statements in a transaction that is rolled back; returns `done` or the error. */
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

describe('the stand-in of a cluster accepts', () => {
  it.each([
    [
      'tables whose foreign keys are added afterwards',
      [
        ...ALL,
        foreignKey('people', '(app_id) references apps (id)'),
        foreignKey('cards', '(app_id, person_id) references people (app_id, id)'),
      ],
    ],
    [
      'a cascading delete',
      [...ALL, foreignKey('cards', '(app_id, person_id) references people (app_id, id) on delete cascade')],
    ],
    ['a new column with a named check', [...ALL, 'alter table cards add column n int constraint c check (n > 0)']],
    ['a unique key with app_id in it', [...ALL, 'create unique index on cards (app_id, lower(id::text))']],
    [
      'parallel connections without foreign keys to reference tables',
      [
        DROP_FOREIGN_KEYS,
        distributed('people'),
        distributed('cards', 'people'),
        foreignKey('cards', '(app_id, person_id) references people (app_id, id)'),
      ],
    ],
  ])('%s', async (_, statements) => {
    expect(await resultOf(...statements)).toBe('done');
  });
});

describe('the stand-in of a cluster refuses', () => {
  it.each([
    ['a table before the one it references', [distributed('cards')], 'referenced table "people" must be'],
    ['a table before its reference table', [distributed('people')], 'referenced table "apps" must be'],
    [
      'a table with an identity that referenced a reference table',
      [REFERENCE, distributed('people')],
      'a table with identity column',
    ],
    ['a distributed table', [...ALL, distributed('cards')], 'table "cards" is already distributed'],
    ['a table without the column', [distributed('apps')], 'column "app_id" of relation "apps" does not exist'],
    [
      'colocation with a plain table',
      [DROP_FOREIGN_KEYS, distributed('cards', 'people')],
      'relation people is not distributed',
    ],
    [
      'a table with a trigger',
      [
        DROP_FOREIGN_KEYS,
        `create trigger t before insert on people for each row execute function suppress_redundant_updates_trigger()`,
        distributed('people'),
      ],
      'because it has triggers',
    ],
    [
      'a unique key without app_id',
      [gadgetTable('code text unique'), distributed('gadget')],
      'cannot create constraint on "gadget"',
    ],
    [
      'a later unique index without app_id',
      [...ALL, 'create unique index on cards (person_id)'],
      'creating unique indexes on non-partition columns',
    ],
    [
      'a foreign key to a table that is not colocated',
      [
        DROP_FOREIGN_KEYS,
        distributed('people'),
        distributed('cards'),
        foreignKey('cards', '(app_id, person_id) references people'),
      ],
      'relations are not colocated',
    ],
    [
      'a foreign key that does not pair app_id with app_id',
      [...ALL, foreignKey('cards', '(person_id, app_id) references people (app_id, id)')],
      'partition column in the same ordinal',
    ],
    [
      'a foreign key that sets app_id to null',
      [...ALL, foreignKey('cards', '(app_id, person_id) references people on delete set null')],
      'SET NULL',
    ],
    [
      'a foreign key from a reference table to a distributed one',
      [
        ...ALL,
        'create table r (a bigint primary key, b bigint)',
        `select create_reference_table('r')`,
        foreignKey('r', '(a, b) references people'),
      ],
      'are not supported',
    ],
    [
      'a foreign key from a local table to a distributed one',
      [...ALL, gadgetTable('id bigint'), foreignKey('gadget', '(app_id, id) references people')],
      'are not supported',
    ],
    [
      'a foreign key to a reference table after parallel connections',
      [DROP_FOREIGN_KEYS, REFERENCE, distributed('people'), foreignKey('people', '(app_id) references apps')],
      'there was a parallel operation',
    ],
    [
      'a reference to a reference table after parallel connections',
      [
        DROP_FOREIGN_KEYS,
        REFERENCE,
        distributed('cards'),
        gadgetTable('n int'),
        distributed('gadget'),
        'alter table gadget add column m int',
        foreignKey('gadget', '(app_id) references apps'),
      ],
      'there was a parallel operation',
    ],
    [
      'a key together with another change',
      [...ALL, 'alter table cards add column n int, add constraint c check (n in (1, 2))'],
      'ADD CONSTRAINT command with other subcommands',
    ],
    [
      'a new column with an unnamed check',
      [...ALL, 'alter table cards add column n int check (n > 0)'],
      'ADD COLUMN command with',
    ],
    [
      'truncating a table that is not distributed',
      [`select truncate_local_data_after_distributing_table('people')`],
      'not a distributed relation',
    ],
    [
      'truncating a table that a local one references',
      [
        'alter table people drop constraint people_app_fkey',
        distributed('people'),
        `select truncate_local_data_after_distributing_table('people')`,
      ],
      'referenced in a foreign key constraint by a local table',
    ],
  ])('%s', async (_, statements, message) => {
    expect(await resultOf(...statements)).toContain(message);
  });
});
