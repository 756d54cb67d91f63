import { addHours } from '@back-office/kernel';
import { JOBS, type TidyPayload } from './jobs.js';

/** What a file is processed for. An order for the same purpose replaces one that still waits. */
export type Purpose = 'content' | 'reverted' | 'renditions';

/** The store may be gone for hours: the pauses grow up to six of them. */
export const MAX_JOB_ATTEMPTS = 20;
/** A few hours: caches forget by themselves long before. */
export const MAX_PURGE_ATTEMPTS = 10;

/** When the daily jobs are due, in UTC. */
export const DAILY_JOBS = [
  { name: JOBS.sweep, hour: 3, minute: 17 },
  { name: JOBS.hide, hour: 3, minute: 47 },
] as const;

/** When a purge is due whose file is never processed. */
export function latestPurge(now: Date): Date {
  return addHours(now, 24);
}

export function processingKey(purpose: Purpose, appId: number, fileId: number): string {
  return `${purpose}:${appId}:${fileId}`;
}

export function purgeKey(appId: number, fileId: number): string {
  return `purge:${appId}:${fileId}`;
}

/** A job of a purge of thousands of files stays a small one. */
const TIDIED_AT_ONCE = 500;

/** The jobs that tidy all this. */
export function tidyJobs({ appId, blobs, keys }: TidyPayload): TidyPayload[] {
  return [
    ...runsOf(blobs).map((run) => ({ appId, blobs: run, keys: [] })),
    ...runsOf(keys).map((run) => ({ appId, blobs: [], keys: run })),
  ];
}

function runsOf(all: readonly string[]): string[][] {
  const count = Math.ceil(all.length / TIDIED_AT_ONCE);
  return Array.from({ length: count }, (_, run) => all.slice(run * TIDIED_AT_ONCE, (run + 1) * TIDIED_AT_ONCE));
}
