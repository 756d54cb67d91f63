import { addHours } from '@back-office/kernel';

const HOURS_A_DAY = 24;

/** When a trashed file or a kept version is purged. */
export function purgeAt(since: Date, retentionDays: number): Date {
  return addHours(since, retentionDays * HOURS_A_DAY);
}

/** Files without usages count as unused when last changed at or before this time. */
export function unusedSince(now: Date, thresholdDays: number): Date {
  return addHours(now, -thresholdDays * HOURS_A_DAY);
}

/** The requested version if it is kept, by default the latest; otherwise `undefined`. */
export function versionToRevert(kept: readonly number[], requested: number | undefined): number | undefined {
  if (requested !== undefined) return kept.includes(requested) ? requested : undefined;
  return kept.length === 0 ? undefined : Math.max(...kept);
}
