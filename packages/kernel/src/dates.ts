/** Formats a datetime for the API: UTC, without offset and fraction. */
export function formatDateTime(date: Date): string {
  return date.toISOString().slice(0, 19);
}

export function formatOptional(date: Date | null): string | null {
  return date === null ? null : formatDateTime(date);
}

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?)?$/;

export interface Moment {
  readonly at: Date;
  readonly isDateOnly: boolean;
}

/** Parses a date, or a datetime with optional fraction and offset; returns `undefined` for an invalid text. */
export function parseMoment(text: string): Moment | undefined {
  const match = DATE_TIME.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, , , offset] = match;
  const isDateOnly = hour === undefined;
  const at = new Date(isDateOnly ? `${text}T00:00:00Z` : offset === undefined ? `${text}Z` : text);
  if (Number.isNaN(at.getTime())) return undefined;
  // Refuses 30 February, which `Date` would turn into a day of March.
  const isSameDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  return isSameDay && Number(year) > 0 && hasFourDigitYear(at) ? { at, isDateOnly } : undefined;
}

/**
 * Returns false outside the years 0001 to 9999, because such a datetime cannot be formatted. An offset can move a
 * datetime out of these years.
 */
function hasFourDigitYear(at: Date): boolean {
  return at.getUTCFullYear() >= 1 && at.getUTCFullYear() <= 9999;
}

export function addSeconds(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1_000);
}

export function addHours(date: Date, hours: number): Date {
  return new Date(date.getTime() + hours * 3_600_000);
}
