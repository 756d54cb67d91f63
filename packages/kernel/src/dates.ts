/** Formats a datetime for the API: UTC, without offset and fraction. */
export function formatDateTime(date: Date): string {
  return date.toISOString().slice(0, 19);
}

export function formatOptional(date: Date | null): string | null {
  return date === null ? null : formatDateTime(date);
}

const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?)?$/;
const MINUTE_MS = 60_000;
const MAX_OFFSET_HOURS = 23;
const MAX_OFFSET_MINUTES = 59;

export interface Moment {
  readonly at: Date;
  readonly isDateOnly: boolean;
}

/**
 * Parses a date, or a date and a time in the extended form of ISO 8601. Seconds, fraction and offset are optional, and
 * the separator may be a blank. Returns `undefined` for another text. Without an offset, the time is UTC.
 */
export function parseMoment(text: string): Moment | undefined {
  const [matched, day = '', time, second = '00', fraction = '', sign, hours = '0', minutes = '0'] =
    DATE_TIME.exec(text) ?? [];
  if (matched === undefined || time?.startsWith('24')) return undefined;
  if (Number(hours) > MAX_OFFSET_HOURS || Number(minutes) > MAX_OFFSET_MINUTES) return undefined;
  const millisecond = fraction.slice(0, 3).padEnd(3, '0');
  const local = new Date(`${day}T${time ?? '00:00'}:${second}.${millisecond}Z`);
  // Refuses 30 February, which `Date` turns into a day of March.
  if (Number.isNaN(local.getTime()) || local.toISOString().slice(0, 10) !== day) return undefined;
  const offsetMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  const at = new Date(local.getTime() - offsetMs);
  return Number(day.slice(0, 4)) > 0 && hasFourDigitYear(at) ? { at, isDateOnly: time === undefined } : undefined;
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
