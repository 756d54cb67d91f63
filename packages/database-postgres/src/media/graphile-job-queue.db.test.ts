import { JOBS, type JobTasks, type JobWorker } from '@back-office/media';
import { setTimeout as pause } from 'node:timers/promises';
import { type TestDatabase, testDatabase } from '../../testing/index.js';
import { dataSourceFor, openJobPool, type JobPool } from '../data-source.js';
import { Postgres } from '../postgres.js';
import { GraphileJobQueue } from './graphile-job-queue.js';

let own: TestDatabase;
let pool: JobPool;
let done: unknown[];
/** Daily jobs done. */
let daily: string[];
let worker: JobWorker;
/** A started job waits for this. */
let held: Promise<void>;

const tasks: JobTasks = {
  count: async (payload) => {
    done.push(payload);
    await held;
  },
  [JOBS.sweep]: async () => daily.push(JOBS.sweep),
  [JOBS.hide]: async () => daily.push(JOBS.hide),
};
const aWorker = (): JobWorker => new GraphileJobQueue(pool).worker(tasks, () => {});

beforeEach(async () => {
  own = await testDatabase();
  pool = openJobPool(own.connection, 4);
  done = [];
  daily = [];
  held = Promise.resolve();
  worker = aWorker();
});
afterEach(async () => {
  await worker.stop();
  await pool.end();
  await own.drop();
});

const add = (payload: object) =>
  pool.query(`select graphile_worker.add_job('count', $1::json)`, [JSON.stringify(payload)]);
const untilDone = async (count: number, seconds: number): Promise<void> => {
  for (let left = seconds * 20; left > 0 && done.length < count; left -= 1) await pause(50);
};

describe('a worker', () => {
  it('does a job as soon as its transaction is committed', async () => {
    await worker.start();
    await add({ a: 1 });
    await untilDone(1, 10);
    expect(done).toEqual([{ a: 1 }]);
  }, 120_000);

  it('continues after losing all connections', async () => {
    await worker.start();
    const source = await dataSourceFor(own.connection, 1).initialize();
    await new Postgres(source).rows(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await source.destroy();
    await pause(500);
    await add({ a: 2 });
    await untilDone(1, 20);
    expect(done).toEqual([{ a: 2 }]);
  }, 40_000);

  it('takes over jobs of a dead worker', async () => {
    await add({ a: 3 });
    await pool.query(`
      update graphile_worker._private_jobs set locked_by = 'dead', locked_at = now() - interval '1 minute', attempts = 1`);
    await worker.start();
    await untilDone(1, 10);
    expect(done).toEqual([{ a: 3 }]);
  }, 120_000);

  it('leaves long jobs of a living worker', async () => {
    const other = aWorker();
    let release = (): void => {};
    held = new Promise((resolve) => (release = resolve));
    await worker.start();
    await add({ a: 4 });
    await untilDone(1, 10);
    await pool.query(`update graphile_worker._private_jobs set locked_at = now() - interval '1 minute'`);
    await other.start();
    // Longer than a heartbeat of both workers.
    await pause(6_000);
    const { rows } = await pool.query(
      'select attempts, locked_by is not null as locked from graphile_worker._private_jobs',
    );
    expect([done, rows]).toEqual([[{ a: 4 }], [{ attempts: 1, locked: true }]]);
    release();
    await other.stop();
  }, 120_000);
});

describe('daily jobs', () => {
  const workers: JobWorker[] = [];
  afterEach(async () => {
    for (const each of workers.splice(0)) await each.stop();
  });

  /** Starts workers at once, and stops them when their jobs are done. */
  const run = async (count: number): Promise<string[]> => {
    const begun = Array.from({ length: count }, aWorker);
    workers.push(...begun);
    await Promise.all(begun.map((each) => each.start()));
    for (let left = 40; left > 0 && daily.length < 2; left -= 1) await pause(50);
    await pause(500);
    for (const each of workers.splice(0)) await each.stop();
    return daily.splice(0).toSorted((one, other) => (one < other ? -1 : 1));
  };
  const passed = (interval: string) =>
    pool.query(
      `update graphile_worker._private_known_crontabs
       set known_since = known_since - $1::interval, last_execution = last_execution - $1::interval`,
      [interval],
    );

  it('are not made up on first start', async () => {
    expect(await run(1)).toEqual([]);
  }, 30_000);

  it('missed while stopped are made up once, by one worker', async () => {
    await run(1);
    await passed('1 day');
    expect(await run(3)).toEqual([JOBS.hide, JOBS.sweep]);
    expect(await run(2)).toEqual([]);
    await passed('9 days');
    expect(await run(3)).toEqual([JOBS.hide, JOBS.sweep]);
  }, 60_000);
});
