import { JOBS, type JobTasks, type JobWorker } from '@back-office/media';
import { setTimeout as pause } from 'node:timers/promises';
import { type TestDatabase, makeTestDatabase } from '../../../testing/index.js';
import { dataSourceFor, openJobPool, type JobPool } from '../../connection/data-source.js';
import { Postgres } from '../../connection/postgres.js';
import { GraphileJobQueue } from './graphile-job-queue.js';
import { flagOfApp } from './job-turns.js';

let testDatabase: TestDatabase;
let pool: JobPool;
let donePayloads: unknown[];
let doneDailyJobs: string[];
let worker: JobWorker;
let endOfJob: Promise<void>;

const tasks: JobTasks = {
  count: async (payload) => {
    donePayloads.push(payload);
    await endOfJob;
  },
  [JOBS.sweep]: async () => doneDailyJobs.push(JOBS.sweep),
  [JOBS.hide]: async () => doneDailyJobs.push(JOBS.hide),
};
const makeWorker = (): JobWorker => new GraphileJobQueue(pool).worker(tasks, () => {});

beforeEach(async () => {
  testDatabase = await makeTestDatabase();
  pool = openJobPool(testDatabase.connection, 4);
  donePayloads = [];
  doneDailyJobs = [];
  endOfJob = Promise.resolve();
  worker = makeWorker();
});
afterEach(async () => {
  await worker.stop();
  await pool.end();
  await testDatabase.drop();
});

const addJob = (payload: object) =>
  pool.query(`select graphile_worker.add_job('count', $1::json)`, [JSON.stringify(payload)]);
const waitUntilDone = async (count: number, seconds: number): Promise<void> => {
  for (let attempts = seconds * 20; attempts > 0 && donePayloads.length < count; attempts -= 1) await pause(50);
};

describe('a worker of the job queue', () => {
  it('runs a job as soon as its transaction is committed', async () => {
    await worker.start();
    await addJob({ a: 1 });
    await waitUntilDone(1, 10);
    expect(donePayloads).toEqual([{ a: 1 }]);
  }, 120_000);

  it('continues after losing all connections', async () => {
    await worker.start();
    const source = await dataSourceFor(testDatabase.connection, 1).initialize();
    await new Postgres(source).rows(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await source.destroy();
    await pause(500);
    await addJob({ a: 2 });
    await waitUntilDone(1, 60);
    expect(donePayloads).toEqual([{ a: 2 }]);
  }, 90_000);

  it('takes over jobs of a dead worker', async () => {
    await addJob({ a: 3 });
    await pool.query(`
      update graphile_worker._private_jobs set locked_by = 'dead', locked_at = now() - interval '1 minute', attempts = 1`);
    await worker.start();
    await waitUntilDone(1, 10);
    expect(donePayloads).toEqual([{ a: 3 }]);
  }, 120_000);

  it('leaves long jobs to a living worker', async () => {
    const secondWorker = makeWorker();
    let endJob = (): void => {};
    endOfJob = new Promise((resolve) => (endJob = resolve));
    await worker.start();
    await addJob({ a: 4 });
    await waitUntilDone(1, 10);
    await pool.query(`update graphile_worker._private_jobs set locked_at = now() - interval '1 minute'`);
    await secondWorker.start();
    await pause(6_000);
    const { rows } = await pool.query(
      'select attempts, locked_by is not null as locked from graphile_worker._private_jobs',
    );
    expect([donePayloads, rows]).toEqual([[{ a: 4 }], [{ attempts: 1, locked: true }]]);
    endJob();
    await secondWorker.stop();
  }, 120_000);
});

describe('jobs of several apps', () => {
  const addJobs = (appId: number, count: number) =>
    pool.query(
      `select graphile_worker.add_job('count', json_build_object('app', $1::int), flags => array[$2::text])
       from generate_series(1, $3::int)`,
      [appId, flagOfApp(appId), count],
    );
  const appsOf = (payloads: readonly unknown[]) => payloads.map((payload) => (payload as { app: number }).app);

  it('leave half of the worker’s slots to other apps', async () => {
    let endJobs = (): void => {};
    endOfJob = new Promise((resolve) => (endJobs = resolve));
    await addJobs(1, 20);
    await worker.start();
    await waitUntilDone(3, 1);
    expect(appsOf(donePayloads)).toEqual([1, 1]);
    await addJobs(2, 1);
    await waitUntilDone(3, 10);
    expect(appsOf(donePayloads)).toEqual([1, 1, 2]);
    endJobs();
    await waitUntilDone(21, 20);
    expect(appsOf(donePayloads).filter((app) => app === 1)).toHaveLength(20);
  }, 60_000);

  it('fail after their timeout, and free their slot', async () => {
    endOfJob = new Promise(() => {});
    const limitedWorker = new GraphileJobQueue(pool, 100).worker(tasks, () => {});
    await addJobs(1, 4);
    await limitedWorker.start();
    await waitUntilDone(4, 10);
    await limitedWorker.stop();
    expect(donePayloads.length).toBeGreaterThanOrEqual(4);
    const { rows } = await pool.query(
      `select distinct last_error as error from graphile_worker._private_jobs where last_error is not null`,
    );
    expect(rows).toEqual([{ error: 'The job took too long' }]);
  }, 60_000);
});

describe('daily jobs', () => {
  const workers: JobWorker[] = [];
  afterEach(async () => {
    for (const runningWorker of workers.splice(0)) await runningWorker.stop();
  });

  const runWorkers = async (count: number): Promise<string[]> => {
    const newWorkers = Array.from({ length: count }, makeWorker);
    workers.push(...newWorkers);
    await Promise.all(newWorkers.map((newWorker) => newWorker.start()));
    for (let attempts = 40; attempts > 0 && doneDailyJobs.length < 2; attempts -= 1) await pause(50);
    await pause(500);
    for (const runningWorker of workers.splice(0)) await runningWorker.stop();
    return doneDailyJobs.splice(0).toSorted((a, b) => (a < b ? -1 : 1));
  };
  const letTimePass = (interval: string) =>
    pool.query(
      `update graphile_worker._private_known_crontabs
       set known_since = known_since - $1::interval, last_execution = last_execution - $1::interval`,
      [interval],
    );

  it('do not run on first start', async () => {
    expect(await runWorkers(1)).toEqual([]);
  }, 30_000);

  it('run once after missed times, even when several workers start', async () => {
    await runWorkers(1);
    await letTimePass('1 day');
    expect(await runWorkers(3)).toEqual([JOBS.hide, JOBS.sweep]);
    expect(await runWorkers(2)).toEqual([]);
    await letTimePass('9 days');
    expect(await runWorkers(3)).toEqual([JOBS.hide, JOBS.sweep]);
  }, 60_000);
});
