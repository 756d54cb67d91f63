import pg from 'pg';
import { check, distribute } from '@back-office/database-postgres';
import { fillApp } from './testing/a-day.js';
import {
  FOREIGN_KEYS,
  installCitusStandIn,
  type ClusterTable,
  CLUSTER_TABLES,
  makeTestDatabase,
} from '@back-office/database-postgres/testing';
import { runNode } from './testing/run-node.js';
import { testApi, type TestApi } from './testing/test-api.js';
import { TOKENS } from './tokens.js';

const LOCAL_TABLES = `
  select schemaname || '.' || tablename as name from pg_tables
  where schemaname not in ('pg_catalog', 'information_schema', 'citus_stand_in')
    and to_regclass(schemaname || '.' || tablename) not in (select logicalrelid from citus_stand_in.pg_dist_partition)
  order by 1`;

describe('a clustered database', () => {
  let api: TestApi;
  let client: pg.Client;
  const rowsOf = async (sql: string): Promise<unknown[]> => (await client.query(sql)).rows as unknown[];

  beforeAll(async () => {
    api = await testApi();
    await fillApp(api, await api.app());
    await installCitusStandIn(api);
    client = new pg.Client(api.url);
    await client.connect();
  }, 60_000);
  afterAll(async () => {
    await client.end();
    await api.close();
  });

  it('is distributed by app only once, and keeps all rows and keys', async () => {
    const keys = await rowsOf(FOREIGN_KEYS);
    expect(keys.length).toBeGreaterThan(60);
    const counts = await rowsOf(
      'select (select count(*) from orders) as orders, (select count(*) from payments) as payments',
    );

    const { distributed, reference } = await distribute({ url: api.url });
    expect(reference).toEqual(['apps']);
    expect(distributed.length).toBeGreaterThan(30);

    const tables = (await rowsOf(CLUSTER_TABLES)) as ClusterTable[];
    const distributedTables = tables.filter(({ method }) => method === 'h');
    expect(distributedTables.map(({ name }): string => name).sort()).toEqual([...distributed].sort());
    expect(new Set(distributedTables.map(({ column, colocation }) => `${column} ${colocation}`)).size).toBe(1);
    expect(distributedTables[0]?.column).toBe('app_id');
    const localTables = ((await rowsOf(LOCAL_TABLES)) as { name: string }[]).map(({ name }) => name);
    expect(localTables.filter((name) => !/^(graphile_worker|job_queue)\./.test(name))).toEqual(['public.migrations']);
    expect(await rowsOf('select count(*)::int as tables from citus_stand_in.truncated')).toEqual([
      { tables: tables.length },
    ]);

    expect(await rowsOf(FOREIGN_KEYS)).toEqual(keys);
    expect(
      await rowsOf('select (select count(*) from orders) as orders, (select count(*) from payments) as payments'),
    ).toEqual(counts);
    const { store } = api.container.get(TOKENS.Library).library;
    const findings = await check({ url: api.url }, store, api.clock.now());
    expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);

    expect(await distribute({ url: api.url })).toEqual({ distributed: [], reference: [] });
    expect(await rowsOf(CLUSTER_TABLES)).toEqual(tables);
  }, 60_000);
});

describe('`cli distribute`', () => {
  it('fails with one line without Citus, and on the embedded database', async () => {
    const database = await makeTestDatabase({ isEmpty: true });
    const resultWithoutCitus = await runNode('cli.js', ['distribute', '--json'], { DATABASE_URL: database.url });
    expect([resultWithoutCitus.code, resultWithoutCitus.stdout]).toEqual([1, '']);
    expect(resultWithoutCitus.stderr).toMatch(/^This database has no Citus: .+\n$/);
    await database.drop();
    const embedded = await runNode('cli.js', ['distribute'], {});
    expect([embedded.code, embedded.stdout]).toEqual([1, '']);
    expect(embedded.stderr).toMatch(/^The embedded database stands alone: .+\n$/);
  });

  it('reports the distributed tables, and in a second run that nothing has changed', async () => {
    const database = await makeTestDatabase();
    await installCitusStandIn(database);
    const run = (...options: string[]) => runNode('cli.js', ['distribute', ...options], { DATABASE_URL: database.url });
    const { code, stdout } = await run('--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { changed: true, reference: ['apps'] }]);
    expect(await run('--json')).toEqual({
      code: 0,
      stdout: '{"changed":false,"distributed":[],"reference":[]}\n',
      stderr: '',
    });
    expect((await run()).stdout).toBe('All tables are distributed already: nothing changed.\n');
    await database.drop();
  }, 120_000);
});
