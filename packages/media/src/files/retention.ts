import { addHours } from '@back-office/kernel';

const HOURS_A_DAY = 24;

export function purgeAt(since: Date, retentionDays: number): Date {
  return addHours(since, retentionDays * HOURS_A_DAY);
}

/** An unused file has reached the threshold if it was last changed before the returned time. */
export function unusedCutoff(now: Date, thresholdDays: number): Date {
  return addHours(now, -thresholdDays * HOURS_A_DAY);
}

/** Returns the requested version, by default the latest; `undefined` when the version is not kept. */
export function versionToRevert(
  keptVersions: readonly number[],
  requestedVersion: number | undefined,
): number | undefined {
  if (requestedVersion !== undefined) return keptVersions.includes(requestedVersion) ? requestedVersion : undefined;
  return keptVersions.length === 0 ? undefined : Math.max(...keptVersions);
}
