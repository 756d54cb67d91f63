import { run, runOnce, type Runner, type Task, type TaskList, type WorkerEvents } from 'graphile-worker';
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { silentLogger, type JobPool } from '../database/data-source.js';
import type { CachePurge } from './cache-purge.js';
import { BrokenContent, NotYet, ProcessorLost, type FileProcessing } from './file-processing.js';
import type { Library } from './library.js';
import { DAILY, HEARTBEAT, JOBS, type ProcessingOrder, type PurgeOrder, type Tidying } from './media-jobs.query.js';
import type { PublicCopies } from './public-copies.js';
import type { StoreSweep } from './store-sweep.js';
import type { TypeOrmMediaObjects } from './typeorm-media-objects.js';
import type { TypeOrmMediaFiles } from './typeorm-media-files.js';

/** What cannot be decoded is tried so often: it may have been the machine. */
const TRIES_OF_BROKEN = 3;
/** What has so often ended the process that tried it is not tried again. */
const DEATHS = 5;
const JOBS_AT_ONCE = 3;
const POLL_MS = 2_000;

/**
 * A connection that is lost while a job is written off ends the runner, which is launched again. Without this, nobody
 * hears of it, and the process ends.
 */
const REPORTED = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** What reports the troubles of the background. */
export type OnFailure = (error: unknown, job: string) => void;

const HEARTBEAT_MS = 5_000;
const RELAUNCH_MS = 5_000;

/** Does the library's jobs, which are kept in the database until they are done. */
export class MediaWorker {
  private runner: Runner | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private isStopping = false;
  private readonly pools = new Set<string>();

  constructor(
    private readonly pool: JobPool,
    private readonly tasks: MediaTasks,
    private readonly onFailure: OnFailure,
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
    // One that has died within a living process must not be taken for alive.
    this.pools.clear();
    // Jobs are locked in the name of the pool, whichever of its workers does them.
    events.on('pool:create', ({ workerPool }) => this.pools.add(workerPool.id));
    events.on('pool:release', ({ workerPool }) => this.pools.delete(workerPool.id));
    const options = { ...this.options(), events, crontab: DAILY, concurrency: JOBS_AT_ONCE, pollInterval: POLL_MS };
    this.runner = await run(options);
    void this.runner.promise.catch((error: unknown) => this.onFailure(error, 'worker')).then(() => this.relaunch());
  }

  /** It ends by itself when the database has been gone for long. */
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

  /** Says that its workers live, and gives the jobs of the dead to others. */
  private async beat(): Promise<void> {
    try {
      await this.pool.query(HEARTBEAT.seen, [[...this.pools]]);
      await this.pool.query(HEARTBEAT.release);
      await this.pool.query(HEARTBEAT.forget);
    } catch (error) {
      this.onFailure(error, 'heartbeat');
    }
  }

  /** Does what is waiting now, and ends. */
  drain(): Promise<void> {
    return runOnce(this.options());
  }

  private options() {
    const taskList = this.tasks.list(this.onFailure);
    return { pgPool: this.pool, taskList, logger: silentLogger(), noHandleSignals: true, preset: { worker: REPORTED } };
  }
}

/** The jobs by name. */
export class MediaTasks {
  constructor(
    private readonly library: Library,
    private readonly processing: FileProcessing,
    private readonly objects: TypeOrmMediaObjects,
    private readonly copies: PublicCopies,
    private readonly purges: CachePurge,
    private readonly daily: { readonly sweep: StoreSweep; readonly files: TypeOrmMediaFiles },
  ) {}

  list(onFailure: OnFailure): TaskList {
    return {
      [JOBS.process]: async (payload, { job }) => {
        const order = payload as ProcessingOrder;
        if (job.attempts > DEATHS && job.last_error === null) {
          onFailure(new Error('Every process that tried this file has died'), JOBS.process);
          return this.processing.giveUp(order);
        }
        try {
          await this.processing.run(order);
        } catch (error) {
          if (!(error instanceof NotYet)) onFailure(error, JOBS.process);
          if (error instanceof BrokenContent && job.attempts >= TRIES_OF_BROKEN) return this.processing.giveUp(order);
          if (error instanceof ProcessorLost && job.attempts > DEATHS) return this.processing.giveUp(order);
          if (job.attempts >= job.max_attempts) await this.processing.giveUp(order);
          throw error;
        }
      },
      [JOBS.tidy]: reported(JOBS.tidy, onFailure, (payload) => this.tidy(payload as Tidying)),
      [JOBS.purge]: reported(JOBS.purge, onFailure, (payload) => this.purges.run(payload as PurgeOrder)),
      [JOBS.sweep]: reported(JOBS.sweep, onFailure, () => this.daily.sweep.run()),
      [JOBS.hide]: reported(JOBS.hide, onFailure, () => this.daily.files.hideUnused()),
    };
  }

  private async tidy({ appId, blobs, keys }: Tidying): Promise<void> {
    await this.copies.settle(appId, keys);
    for (const blob of await this.objects.unreferenced(appId, blobs)) await this.library.store.remove(blob);
  }
}

function reported(job: string, onFailure: OnFailure, work: (payload: unknown) => Promise<unknown>): Task {
  return async (payload) => {
    try {
      await work(payload);
    } catch (error) {
      onFailure(error, job);
      throw error;
    }
  };
}
