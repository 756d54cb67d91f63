import pg from 'pg';
import { installCitusStandIn } from '../testing/citus-stand-in.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';

// What the stand-in refuses, and lets pass, is what Citus 13.2.2 did with the same statements. The exception is said there.

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
const FREE = `alter table people drop constraint people_app_fkey; alter table cards drop constraint cards_person_fkey`;
const REFERENCE = `select create_reference_table('apps')`;
const SEQUENTIAL = `set local citus.multi_shard_modify_mode = 'sequential'`;
const spread = (table: string, beside = 'none'): string =>
  `select create_distributed_table('${table}', 'app_id', colocate_with => '${beside}')`;
const ALL = [SEQUENTIAL, FREE, REFERENCE, spread('people'), spread('cards', 'people')];
const link = (table: string, key: string): string => `alter table ${table} add constraint odd foreign key ${key}`;
const thing = (columns: string): string => `create table thing (app_id bigint not null, ${columns})`;

/** What a transaction comes to that is taken back: nothing, or what it was refused with. */
async function outcomeOf(...statements: readonly string[]): Promise<string> {
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

describe('the stand-in of a cluster lets pass', () => {
  it.each([
    [
      'tables without foreign keys, which are added afterwards',
      [
        ...ALL,
        link('people', '(app_id) references apps (id)'),
        link('cards', '(app_id, person_id) references people (app_id, id)'),
      ],
    ],
    [
      'a cascading removal',
      [...ALL, link('cards', '(app_id, person_id) references people (app_id, id) on delete cascade')],
    ],
    [
      'a new column, with a check that has a name',
      [...ALL, 'alter table cards add column n int constraint c check (n > 0)'],
    ],
    ['a unique key with app_id in it', [...ALL, 'create unique index on cards (app_id, lower(id::text))']],
    [
      'several connections to a node without a foreign key to a reference table',
      [
        FREE,
        spread('people'),
        spread('cards', 'people'),
        link('cards', '(app_id, person_id) references people (app_id, id)'),
      ],
    ],
  ])('%s', async (_, statements) => {
    expect(await outcomeOf(...statements)).toBe('done');
  });
});

describe('the stand-in of a cluster refuses', () => {
  it.each([
    ['a table before the one that it points at', [spread('cards')], 'referenced table "people" must be'],
    ['a table before the reference table that it points at', [spread('people')], 'referenced table "apps" must be'],
    [
      'one with an id of its own that pointed at a reference table before',
      [REFERENCE, spread('people')],
      'a table with identity column',
    ],
    ['one that is spread already', [...ALL, spread('cards')], 'table "cards" is already distributed'],
    ['one without the column', [spread('apps')], 'column "app_id" of relation "apps" does not exist'],
    ['one beside a table that is not spread', [FREE, spread('cards', 'people')], 'relation people is not distributed'],
    [
      'one with a trigger',
      [
        FREE,
        `create trigger t before insert on people for each row execute function suppress_redundant_updates_trigger()`,
        spread('people'),
      ],
      'because it has triggers',
    ],
    [
      'a unique key without app_id',
      [thing('code text unique'), spread('thing')],
      'cannot create constraint on "thing"',
    ],
    [
      'a unique index without app_id, later',
      [...ALL, 'create unique index on cards (person_id)'],
      'creating unique indexes on non-partition columns',
    ],
    [
      'a foreign key to a table elsewhere',
      [FREE, spread('people'), spread('cards'), link('cards', '(app_id, person_id) references people')],
      'relations are not colocated',
    ],
    [
      'a foreign key that does not pair app_id with app_id',
      [...ALL, link('cards', '(person_id, app_id) references people (app_id, id)')],
      'partition column in the same ordinal',
    ],
    [
      'a foreign key that would empty app_id',
      [...ALL, link('cards', '(app_id, person_id) references people on delete set null')],
      'SET NULL',
    ],
    [
      'a foreign key from a reference table to one that is spread',
      [
        ...ALL,
        'create table r (a bigint primary key, b bigint)',
        `select create_reference_table('r')`,
        link('r', '(a, b) references people'),
      ],
      'are not supported',
    ],
    [
      'a foreign key from a local table to one that is spread',
      [...ALL, thing('id bigint'), link('thing', '(app_id, id) references people')],
      'are not supported',
    ],
    [
      'a foreign key to a reference table after several connections',
      [FREE, REFERENCE, spread('people'), link('people', '(app_id) references apps')],
      'there was a parallel operation',
    ],
    [
      'a table that points at a reference table after several connections',
      [
        FREE,
        REFERENCE,
        spread('cards'),
        thing('n int'),
        spread('thing'),
        'alter table thing add column m int',
        link('thing', '(app_id) references apps'),
      ],
      'there was a parallel operation',
    ],
    [
      'a key together with another change',
      [...ALL, 'alter table cards add column n int, add constraint c check (n in (1, 2))'],
      'ADD CONSTRAINT command with other subcommands',
    ],
    [
      'a new column with a check that has no name',
      [...ALL, 'alter table cards add column n int check (n > 0)'],
      'ADD COLUMN command with',
    ],
    [
      'to forget the rows of a table that is not spread',
      [`select truncate_local_data_after_distributing_table('people')`],
      'not a distributed relation',
    ],
    [
      'to forget the rows of a table that a local one points at',
      [
        'alter table people drop constraint people_app_fkey',
        spread('people'),
        `select truncate_local_data_after_distributing_table('people')`,
      ],
      'referenced in a foreign key constraint by a local table',
    ],
  ])('%s', async (_, statements, message) => {
    expect(await outcomeOf(...statements)).toContain(message);
  });
});
