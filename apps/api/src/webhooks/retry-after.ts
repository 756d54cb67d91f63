/** Parses a number of seconds or a date. Returns null when the header is missing or unreadable. */
export function parseRetryAfter(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  const at = value.endsWith('GMT') ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}
