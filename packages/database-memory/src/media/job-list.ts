import type { Clock } from '@back-office/kernel';
import {
  JOBS,
  purgeDeadline,
  MAX_JOB_ATTEMPTS,
  MAX_PURGE_ATTEMPTS,
  processingKey,
  purgeKey,
  splitTidyPayload,
  type ProcessPayload,
  type PurgePayload,
  type Purpose,
  type TidyPayload,
} from '@back-office/media';
import { NO_APP_ID } from '../apps/memory-apps.js';
import type { State } from '../state.js';
import { publicKeysOf } from './derived-files.js';
import type { JobRecord } from './records.js';

const MAX_DAILY_ATTEMPTS = 25;
const MS_PER_SECOND = 1_000;
/** The pause between attempts stops growing after this number of attempts. */
const MAX_PAUSE_ATTEMPTS = 10;

interface NewJob {
  readonly name: string;
  readonly payload: unknown;
  readonly key?: string;
  readonly runAt?: Date;
  readonly maxAttempts?: number;
}

export class JobList {
  /** Number of the latest turn of each app; a higher number is more recent. */
  private readonly turnByApp = new Map<number, number>();
  private turnCount = 0;

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  addProcessing(purpose: Purpose, payload: ProcessPayload): void {
    this.add({ name: JOBS.process, payload, key: processingKey(purpose, payload.appId, payload.fileId) });
  }

  addPurge(payload: PurgePayload): void {
    const runAt = purgeDeadline(this.clock.now());
    const key = purgeKey(payload.appId, payload.fileId);
    this.add({ name: JOBS.purge, payload, key, runAt, maxAttempts: MAX_PURGE_ATTEMPTS });
  }

  makePurgeDue(appId: number, fileId: number): void {
    const job = this.findByKey(purgeKey(appId, fileId));
    if (job && !job.is_running) this.put({ ...job, run_at: this.clock.now() });
  }

  addTidying(request: TidyPayload): void {
    for (const payload of splitTidyPayload(request)) this.add({ name: JOBS.tidy, payload });
  }

  addWithdrawal(appId: number, fileIds: readonly number[]): void {
    this.addTidying({ appId, blobs: [], keys: [], withdrawn: publicKeysOf(this.state, appId, fileIds) });
  }

  addRepublication(appId: number, fileIds: readonly number[]): void {
    const keys = publicKeysOf(this.state, appId, fileIds).map(({ key }) => key);
    this.addTidying({ appId, blobs: [], keys });
  }

  addDaily(name: string): void {
    this.add({ name, payload: {}, key: name, maxAttempts: MAX_DAILY_ATTEMPTS });
  }

  hasPendingProcessing(appId: number, fileId: number): boolean {
    return (['content', 'reverted'] as const).some((purpose) => {
      const job = this.findByKey(processingKey(purpose, appId, fileId));
      return job !== undefined && job.attempts < job.max_attempts;
    });
  }

  revive(): void {
    for (const job of this.all()) {
      const isMedia = job.name === JOBS.tidy || job.name === JOBS.process;
      if (isMedia && job.attempts >= job.max_attempts && !job.is_running) {
        this.put({ ...job, attempts: 0, run_at: this.clock.now() });
      }
    }
  }

  /** Starts the oldest due job of the app that has waited longest for its turn. */
  take(names: ReadonlySet<string>): JobRecord | undefined {
    const now = this.clock.now();
    const dueJobs = this.all().filter(
      (job) => names.has(job.name) && !job.is_running && job.attempts < job.max_attempts && job.run_at <= now,
    );
    const turnOf = (job: JobRecord): number => this.turnByApp.get(appOf(job)) ?? 0;
    const [nextJob] = dueJobs.sort(
      (a, b) => turnOf(a) - turnOf(b) || a.run_at.getTime() - b.run_at.getTime() || a.id - b.id,
    );
    if (nextJob) this.turnByApp.set(appOf(nextJob), (this.turnCount += 1));
    return nextJob && this.put({ ...nextJob, attempts: nextJob.attempts + 1, is_running: true });
  }

  complete(id: number): void {
    this.state.jobs.delete(NO_APP_ID, id);
  }

  fail(id: number, error: unknown): void {
    const job = this.state.jobs.get(NO_APP_ID, id);
    if (job === undefined) return;
    const pauseMs = Math.exp(Math.min(job.attempts, MAX_PAUSE_ATTEMPTS)) * MS_PER_SECOND;
    const pauseStartMs = Math.max(this.clock.now().getTime(), job.run_at.getTime());
    this.put({ ...job, run_at: new Date(pauseStartMs + pauseMs), last_error: messageOf(error), is_running: false });
  }

  private add({ name, payload, key, runAt = this.clock.now(), maxAttempts = MAX_JOB_ATTEMPTS }: NewJob): void {
    const earlierJob = key === undefined ? undefined : this.findByKey(key);
    if (earlierJob) this.replace(earlierJob);
    this.state.jobs.insert(NO_APP_ID, {
      name,
      payload: JSON.stringify(payload),
      key: key ?? null,
      run_at: runAt,
      attempts: 0,
      max_attempts: maxAttempts,
      last_error: null,
      is_running: false,
    });
  }

  /**
   * Removes the job if it waits. Otherwise releases its key and prevents further attempts, because the job has the old
   * payload.
   */
  private replace(job: JobRecord): void {
    const isWaiting = !job.is_running && job.attempts < job.max_attempts;
    if (isWaiting) this.complete(job.id);
    else this.put({ ...job, key: null, attempts: job.max_attempts });
  }

  private findByKey(key: string): JobRecord | undefined {
    return this.state.jobs.find(NO_APP_ID, (job) => job.key === key);
  }

  private all(): JobRecord[] {
    return this.state.jobs.all(NO_APP_ID);
  }

  private put(job: JobRecord): JobRecord {
    this.state.jobs.put(NO_APP_ID, job);
    return job;
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return message === '' ? String(error) : message;
}

/** Daily jobs belong to no app; 0 stands for them. */
function appOf({ payload }: JobRecord): number {
  return (JSON.parse(payload) as { appId?: number }).appId ?? 0;
}
