import { addHours } from '@back-office/kernel';

const HOURS_A_DAY = 24;

/** When what was thrown away, or was kept as an older version, is removed for good. */
export function purgeAt(since: Date, retentionDays: number): Date {
  return addHours(since, retentionDays * HOURS_A_DAY);
}

export function isOver(moment: Date, now: Date): boolean {
  return moment.getTime() <= now.getTime();
}

/** Whether a file that nothing uses has been so for long enough, counted from its last change. */
export function isUnused(lastModified: Date, usages: number, thresholdDays: number, now: Date): boolean {
  return usages === 0 && isOver(purgeAt(lastModified, thresholdDays), now);
}

/** Which kept version a revert brings back: the one that was asked for, else the latest; `undefined` when there is none. */
export function versionToRevert(kept: readonly number[], wanted: number | undefined): number | undefined {
  if (wanted !== undefined) return kept.includes(wanted) ? wanted : undefined;
  return kept.length === 0 ? undefined : Math.max(...kept);
}
