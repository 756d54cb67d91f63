import type { JobAttempt, JobQueue, JobTask, JobTasks, JobWorker, OnJobFailure } from '@back-office/media';
import { run, runOnce, type Job, type Runner, type TaskList, type WorkerEvents } from 'graphile-worker';
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type JobPool, silentLogger } from '../../connection/data-source.js';
import { JobTurns } from './job-turns.js';
import { DAILY, HEARTBEAT_STATEMENTS } from './media-jobs.js';

const JOBS_AT_ONCE = 4;
const MAX_JOBS_OF_APP = JOBS_AT_ONCE / 2;
/** A job of an app that takes longer fails; daily jobs have no timeout. */
const JOB_TIMEOUT_MS = 1_800_000;
const POLL_MS = 2_000;

// Without batches, a lost connection ends only the runner, which is launched again. With batches, a lost connection
// ends the process.
const UNBATCHED_OPTIONS = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

const HEARTBEAT_MS = 5_000;
const RELAUNCH_MS = 5_000;

export class GraphileJobQueue implements JobQueue {
  constructor(
    private readonly pool: JobPool,
    private readonly jobTimeoutMs = JOB_TIMEOUT_MS,
  ) {}

  worker(tasks: JobTasks, onFailure: OnJobFailure): JobWorker {
    return new GraphileWorker(this.pool, tasks, onFailure, this.jobTimeoutMs);
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}

class GraphileWorker implements JobWorker {
  private runner: Runner | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private isStopping = false;
  private readonly livingPoolIds = new Set<string>();

  constructor(
    private readonly pool: JobPool,
    private readonly tasks: JobTasks,
    private readonly onFailure: OnJobFailure,
    private readonly jobTimeoutMs: number,
  ) {}

  async start(): Promise<void> {
    await this.launchRunner();
    await this.sendHeartbeat();
    this.heartbeat = setInterval(() => void this.sendHeartbeat(), HEARTBEAT_MS);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.heartbeat);
    await this.runner?.stop().catch(() => {});
  }

  private async launchRunner(): Promise<void> {
    const events = new EventEmitter() as WorkerEvents;
    this.livingPoolIds.clear();
    // Records ids of pools, because a job is locked by the id of its pool, not of its worker.
    events.on('pool:create', ({ workerPool }) => this.livingPoolIds.add(workerPool.id));
    events.on('pool:release', ({ workerPool }) => this.livingPoolIds.delete(workerPool.id));
    const turns = new JobTurns(events, MAX_JOBS_OF_APP);
    const options = {
      ...this.commonOptions(),
      events,
      forbiddenFlags: () => turns.forbiddenFlags(),
      crontab: DAILY,
      concurrency: JOBS_AT_ONCE,
      pollInterval: POLL_MS,
    };
    this.runner = await run(options);
    void this.runner.promise
      .catch((error: unknown) => this.onFailure(error, 'worker'))
      .then(() => this.relaunchRunner());
  }

  /** Launches the runner again, because it ends when the database is unreachable for a long time. */
  private async relaunchRunner(): Promise<void> {
    while (!this.isStopping) {
      await pause(RELAUNCH_MS);
      if (this.isStopping) return;
      try {
        return await this.launchRunner();
      } catch (error) {
        this.onFailure(error, 'worker');
      }
    }
  }

  private async sendHeartbeat(): Promise<void> {
    try {
      await this.pool.query(HEARTBEAT_STATEMENTS.recordWorkers, [[...this.livingPoolIds]]);
      await this.pool.query(HEARTBEAT_STATEMENTS.releaseJobs);
      await this.pool.query(HEARTBEAT_STATEMENTS.forgetWorkers);
    } catch (error) {
      this.onFailure(error, 'heartbeat');
    }
  }

  drain(): Promise<void> {
    return runOnce(this.commonOptions());
  }

  private commonOptions() {
    const taskList = taskListOf(this.tasks, this.jobTimeoutMs);
    return {
      pgPool: this.pool,
      taskList,
      logger: silentLogger(),
      noHandleSignals: true,
      preset: { worker: UNBATCHED_OPTIONS },
    };
  }
}

function taskListOf(tasks: JobTasks, timeoutMs: number): TaskList {
  const toTaskEntry = ([name, task]: [string, JobTask]) =>
    [
      name,
      async (payload: unknown, { job }: { readonly job: Job }) =>
        void (await runInTime(job, timeoutMs, () => task(payload, attemptOf(job)))),
    ] as const;
  return Object.fromEntries(Object.entries(tasks).map(toTaskEntry));
}

/** Fails the job of an app after the timeout. A daily job has no timeout, because it reads the whole store. */
async function runInTime({ flags }: Job, timeoutMs: number, work: () => Promise<unknown>): Promise<unknown> {
  if (flags === null) return work();
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('The job took too long')), timeoutMs);
  });
  return Promise.race([work(), timedOut]).finally(() => clearTimeout(timer));
}

function attemptOf({ attempts, max_attempts, last_error }: Job): JobAttempt {
  return { attempt: attempts, maxAttempts: max_attempts, lastError: last_error };
}
