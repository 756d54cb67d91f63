import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { inSnapshot } from './snapshot.js';
import { type TestDatabase, makeTestDatabase } from '../../testing/index.js';
import { breachesSql, INVARIANTS } from './invariants.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await makeTestDatabase();
});
afterAll(() => database.drop());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

const tablesOf = (plan: Plan): string[] => [plan['Relation Name'] ?? [], ...(plan.Plans ?? []).map(tablesOf)].flat();
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

const nestedLoopTables = (plan: Plan): string[][] =>
  nodesOf(plan)
    .filter((node) => node['Node Type'] === 'Nested Loop')
    .map(({ Plans = [] }) => Plans.map(tablesOf))
    .filter((sides) => sides.every((tables) => tables.length > 0))
    .map((sides) => sides.flat());

describe('an invariant check of a large database', () => {
  it.each(INVARIANTS.map((invariant) => [invariant.name, invariant] as const))(
    'is planned without nested loops: %s',
    async (_, invariant) => {
      const text = `explain (format json) ${breachesSql(invariant.sql, 5)}`;
      const values = invariant.isTimed ? [new Date()] : [];
      const [row] = await inSnapshot({ url: database.url }, (read) =>
        read<{ 'QUERY PLAN': { Plan: Plan }[] }>(text, values),
      );
      const plan = row?.['QUERY PLAN'][0]?.Plan as Plan;
      expect(tablesOf(plan)).not.toEqual([]);
      expect(nestedLoopTables(plan)).toEqual([]);
    },
  );

  it('ends on the server when its process dies', async () => {
    const snapshot = new URL('../../dist/index.js', import.meta.url).href;
    const code = `const { inSnapshot } = await import('${snapshot}');
      await inSnapshot({ url: process.env.URL }, (read) => read('select pg_sleep(60)'));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      env: { PATH: process.env['PATH'], URL: database.url },
      stdio: 'inherit',
    });
    const client = new pg.Client(database.url);
    await client.connect();
    const countSleepers = async (): Promise<number> => {
      const text = `select from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(60)'`;
      return (await client.query(text)).rows.length;
    };
    while ((await countSleepers()) === 0) await pause(50);
    child.kill('SIGKILL');
    const killedAt = Date.now();
    while ((await countSleepers()) > 0 && Date.now() - killedAt < 10_000) await pause(100);
    expect(await countSleepers()).toBe(0);
    await client.end();
  });
});
