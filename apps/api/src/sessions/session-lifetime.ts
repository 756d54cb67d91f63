import { IS_INVALID, JudgedBy, MALFORMED, MUST_BE_POSITIVE } from '../http/request-fields.js';

const DAY = 24 * 3_600;
const TEXT = /^([1-9]\d{0,4})([hd])$/;
const SECONDS_PER: Readonly<Record<string, number>> = { h: 3_600, d: DAY };
const LONGEST = 3_650 * DAY;
const DEFAULT = 30 * DAY;

/** Seconds as a number, or hours or days as in `12h` and `30d`; ten years at most. */
export function Lifetime(): PropertyDecorator {
  const whole = { type: 'integer' as const, minimum: 1, maximum: LONGEST };
  const schema = { oneOf: [whole, { type: 'string' as const, pattern: TEXT.source }, { type: 'null' as const }] };
  const description = 'seconds, or a time such as 12h or 30d; 30 days when absent, ten years at most';
  return JudgedBy(wrongLifetime, { ...schema, description }, { optional: true });
}

export function secondsOf(lifetime: number | string | null | undefined): number {
  if (typeof lifetime === 'number') return lifetime;
  const [, count, unit = ''] = TEXT.exec(lifetime ?? '') ?? [];
  return count === undefined ? DEFAULT : Number(count) * (SECONDS_PER[unit] ?? 0);
}

function wrongLifetime(value: unknown): string | undefined {
  if (typeof value === 'string') return TEXT.test(value) && secondsOf(value) <= LONGEST ? undefined : IS_INVALID;
  if (typeof value !== 'number' || !Number.isInteger(value)) return MALFORMED;
  if (value < 1) return MUST_BE_POSITIVE;
  return value <= LONGEST ? undefined : IS_INVALID;
}
