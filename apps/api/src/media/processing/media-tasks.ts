import {
  isCostlyFile,
  JOBS,
  type JobAttempt,
  type JobTask,
  type JobTasks,
  type MediaFiles,
  type MediaObjectQueries,
  type OnJobFailure,
  type ProcessPayload,
  type PurgePayload,
  type TidyPayload,
} from '@back-office/media';
import type { CachePurge } from '../serving/cache-purge.js';
import { BrokenContent, ContentPending, ProcessorCrashed, type FileProcessing } from './file-processing.js';
import type { Library } from '../library.js';
import type { PublicObjectCache } from '../serving/public-object-cache.js';
import type { PublicCopies } from '../serving/public-copies.js';
import type { StoreSweep } from './store-sweep.js';

/** The machine instead of the image may have caused a decoding failure, so decoding is retried. */
const MAX_DECODE_ATTEMPTS = 3;
const MAX_CRASHES = 5;

export class MediaTasks {
  constructor(
    private readonly library: Library,
    private readonly processing: FileProcessing,
    private readonly objects: MediaObjectQueries,
    private readonly copies: PublicCopies,
    private readonly purges: CachePurge,
    private readonly others: {
      readonly sweep: StoreSweep;
      readonly files: MediaFiles;
      readonly publicObjects: PublicObjectCache;
    },
  ) {}

  createJobTasks(onFailure: OnJobFailure): JobTasks {
    return {
      [JOBS.process]: (payload, attempt) => this.process(payload as ProcessPayload, attempt, onFailure),
      [JOBS.tidy]: reportFailures(JOBS.tidy, onFailure, (payload) => this.tidy(payload as TidyPayload)),
      [JOBS.purge]: reportFailures(JOBS.purge, onFailure, (payload) => this.purges.run(payload as PurgePayload)),
      [JOBS.sweep]: reportFailures(JOBS.sweep, onFailure, () => this.others.sweep.run()),
      [JOBS.hide]: reportFailures(JOBS.hide, onFailure, () => this.others.files.hideUnused()),
    };
  }

  private async process(
    payload: ProcessPayload,
    { attempt, maxAttempts, lastError }: JobAttempt,
    onFailure: OnJobFailure,
  ): Promise<void> {
    if (attempt > MAX_CRASHES && lastError === null) {
      onFailure(new Error('Every process that tried this file has crashed'), JOBS.process);
      return this.processing.markAsFailed(payload);
    }
    try {
      await this.processing.run(payload);
      this.others.publicObjects.forgetMisses();
    } catch (error) {
      if (!(error instanceof ContentPending)) onFailure(error, JOBS.process);
      if (isCostlyFile(error)) return this.processing.markAsFailed(payload);
      if (error instanceof BrokenContent && attempt >= MAX_DECODE_ATTEMPTS)
        return this.processing.markAsFailed(payload);
      if (error instanceof ProcessorCrashed && attempt > MAX_CRASHES) return this.processing.markAsFailed(payload);
      if (attempt >= maxAttempts) await this.processing.markAsFailed(payload);
      throw error;
    }
  }

  private async tidy({ appId, blobs, keys, withdrawn = [] }: TidyPayload): Promise<void> {
    await this.copies.sync(appId, keys);
    for (const blob of await this.objects.unreferencedBlobs(appId, blobs)) await this.library.store.remove(blob);
    await this.purges.withdraw(withdrawn);
  }
}

function reportFailures(job: string, onFailure: OnJobFailure, work: (payload: unknown) => Promise<unknown>): JobTask {
  return async (payload) => {
    try {
      await work(payload);
    } catch (error) {
      onFailure(error, job);
      throw error;
    }
  };
}
