import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { JOBS, type JobAttempt, type JobTask, type ProcessPayload } from '../index.js';
import { AppLibrary, type MediaLibraryFixture } from './media-library.js';

/** Must be longer than the queue's pause after the first failure. */
const FIRST_PAUSE_SECONDS = 3;
const TIMEOUT_MS = 10_000;

export function jobQueueContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<MediaLibraryFixture>,
): void {
  let fixture: MediaLibraryFixture;
  let library: AppLibrary;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    library = await AppLibrary.create(fixture);
  });
  const makeWorker = (task: JobTask) => fixture.queue.worker({ [JOBS.process]: task }, () => {});
  const idOf = (payload: unknown) => (payload as ProcessPayload).fileId;

  describe('drain', () => {
    it('runs each due job once, in the order in which jobs were added', async () => {
      const ids = [];
      for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) ids.push((await library.addImage(name)).id);
      const jobs = await library.runJobs(JOBS.process);
      expect(jobs.map(({ payload }) => idOf(payload))).toEqual(ids);
      expect(jobs[0]).toMatchObject({ attempt: 1, maxAttempts: 20, lastError: null });
      expect(await library.runJobs(JOBS.process)).toEqual([]);
    });

    it('keeps jobs with other names in the queue', async () => {
      await library.addImage('a.jpg');
      expect(await library.runJobs(JOBS.tidy)).toEqual([]);
      expect(await library.runJobs(JOBS.process)).toHaveLength(1);
    });

    it('runs jobs that other jobs add', async () => {
      await library.addImage('a.jpg');
      let count = 0;
      await makeWorker(async () => {
        count += 1;
        if (count < 3) await library.addImage(`${count}.jpg`);
      }).drain();
      expect(count).toBe(3);
    });

    it('runs each job once with several workers', async () => {
      for (let count = 0; count < 6; count += 1) await library.addImage(`${count}.jpg`);
      const ids: number[] = [];
      const task: JobTask = async (payload) => ids.push(idOf(payload));
      await Promise.all([makeWorker(task).drain(), makeWorker(task).drain(), makeWorker(task).drain()]);
      expect([ids.length, new Set(ids).size]).toEqual([6, 6]);
    });
  });

  describe('a failed job', () => {
    it('is retried after a pause, and the retry receives the last error', async () => {
      const { id } = await library.addImage('a.jpg');
      const attempts: JobAttempt[] = [];
      const worker = makeWorker(async (payload, attempt) => {
        if (idOf(payload) !== id) return;
        attempts.push(attempt);
        if (attempt.attempt === 1) throw new Error('broken');
      });
      await worker.drain();
      await worker.drain();
      expect(attempts).toHaveLength(1);
      await fixture.waitForQueue(FIRST_PAUSE_SECONDS);
      await worker.drain();
      await worker.drain();
      expect(attempts).toEqual([
        { attempt: 1, maxAttempts: 20, lastError: null },
        { attempt: 2, maxAttempts: 20, lastError: 'broken' },
      ]);
    }, 30_000);

    it('is retried after other jobs that became due earlier', async () => {
      const { id } = await library.addImage('a.jpg');
      await makeWorker(() => Promise.reject(new Error('broken'))).drain();
      const otherFile = await library.addImage('b.jpg');
      await fixture.waitForQueue(FIRST_PAUSE_SECONDS);
      const jobs = await library.runJobs(JOBS.process);
      expect(jobs.map(({ payload }) => idOf(payload))).toEqual([otherFile.id, id]);
    }, 30_000);

    it('does not block other jobs', async () => {
      const { id } = await library.addImage('a.jpg');
      const otherFile = await library.addImage('b.jpg');
      const startedIds: number[] = [];
      await makeWorker(async (payload) => {
        startedIds.push(idOf(payload));
        if (idOf(payload) === id) throw new Error('broken');
      }).drain();
      expect(startedIds).toEqual([id, otherFile.id]);
    });

    it('is replaced by a new job for the same file, which starts at attempt 1', async () => {
      const { id } = await library.addImage('a.jpg');
      const payload = { appId: library.appId, fileId: id, widths: [10] };
      const regenerate = (width: number) => fixture.ports.fileVersions.regenerate(library.appId, id, [width]);
      await library.runJobs(JOBS.process);
      await regenerate(9);
      await makeWorker(() => Promise.reject(new Error('broken'))).drain();
      await regenerate(10);
      expect(await library.runJobs(JOBS.process)).toMatchObject([{ payload, attempt: 1, lastError: null }]);
      await fixture.waitForQueue(FIRST_PAUSE_SECONDS);
      expect(await library.runJobs(JOBS.process)).toEqual([]);
    }, 30_000);
  });

  describe('a running job', () => {
    it('continues beside a new job for the same file', async () => {
      const { id } = await library.addImage('a.jpg');
      await library.runJobs(JOBS.process);
      const regenerate = (width: number) => fixture.ports.fileVersions.regenerate(library.appId, id, [width]);
      await regenerate(1);
      const widths: unknown[] = [];
      await makeWorker(async (payload) => {
        widths.push((payload as ProcessPayload).widths);
        if (widths.length > 1) return;
        await regenerate(2);
        throw new Error('broken');
      }).drain();
      expect(widths).toEqual([[1], [2]]);
      await fixture.waitForQueue(FIRST_PAUSE_SECONDS);
      expect(await library.runJobs(JOBS.process)).toEqual([]);
    }, 30_000);
  });

  describe('a worker of the job queue', () => {
    it('runs jobs until it is stopped', async () => {
      const ids = new Set<number>();
      const worker = makeWorker(async (payload) => ids.add(idOf(payload)));
      await worker.start();
      try {
        const { id } = await library.addImage('a.jpg');
        await waitUntil(() => ids.has(id));
      } finally {
        await worker.stop();
      }
      const { id } = await library.addImage('b.jpg');
      expect((await library.runJobs(JOBS.process)).map(({ payload }) => idOf(payload))).toEqual([id]);
    }, 30_000);

    it('waits for running jobs when stopped', async () => {
      let [hasStarted, isDone] = [false, false];
      const worker = makeWorker(async () => {
        hasStarted = true;
        await delay(300);
        isDone = true;
      });
      await worker.start();
      await library.addImage('a.jpg');
      await waitUntil(() => hasStarted);
      await worker.stop();
      expect(isDone).toBe(true);
    }, 30_000);
  });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function waitUntil(condition: () => boolean): Promise<void> {
  for (let waitedMs = 0; !condition(); waitedMs += 20) {
    if (waitedMs > TIMEOUT_MS) throw new Error('It has not happened in time');
    await delay(20);
  }
}
