import pg from 'pg';
import { check } from './checks/index.js';
import { distribute } from './database/distribution.js';
import { aDay } from './testing/a-day.js';
import { FOREIGN_KEYS, installCitusStandIn, PLACES, type Place } from './testing/citus-stand-in.js';
import { testApi, type TestApi } from './testing/test-api.js';
import { TOKENS } from './tokens.js';

const LOCAL_TABLES = `
  select schemaname || '.' || tablename as name from pg_tables
  where schemaname not in ('pg_catalog', 'information_schema', 'citus_stand_in')
    and to_regclass(schemaname || '.' || tablename) not in (select logicalrelid from citus_stand_in.pg_dist_partition)
  order by 1`;

describe('a database of a cluster, with a day of work in it', () => {
  let api: TestApi;
  let client: pg.Client;
  const rowsOf = async (sql: string): Promise<unknown[]> => (await client.query(sql)).rows as unknown[];

  beforeAll(async () => {
    api = await testApi();
    await aDay(api, await api.app());
    await installCitusStandIn(api);
    client = new pg.Client(api.url);
    await client.connect();
  }, 60_000);
  afterAll(async () => {
    await client.end();
    await api.close();
  });

  it('is spread by app, keeps what it holds and all its keys, and a second run changes nothing', async () => {
    const keys = await rowsOf(FOREIGN_KEYS);
    expect(keys.length).toBeGreaterThan(60);
    const counts = await rowsOf(
      'select (select count(*) from orders) as orders, (select count(*) from payments) as payments',
    );

    const { distributed, reference } = await distribute({ url: api.url });
    expect(reference).toEqual(['access_tokens', 'apps']);
    expect(distributed.length).toBeGreaterThan(30);

    const places = (await rowsOf(PLACES)) as Place[];
    const spread = places.filter(({ method }) => method === 'h');
    expect(spread.map(({ name }) => name).sort()).toEqual([...distributed].sort());
    expect(new Set(spread.map(({ column, place }) => `${column} ${place}`)).size).toBe(1);
    expect(spread[0]?.column).toBe('app_id');
    const local = ((await rowsOf(LOCAL_TABLES)) as { name: string }[]).map(({ name }) => name);
    expect(local.filter((name) => !/^(graphile_worker|job_queue)\./.test(name))).toEqual(['public.migrations']);
    expect(await rowsOf('select count(*)::int as tables from citus_stand_in.truncated')).toEqual([
      { tables: places.length },
    ]);

    expect(await rowsOf(FOREIGN_KEYS)).toEqual(keys);
    expect(
      await rowsOf('select (select count(*) from orders) as orders, (select count(*) from payments) as payments'),
    ).toEqual(counts);
    const { store } = api.container.get(TOKENS.Library).library;
    const findings = await check({ url: api.url }, store, new Date());
    expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);

    expect(await distribute({ url: api.url })).toEqual({ distributed: [], reference: [] });
    expect(await rowsOf(PLACES)).toEqual(places);
  }, 60_000);
});
