export interface TidyPayload {
  readonly appId: number;
  readonly blobs: readonly string[];
  readonly keys: readonly string[];
  /** Keys that are no longer public. Caches must drop them. */
  readonly withdrawn?: readonly WithdrawnKey[];
}

export interface WithdrawnKey {
  readonly key: string;
  /** Caches may hold URLs of the key up to this version. */
  readonly version: number;
}

/**
 * Payload of the job that processes a file. With `widths`, it makes only renditions of these widths; otherwise the
 * preset decides.
 */
export interface ProcessPayload {
  readonly appId: number;
  readonly fileId: number;
  /** Version to process; without it, the current content only gets new renditions. */
  readonly version?: number;
  readonly widths?: readonly number[] | undefined;
}

/** Payload of the job that purges the caches after the renditions of the new content exist. */
export interface PurgePayload {
  readonly appId: number;
  readonly fileId: number;
  readonly version: number;
  readonly keys: readonly string[];
}

/**
 * Names of the jobs. `process` takes a {@link ProcessPayload}, `tidy` a {@link TidyPayload}, `purge` a {@link
 * PurgePayload}; `sweep` and `hide` have no payload and run daily.
 */
export const JOBS = {
  process: 'process_file',
  tidy: 'tidy_store',
  purge: 'purge_caches',
  sweep: 'sweep_store',
  hide: 'hide_unused',
} as const;

export interface JobAttempt {
  /** Starts at 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /**
   * Message of the last attempt that threw; null when no attempt has thrown. An attempt that ends the process leaves no
   * message.
   */
  readonly lastError: string | null;
}

/** Runs one job. A task that throws is retried with backoff, up to the maximum number of attempts. */
export type JobTask = (payload: unknown, attempt: JobAttempt) => Promise<unknown>;

/** Tasks by job name. Jobs with other names stay in the queue. */
export type JobTasks = Readonly<Record<string, JobTask>>;

/** Reports a background error; `job` is the name of the job, or the failing part of the queue. */
export type OnJobFailure = (error: unknown, job: string) => void;

/**
 * Background jobs, stored in the database. The ports that change files add jobs in the transaction of the change. Many
 * processes may share a queue; each job runs in one worker at a time.
 */
export interface JobQueue {
  /** Creates a worker without starting it. `onFailure` gets failures of the queue; tasks report their own failures. */
  worker(tasks: JobTasks, onFailure: OnJobFailure): JobWorker;
  /** Closes the queue's connections. Stop all workers first. */
  close(): Promise<void>;
}

export interface JobWorker {
  /**
   * Starts running jobs and schedules the daily ones. A daily job that was missed runs once. Takes over jobs of dead
   * workers and survives a lost connection. Throws when the database is unreachable.
   */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Runs the due jobs and waits for them. Needs no `start`. */
  drain(): Promise<void>;
}
