import { addHours, type Clock } from '@back-office/kernel';
import { DAILY_JOBS, type JobQueue, type JobTasks, type JobWorker } from '@back-office/media';
import { NO_APP_ID } from '../apps/memory-apps.js';
import type { State } from '../state.js';
import { JobList } from './job-list.js';
import type { JobRecord } from './records.js';

const POLL_MS = 100;
const HOURS_PER_DAY = 24;

export class MemoryJobQueue implements JobQueue {
  private readonly jobs: JobList;

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {
    this.jobs = new JobList(state, clock);
  }

  worker(tasks: JobTasks): JobWorker {
    return new MemoryWorker(this, tasks);
  }

  async close(): Promise<void> {}

  async runNext(tasks: JobTasks): Promise<boolean> {
    const jobNames = new Set(Object.keys(tasks));
    const job = this.state.memory.transaction(() => this.jobs.take(jobNames));
    if (job === undefined) return false;
    try {
      await tasks[job.name]?.(JSON.parse(job.payload), attemptOf(job));
      this.state.memory.transaction(() => this.jobs.complete(job.id));
    } catch (error) {
      this.state.memory.transaction(() => this.jobs.fail(job.id, error));
    }
    return true;
  }

  /** Adds the daily jobs that have become due since the last call, each once even after several missed days. */
  addDaily(): void {
    this.state.memory.transaction(() => {
      const { dailyJobs } = this.state;
      const now = this.clock.now();
      for (const { name, hour, minute } of DAILY_JOBS) {
        const dailyJob = dailyJobs.find(NO_APP_ID, (job) => job.name === name);
        if (dailyJob === undefined) dailyJobs.insert(NO_APP_ID, { name, seen_at: now });
        else if (lastTime(hour, minute, now) > dailyJob.seen_at) {
          dailyJobs.put(NO_APP_ID, { ...dailyJob, seen_at: now });
          this.jobs.addDaily(name);
        }
      }
    });
  }
}

class MemoryWorker implements JobWorker {
  private poll: NodeJS.Timeout | undefined;
  private isBusy = false;
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly queue: MemoryJobQueue,
    private readonly tasks: JobTasks,
  ) {}

  async start(): Promise<void> {
    const pollQueue = (): void => {
      this.queue.addDaily();
      if (!this.isBusy) void this.run(() => this.poll !== undefined);
    };
    this.poll = setInterval(pollQueue, POLL_MS);
    pollQueue();
  }

  async stop(): Promise<void> {
    clearInterval(this.poll);
    this.poll = undefined;
    await this.work;
  }

  drain(): Promise<void> {
    return this.run(() => true);
  }

  private run(shouldContinue: () => boolean): Promise<void> {
    this.isBusy = true;
    const runAll = async (): Promise<void> => {
      while (shouldContinue() && (await this.queue.runNext(this.tasks)));
    };
    const work = this.work.then(runAll).finally(() => (this.isBusy = this.work !== work));
    this.work = work;
    return work;
  }
}

function attemptOf({ attempts, max_attempts: maxAttempts, last_error: lastError }: JobRecord) {
  return { attempt: attempts, maxAttempts, lastError };
}

function lastTime(hour: number, minute: number, now: Date): Date {
  const today = new Date(now);
  today.setUTCHours(hour, minute, 0, 0);
  return today <= now ? today : addHours(today, -HOURS_PER_DAY);
}
