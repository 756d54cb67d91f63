import pg from 'pg';
import { FOREIGN_KEYS, installCitusStandIn, CLUSTER_TABLES, type ClusterTable } from '../testing/citus-stand-in.js';
import { makeTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { distribute } from './distribution.js';

async function cluster(): Promise<{ own: TestDatabase; client: pg.Client }> {
  const testing = await makeTestDatabase();
  await installCitusStandIn(testing);
  const client = new pg.Client(testing.url);
  await client.connect();
  return { own: testing, client };
}

describe('distribute on a cluster with pending migrations', () => {
  it('migrates the database first', async () => {
    const own = await makeTestDatabase({ empty: true });
    await installCitusStandIn(own);
    expect((await distribute(own.connection)).distributed).toContain('notification_devices');
    await own.drop();
  }, 120_000);
});

describe('distribute when it is interrupted', () => {
  it('changes nothing and can be repeated', async () => {
    const { own, client } = await cluster();
    const keys = (await client.query(FOREIGN_KEYS)).rows;
    // Distributing the table of products waits for this transaction.
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
    expect((await client.query(CLUSTER_TABLES)).rows).toEqual([]);
    expect((await client.query(FOREIGN_KEYS)).rows).toEqual(keys);

    expect((await distribute(own.connection)).distributed).toContain('products');
    expect((await client.query(FOREIGN_KEYS)).rows).toEqual(keys);
    await Promise.all([client.end(), other.end()]);
    await own.drop();
  });
});

describe('distribute on a database that cannot be distributed', () => {
  it('changes nothing without Citus, even with pending migrations', async () => {
    const own = await makeTestDatabase({ empty: true });
    await expect(distribute(own.connection)).rejects.toThrow(/^This database has no Citus: .*[^\n]$/);
    const client = new pg.Client(own.url);
    await client.connect();
    const { rows } = await client.query(`select 1 from pg_tables where schemaname = 'public'`);
    expect(rows).toEqual([]);
    await client.end();
    await own.drop();
  });

  it('changes nothing on a worker of the cluster', async () => {
    const { own, client } = await cluster();
    await client.query('update pg_dist_local_group set groupid = 2');
    await expect(distribute(own.connection)).rejects.toThrow(/^This is a worker of the cluster: .*[^\n]$/);
    expect((await client.query(CLUSTER_TABLES)).rows).toEqual([]);
    await client.end();
    await own.drop();
  });

  it.each([
    [
      'with a table that breaks a rule',
      'create table odd (app_id bigint not null, code text primary key)',
      'odd, odd_pkey: A unique key begins with app_id. Nothing',
    ],
    [
      'with several such tables',
      'create table odd (id int); create table odder (id int)',
      'odd, odd: A table without app_id is listed with its reason (and 1 more)',
    ],
    [
      'with a table distributed by another column',
      `alter table cdn_usages drop constraint cdn_usages_pkey, drop constraint cdn_usages_app_id_fkey; select create_distributed_table('cdn_usages', 'key')`,
      'The table cdn_usages is distributed in another way',
    ],
    [
      'with an app’s table as reference table',
      `alter table cdn_usages drop constraint cdn_usages_app_id_fkey; select create_reference_table('cdn_usages')`,
      'The table cdn_usages is distributed in another way',
    ],
  ])('changes nothing %s', async (_, statements, message) => {
    const { own, client } = await cluster();
    await client.query(statements);
    const before = [(await client.query(CLUSTER_TABLES)).rows, (await client.query(FOREIGN_KEYS)).rows];
    await expect(distribute(own.connection)).rejects.toThrow(message);
    expect([(await client.query(CLUSTER_TABLES)).rows, (await client.query(FOREIGN_KEYS)).rows]).toEqual(before);
    await client.end();
    await own.drop();
  });
});

describe('distribute with a new plain table', () => {
  it('distributes the table beside the others', async () => {
    const { own, client } = await cluster();
    await distribute(own.connection);
    await client.query('create table gifts (app_id bigint not null, code text, primary key (app_id, code))');
    expect(await distribute(own.connection)).toEqual({ distributed: ['gifts'], reference: [] });
    const tables = (await client.query<ClusterTable>(CLUSTER_TABLES)).rows.filter(({ name }) =>
      ['gifts', 'orders'].includes(name),
    );
    expect(new Set(tables.map(({ colocation }) => colocation)).size).toBe(1);
    await client.end();
    await own.drop();
  });
});
