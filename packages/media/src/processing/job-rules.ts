import { addHours } from '@back-office/kernel';
import { JOBS, type TidyPayload } from './jobs.js';

/** A new job replaces a waiting job with the same purpose and file. */
export type Purpose = 'content' | 'reverted' | 'renditions';

/** Many attempts, because the store may be down for hours. The pauses between attempts grow to six hours. */
export const MAX_JOB_ATTEMPTS = 20;
/** Ten attempts take a few hours. After that, the entries of the caches have expired anyway. */
export const MAX_PURGE_ATTEMPTS = 10;

/** The times are in UTC. */
export const DAILY_JOBS = [
  { name: JOBS.sweep, hour: 3, minute: 17 },
  { name: JOBS.hide, hour: 3, minute: 47 },
] as const;

/** Returns the time at which the caches are purged even if the file has not been processed. */
export function purgeDeadline(now: Date): Date {
  return addHours(now, 24);
}

export function processingKey(purpose: Purpose, appId: number, fileId: number): string {
  return `${purpose}:${appId}:${fileId}`;
}

export function purgeKey(appId: number, fileId: number): string {
  return `purge:${appId}:${fileId}`;
}

/** Keeps each job small even when a purge removes thousands of files. */
const TIDY_BATCH_SIZE = 500;

export function splitTidyPayload({ appId, blobs, keys, withdrawn = [] }: TidyPayload): TidyPayload[] {
  return [
    ...batchesOf(blobs).map((batch) => ({ appId, blobs: batch, keys: [] })),
    ...batchesOf(keys).map((batch) => ({ appId, blobs: [], keys: batch })),
    ...batchesOf(withdrawn).map((batch) => ({ appId, blobs: [], keys: batch.map(({ key }) => key), withdrawn: batch })),
  ];
}

function batchesOf<Value>(values: readonly Value[]): Value[][] {
  const count = Math.ceil(values.length / TIDY_BATCH_SIZE);
  return Array.from({ length: count }, (_, index) =>
    values.slice(index * TIDY_BATCH_SIZE, (index + 1) * TIDY_BATCH_SIZE),
  );
}
