import pg from 'pg';
import { FOREIGN_KEYS, installCitusStandIn, CLUSTER_TABLES, type ClusterTable } from '../testing/citus-stand-in.js';
import { makeTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { distribute } from './distribution.js';

async function openCluster(): Promise<{ testDatabase: TestDatabase; client: pg.Client }> {
  const testDatabase = await makeTestDatabase();
  await installCitusStandIn(testDatabase);
  const client = new pg.Client(testDatabase.url);
  await client.connect();
  return { testDatabase, client };
}

describe('distribute on a cluster with pending migrations', () => {
  it('migrates the database first', async () => {
    const testDatabase = await makeTestDatabase({ isEmpty: true });
    await installCitusStandIn(testDatabase);
    expect((await distribute(testDatabase.connection)).distributed).toContain('notification_devices');
    await testDatabase.drop();
  }, 120_000);
});

describe('distribute when it is interrupted', () => {
  it('changes nothing and can be repeated', async () => {
    const { testDatabase, client } = await openCluster();
    const keys = (await client.query(FOREIGN_KEYS)).rows;
    await client.query('begin');
    await client.query(`insert into pg_dist_partition values ('products', 'h', 'app_id', 0, 's')`);
    const interruptedRun = distribute(testDatabase.connection).catch((error: unknown) => error);
    const otherClient = new pg.Client(testDatabase.url);
    await otherClient.connect();
    const fromWaitingBackends = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like '%create_distributed_table%'`;
    for (let count = 0; count === 0;) count = (await otherClient.query(`select 1 ${fromWaitingBackends}`)).rows.length;
    await otherClient.query(`select pg_terminate_backend(pid) ${fromWaitingBackends}`);
    expect(await interruptedRun).toBeInstanceOf(Error);
    await client.query('rollback');
    expect((await client.query(CLUSTER_TABLES)).rows).toEqual([]);
    expect((await client.query(FOREIGN_KEYS)).rows).toEqual(keys);

    expect((await distribute(testDatabase.connection)).distributed).toContain('products');
    expect((await client.query(FOREIGN_KEYS)).rows).toEqual(keys);
    await Promise.all([client.end(), otherClient.end()]);
    await testDatabase.drop();
  });
});

describe('distribute on a database that cannot be distributed', () => {
  it('changes nothing without Citus, even with pending migrations', async () => {
    const testDatabase = await makeTestDatabase({ isEmpty: true });
    await expect(distribute(testDatabase.connection)).rejects.toThrow(/^This database has no Citus: .*[^\n]$/);
    const client = new pg.Client(testDatabase.url);
    await client.connect();
    const { rows } = await client.query(`select 1 from pg_tables where schemaname = 'public'`);
    expect(rows).toEqual([]);
    await client.end();
    await testDatabase.drop();
  });

  it('changes nothing on a worker of the cluster', async () => {
    const { testDatabase, client } = await openCluster();
    await client.query('update pg_dist_local_group set groupid = 2');
    await expect(distribute(testDatabase.connection)).rejects.toThrow(/^This is a worker of the cluster: .*[^\n]$/);
    expect((await client.query(CLUSTER_TABLES)).rows).toEqual([]);
    await client.end();
    await testDatabase.drop();
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
    const { testDatabase, client } = await openCluster();
    await client.query(statements);
    const before = [(await client.query(CLUSTER_TABLES)).rows, (await client.query(FOREIGN_KEYS)).rows];
    await expect(distribute(testDatabase.connection)).rejects.toThrow(message);
    expect([(await client.query(CLUSTER_TABLES)).rows, (await client.query(FOREIGN_KEYS)).rows]).toEqual(before);
    await client.end();
    await testDatabase.drop();
  });
});

describe('distribute with a new plain table', () => {
  it('distributes the table, colocated with the others', async () => {
    const { testDatabase, client } = await openCluster();
    await distribute(testDatabase.connection);
    await client.query('create table gifts (app_id bigint not null, code text, primary key (app_id, code))');
    expect(await distribute(testDatabase.connection)).toEqual({ distributed: ['gifts'], reference: [] });
    const tables = (await client.query<ClusterTable>(CLUSTER_TABLES)).rows.filter(({ name }) =>
      ['gifts', 'orders'].includes(name),
    );
    expect(new Set(tables.map(({ colocation }) => colocation)).size).toBe(1);
    await client.end();
    await testDatabase.drop();
  });
});
