import type { JobAttempt, JobQueue, JobTask, JobTasks, JobWorker, OnJobFailure } from '@back-office/media';
import { run, runOnce, type Job, type Runner, type TaskList, type WorkerEvents } from 'graphile-worker';
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type JobPool, silentLogger } from '../data-source.js';
import { DAILY, HEARTBEAT } from './media-jobs.js';

const JOBS_AT_ONCE = 3;
const POLL_MS = 2_000;

/** Without delay a lost connection fails the runner, which is relaunched; batched, it ends the process. */
const UNBATCHED = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

const HEARTBEAT_MS = 5_000;
const RELAUNCH_MS = 5_000;

/** The queue of graphile-worker, on connections of its own. */
export class GraphileJobQueue implements JobQueue {
  constructor(private readonly pool: JobPool) {}

  worker(tasks: JobTasks, onFailure: OnJobFailure): JobWorker {
    return new GraphileWorker(this.pool, tasks, onFailure);
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}

class GraphileWorker implements JobWorker {
  private runner: Runner | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private isStopping = false;
  private readonly pools = new Set<string>();

  constructor(
    private readonly pool: JobPool,
    private readonly tasks: JobTasks,
    private readonly onFailure: OnJobFailure,
  ) {}

  async start(): Promise<void> {
    await this.launch();
    await this.beat();
    this.heartbeat = setInterval(() => void this.beat(), HEARTBEAT_MS);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.heartbeat);
    await this.runner?.stop().catch(() => {});
  }

  private async launch(): Promise<void> {
    const events = new EventEmitter() as WorkerEvents;
    // Pools of an earlier runner must not count as living.
    this.pools.clear();
    // Jobs are locked by the pool's id, not the worker's.
    events.on('pool:create', ({ workerPool }) => this.pools.add(workerPool.id));
    events.on('pool:release', ({ workerPool }) => this.pools.delete(workerPool.id));
    const options = { ...this.options(), events, crontab: DAILY, concurrency: JOBS_AT_ONCE, pollInterval: POLL_MS };
    this.runner = await run(options);
    void this.runner.promise.catch((error: unknown) => this.onFailure(error, 'worker')).then(() => this.relaunch());
  }

  /** The runner ends when the database is unreachable for long. */
  private async relaunch(): Promise<void> {
    while (!this.isStopping) {
      await pause(RELAUNCH_MS);
      if (this.isStopping) return;
      try {
        return await this.launch();
      } catch (error) {
        this.onFailure(error, 'worker');
      }
    }
  }

  /** Reports its pools as living and releases jobs of dead ones. */
  private async beat(): Promise<void> {
    try {
      await this.pool.query(HEARTBEAT.seen, [[...this.pools]]);
      await this.pool.query(HEARTBEAT.release);
      await this.pool.query(HEARTBEAT.forget);
    } catch (error) {
      this.onFailure(error, 'heartbeat');
    }
  }

  drain(): Promise<void> {
    return runOnce(this.options());
  }

  private options() {
    const taskList = taskListOf(this.tasks);
    return {
      pgPool: this.pool,
      taskList,
      logger: silentLogger(),
      noHandleSignals: true,
      preset: { worker: UNBATCHED },
    };
  }
}

function taskListOf(tasks: JobTasks): TaskList {
  const each = ([name, task]: [string, JobTask]) =>
    [
      name,
      async (payload: unknown, { job }: { readonly job: Job }) => void (await task(payload, attemptOf(job))),
    ] as const;
  return Object.fromEntries(Object.entries(tasks).map(each));
}

function attemptOf({ attempts, max_attempts, last_error }: Job): JobAttempt {
  return { attempt: attempts, maxAttempts: max_attempts, lastError: last_error };
}
