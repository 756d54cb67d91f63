import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { JOBS, type JobAttempt, type JobTask, type ProcessPayload } from '../index.js';
import { MediaFixture, type GivenMediaLibrary } from './media-library.js';

/** Longer than the pause after the first failure. */
const FIRST_PAUSE_SECONDS = 3;
const TIMEOUT_MS = 10_000;

/** Tests for every adapter of {@link JobQueue}. Jobs are added as the ports add them. */
export function jobQueueContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenMediaLibrary>,
): void {
  let given: GivenMediaLibrary;
  let library: MediaFixture;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    library = await MediaFixture.of(given);
  });
  const processing = (task: JobTask) => given.queue.worker({ [JOBS.process]: task }, () => {});
  const idOf = (payload: unknown) => (payload as ProcessPayload).fileId;

  describe('drain', () => {
    it('runs each due job once, in the order of their addition', async () => {
      const ids = [];
      for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) ids.push((await library.image(name)).id);
      const seen = await library.jobs(JOBS.process);
      expect(seen.map(({ payload }) => idOf(payload))).toEqual(ids);
      expect(seen[0]).toMatchObject({ attempt: 1, maxAttempts: 20, lastError: null });
      expect(await library.jobs(JOBS.process)).toEqual([]);
    });

    it('leaves jobs of other names', async () => {
      await library.image('a.jpg');
      expect(await library.jobs(JOBS.tidy)).toEqual([]);
      expect(await library.jobs(JOBS.process)).toHaveLength(1);
    });

    it('runs jobs that jobs add', async () => {
      await library.image('a.jpg');
      let count = 0;
      await processing(async () => {
        count += 1;
        if (count < 3) await library.image(`${count}.jpg`);
      }).drain();
      expect(count).toBe(3);
    });

    it('runs each job once with several workers', async () => {
      for (let count = 0; count < 6; count += 1) await library.image(`${count}.jpg`);
      const ids: number[] = [];
      const task: JobTask = async (payload) => ids.push(idOf(payload));
      await Promise.all([processing(task).drain(), processing(task).drain(), processing(task).drain()]);
      expect([ids.length, new Set(ids).size]).toEqual([6, 6]);
    });
  });

  describe('a failed job', () => {
    it('is retried after a pause with the last error', async () => {
      const { id } = await library.image('a.jpg');
      const attempts: JobAttempt[] = [];
      const worker = processing(async (payload, attempt) => {
        if (idOf(payload) !== id) return;
        attempts.push(attempt);
        if (attempt.attempt === 1) throw new Error('broken');
      });
      await worker.drain();
      await worker.drain();
      expect(attempts).toHaveLength(1);
      await given.waitForQueue(FIRST_PAUSE_SECONDS);
      await worker.drain();
      await worker.drain();
      expect(attempts).toEqual([
        { attempt: 1, maxAttempts: 20, lastError: null },
        { attempt: 2, maxAttempts: 20, lastError: 'broken' },
      ]);
    }, 30_000);

    it('does not block others', async () => {
      const { id } = await library.image('a.jpg');
      const other = await library.image('b.jpg');
      const seen: number[] = [];
      await processing(async (payload) => {
        seen.push(idOf(payload));
        if (idOf(payload) === id) throw new Error('broken');
      }).drain();
      expect(seen).toEqual([id, other.id]);
    });

    it('is replaced by a new job for the same file, from attempt 1', async () => {
      const { id } = await library.image('a.jpg');
      const order = { appId: library.appId, fileId: id, widths: [10] };
      const regenerate = (width: number) => given.ports.fileVersions.regenerate(library.appId, id, [width]);
      await library.jobs(JOBS.process);
      await regenerate(9);
      await processing(() => Promise.reject(new Error('broken'))).drain();
      await regenerate(10);
      expect(await library.jobs(JOBS.process)).toMatchObject([{ payload: order, attempt: 1, lastError: null }]);
      await given.waitForQueue(FIRST_PAUSE_SECONDS);
      expect(await library.jobs(JOBS.process)).toEqual([]);
    }, 30_000);
  });

  describe('a running job', () => {
    it('stays beside a new job for the same file', async () => {
      const { id } = await library.image('a.jpg');
      await library.jobs(JOBS.process);
      const regenerate = (width: number) => given.ports.fileVersions.regenerate(library.appId, id, [width]);
      await regenerate(1);
      const widths: unknown[] = [];
      await processing(async (payload) => {
        widths.push((payload as ProcessPayload).widths);
        if (widths.length > 1) return;
        await regenerate(2);
        throw new Error('broken');
      }).drain();
      expect(widths).toEqual([[1], [2]]);
      await given.waitForQueue(FIRST_PAUSE_SECONDS);
      expect(await library.jobs(JOBS.process)).toEqual([]);
    }, 30_000);
  });

  describe('a worker', () => {
    it('runs jobs until it is stopped', async () => {
      const ids = new Set<number>();
      const worker = processing(async (payload) => ids.add(idOf(payload)));
      await worker.start();
      try {
        const { id } = await library.image('a.jpg');
        await until(() => ids.has(id));
      } finally {
        await worker.stop();
      }
      const { id } = await library.image('b.jpg');
      expect((await library.jobs(JOBS.process)).map(({ payload }) => idOf(payload))).toEqual([id]);
    }, 30_000);

    it('waits for running jobs when stopped', async () => {
      let [isBegun, isDone] = [false, false];
      const worker = processing(async () => {
        isBegun = true;
        await later(300);
        isDone = true;
      });
      await worker.start();
      await library.image('a.jpg');
      await until(() => isBegun);
      await worker.stop();
      expect(isDone).toBe(true);
    }, 30_000);
  });
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo(); waited += 20) {
    if (waited > TIMEOUT_MS) throw new Error('It has not happened in time');
    await later(20);
  }
}
