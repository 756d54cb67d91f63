import { JOBS, type JobTasks, type MediaApp } from '@back-office/media';
import { State } from '../state.js';
import { JobList } from './job-list.js';
import { MemoryJobQueue } from './memory-job-queue.js';

const HOUR_MS = 3_600_000;

const openQueue = () => {
  let time = Date.parse('2026-11-21T10:00:00Z');
  const clock = { now: () => new Date(time) };
  const state = new State();
  const finishedJobs: string[] = [];
  const task = (name: string) => [name, async () => finishedJobs.push(name)] as const;
  const tasks: JobTasks = Object.fromEntries([JOBS.sweep, JOBS.hide].map(task));
  const queue = new MemoryJobQueue(state, clock);
  const forward = (hours: number): void => {
    time += hours * HOUR_MS;
  };
  return { state, clock, queue, tasks, finishedJobs, forward, jobs: new JobList(state, clock) };
};

describe('daily jobs in memory', () => {
  const runWorkers = async (
    { queue, tasks, finishedJobs }: ReturnType<typeof openQueue>,
    count: number,
  ): Promise<string[]> => {
    const workers = Array.from({ length: count }, () => queue.worker(tasks));
    for (const worker of workers) await worker.start();
    for (const worker of workers) await worker.drain();
    for (const worker of workers) await worker.stop();
    return finishedJobs.splice(0);
  };

  it('do not catch up on missed days at the first start', async () => {
    expect(await runWorkers(openQueue(), 1)).toEqual([]);
  });

  it('catch up once on missed days at the next start', async () => {
    const fixture = openQueue();
    await runWorkers(fixture, 1);
    fixture.forward(17.5);
    expect(await runWorkers(fixture, 3)).toEqual([JOBS.sweep]);
    fixture.forward(9 * 24);
    expect(await runWorkers(fixture, 3)).toEqual([JOBS.sweep, JOBS.hide]);
    expect(await runWorkers(fixture, 2)).toEqual([]);
  });
});

describe('jobs of several apps in memory', () => {
  it('run in turns', async () => {
    const { queue, jobs } = openQueue();
    const files: number[] = [];
    for (const [appId, fileId] of [
      [1, 11],
      [1, 12],
      [1, 13],
      [2, 21],
      [3, 31],
      [2, 22],
    ] as const)
      jobs.addProcessing('content', { appId, fileId, version: 1 });
    const tasks: JobTasks = { [JOBS.process]: async (payload) => files.push((payload as { fileId: number }).fileId) };
    await queue.worker(tasks).drain();
    expect(files).toEqual([11, 21, 31, 12, 22, 13]);
  });
});

describe('a job in memory', () => {
  it('fails after its last attempt, and runs again when revived', async () => {
    const { state, queue, jobs, forward } = openQueue();
    const app: Pick<MediaApp, 'id'> = { id: 1 };
    jobs.addTidying({ appId: app.id, blobs: ['x'], keys: [] });
    let attempts = 0;
    const worker = queue.worker({
      [JOBS.tidy]: () => {
        attempts += 1;
        return Promise.reject(new Error('The store is gone'));
      },
    });
    for (let days = 0; days < 30; days += 1) {
      await worker.drain();
      forward(24);
    }
    expect(attempts).toBe(20);
    jobs.revive();
    await worker.drain();
    expect([attempts, state.jobs.all(0).length]).toEqual([21, 1]);
  });

  it('is removed when its transaction is rolled back', () => {
    const { state, jobs } = openQueue();
    const work = () => jobs.addTidying({ appId: 1, blobs: ['x'], keys: ['y'] });
    state.memory.transaction(work, { dryRun: true });
    expect(state.jobs.all(0)).toEqual([]);
    state.memory.transaction(work);
    expect(state.jobs.all(0)).toHaveLength(2);
  });
});
