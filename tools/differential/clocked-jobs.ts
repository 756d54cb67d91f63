import type { Clock } from '@back-office/kernel';
import type { JobQueue } from '@back-office/media';

type Query = (statement: string, values: readonly unknown[]) => Promise<unknown>;

const FAILED_JOBS = `select id, attempts from graphile_worker._private_jobs where attempts > 0 and attempts < max_attempts`;
const POSTPONE = `
  update graphile_worker._private_jobs set run_at = now() + interval '100 years' where id = any($1::bigint[])`;
const MAKE_DUE = `
  update graphile_worker._private_jobs set run_at = now() where id = any($1::bigint[]) and attempts > 0`;

/**
 * The job queue of PostgreSQL schedules retries by the system clock; this wrapper schedules them by the clock of the
 * run.
 */
export function withClockedRetries(queue: JobQueue, query: Query, clock: Clock): JobQueue {
  const dueMsByJob = new Map<string, number>();
  const makeDue = async (): Promise<void> => {
    const dueIds = [...dueMsByJob].filter(([, dueMs]) => dueMs <= clock.now().getTime()).map(([id]) => id);
    for (const id of dueIds) dueMsByJob.delete(id);
    await query(MAKE_DUE, [dueIds]);
  };
  const postpone = async (): Promise<void> => {
    const failedJobs = (await query(FAILED_JOBS, [])) as { id: string; attempts: number }[];
    for (const { id, attempts } of failedJobs) {
      if (!dueMsByJob.has(id)) dueMsByJob.set(id, clock.now().getTime() + pauseMs(attempts));
    }
    await query(POSTPONE, [failedJobs.map(({ id }) => id)]);
  };
  return {
    worker: (tasks, onFailure) => {
      const worker = queue.worker(tasks, onFailure);
      const drain = (): Promise<void> =>
        makeDue()
          .then(() => worker.drain())
          .then(postpone);
      return { start: () => worker.start(), stop: () => worker.stop(), drain };
    },
    close: () => queue.close(),
  };
}

/** Both job queues wait e^attempts seconds, at most six hours. */
function pauseMs(attempts: number): number {
  return Math.exp(Math.min(attempts, 10)) * 1_000;
}
