import pg from 'pg';
import { makeTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { MIGRATIONS } from './migrations/index.js';
import { migrate } from './migrate.js';

let database: TestDatabase;
let client: pg.Client;

beforeEach(async () => {
  database = await makeTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

const addMigration = (name: string) =>
  client.query('insert into migrations (timestamp, name) values (9999999999999, $1)', [name]);

describe('a database that a newer release has migrated', () => {
  beforeEach(async () => {
    await addMigration('DropPrice9999999999999');
    await addMigration('RenameStock9999999999999');
  });

  it('is refused with the names of the unknown migrations', async () => {
    await expect(migrate(database.connection)).rejects.toThrow(
      'A newer release has migrated the database: this release does not know ' +
        'DropPrice9999999999999, RenameStock9999999999999.',
    );
  });

  it('is accepted when all unknown migrations are marked as compatible', async () => {
    await client.query(`update migrations set compatible = true where name like 'Drop%'`);
    await expect(migrate(database.connection)).rejects.toThrow(/does not know RenameStock9999999999999\./);
    await client.query(`update migrations set compatible = true where name like 'Rename%'`);
    expect(await migrate(database.connection)).toEqual([]);
  });

  it('is accepted with `allowsNewer`', async () => {
    expect(await migrate(database.connection, { allowsNewer: true })).toEqual([]);
  });

  it('is refused when its table of migrations has no mark', async () => {
    await client.query('alter table migrations drop column compatible');
    await expect(migrate(database.connection)).rejects.toThrow(/does not know DropPrice9999999999999/);
  });
});

describe('a database of another program', () => {
  it('is not taken for one of a newer release', async () => {
    const empty = await makeTestDatabase({ isEmpty: true });
    const other = new pg.Client({ connectionString: empty.url });
    await other.connect();
    await other.query(`create table migrations (id serial, timestamp bigint, name text);
      insert into migrations (timestamp, name) values (1, 'Other1');
      create table products (id int)`);
    await other.end();
    await expect(migrate(empty.connection)).rejects.toThrow(
      /the database must be empty, or a database of this service/,
    );
    await empty.drop();
  });
});

describe('a migrated database', () => {
  it('marks the migrations that the release before still works with', async () => {
    const { rows } = await client.query<{ name: string }>('select name from migrations where compatible order by id');
    const compatible = MIGRATIONS.map((Migration) => new Migration()).filter(
      (migration) => 'isCompatible' in migration && migration.isCompatible === true,
    );
    expect(compatible.length).toBeGreaterThan(0);
    expect(rows.map(({ name }) => name)).toEqual(compatible.map(({ name }) => name));
  });
});
