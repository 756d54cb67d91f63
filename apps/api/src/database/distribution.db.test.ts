import pg from 'pg';
import { FOREIGN_KEYS, installCitusStandIn, PLACES, type Place } from '../testing/citus-stand-in.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { distribute } from './distribution.js';

/** A cluster with nothing distributed on it yet. */
async function cluster(): Promise<{ own: TestDatabase; client: pg.Client }> {
  const own = await testDatabase();
  await installCitusStandIn(own);
  const client = new pg.Client(own.url);
  await client.connect();
  return { own, client };
}

describe('a database of a cluster that is not up to date', () => {
  it('is brought up to date first', async () => {
    const own = await testDatabase({ empty: true });
    await installCitusStandIn(own);
    expect((await distribute(own.connection)).distributed).toContain('notification_devices');
    await own.drop();
  }, 120_000);
});

describe('a run that is cut off in the middle', () => {
  it('has changed nothing, and can be repeated', async () => {
    const { own, client } = await cluster();
    const keys = (await client.query(FOREIGN_KEYS)).rows;
    // Whoever spreads the products waits for this one to make up its mind.
    await client.query('begin');
    await client.query(`insert into pg_dist_partition values ('products', 'h', 'app_id', 0, 's')`);
    const cut = distribute(own.connection).catch((error: unknown) => error);
    const other = new pg.Client(own.url);
    await other.connect();
    const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like '%create_distributed_table%'`;
    for (let found = 0; found === 0;) found = (await other.query(`select 1 ${waiting}`)).rows.length;
    await other.query(`select pg_terminate_backend(pid) ${waiting}`);
    expect(await cut).toBeInstanceOf(Error);
    await client.query('rollback');
    expect((await client.query(PLACES)).rows).toEqual([]);
    expect((await client.query(FOREIGN_KEYS)).rows).toEqual(keys);

    expect((await distribute(own.connection)).distributed).toContain('products');
    expect((await client.query(FOREIGN_KEYS)).rows).toEqual(keys);
    await Promise.all([client.end(), other.end()]);
    await own.drop();
  });
});

describe('a database that cannot be distributed', () => {
  it('without Citus is left as it is, even when it is not up to date', async () => {
    const own = await testDatabase({ empty: true });
    await expect(distribute(own.connection)).rejects.toThrow(/^This database has no Citus: .*[^\n]$/);
    const client = new pg.Client(own.url);
    await client.connect();
    const { rows } = await client.query(`select 1 from pg_tables where schemaname = 'public'`);
    expect(rows).toEqual([]);
    await client.end();
    await own.drop();
  });

  it('at a worker of the cluster is left as it is', async () => {
    const { own, client } = await cluster();
    await client.query('update pg_dist_local_group set groupid = 2');
    await expect(distribute(own.connection)).rejects.toThrow(/^This is a worker of the cluster: .*[^\n]$/);
    expect((await client.query(PLACES)).rows).toEqual([]);
    await client.end();
    await own.drop();
  });

  it.each([
    [
      'whose tables break a rule',
      'create table odd (app_id bigint not null, code text primary key)',
      'odd, odd_pkey: What is unique begins with app_id. Nothing',
    ],
    [
      'with more than one such table',
      'create table odd (id int); create table odder (id int)',
      'odd, odd: A table without app_id is named, with its reason (and 1 more)',
    ],
    [
      'where a table is spread by something else',
      `alter table cdn_usages drop constraint cdn_usages_pkey, drop constraint cdn_usages_app_id_fkey; select create_distributed_table('cdn_usages', 'key')`,
      'The table cdn_usages is distributed in another way',
    ],
    [
      'where a table of an app is kept whole on every node',
      `alter table cdn_usages drop constraint cdn_usages_app_id_fkey; select create_reference_table('cdn_usages')`,
      'The table cdn_usages is distributed in another way',
    ],
  ])('%s is left as it is', async (_, statements, message) => {
    const { own, client } = await cluster();
    await client.query(statements);
    const before = [(await client.query(PLACES)).rows, (await client.query(FOREIGN_KEYS)).rows];
    await expect(distribute(own.connection)).rejects.toThrow(message);
    expect([(await client.query(PLACES)).rows, (await client.query(FOREIGN_KEYS)).rows]).toEqual(before);
    await client.end();
    await own.drop();
  });
});

describe('a table that came plain to a database that is spread', () => {
  it('is taken along by the next run, and it alone', async () => {
    const { own, client } = await cluster();
    await distribute(own.connection);
    await client.query('create table gifts (app_id bigint not null, code text, primary key (app_id, code))');
    expect(await distribute(own.connection)).toEqual({ distributed: ['gifts'], reference: [] });
    const places = (await client.query<Place>(PLACES)).rows.filter(({ name }) => ['gifts', 'orders'].includes(name));
    expect(new Set(places.map(({ place }) => place)).size).toBe(1);
    await client.end();
    await own.drop();
  });
});
