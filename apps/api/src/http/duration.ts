import { IS_INVALID, MALFORMED, MUST_BE_POSITIVE } from '@back-office/kernel';
import { ValidatedBy } from './request-fields.js';

export const DAY_SECONDS = 24 * 3_600;
const DURATION = /^([1-9]\d{0,4})([hd])$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3_600, d: DAY_SECONDS };

/** Accepts a number of seconds, or a text such as `12h` or `30d`. */
export function Duration(maxSeconds: number, limits: string): PropertyDecorator {
  const seconds = { type: 'integer' as const, minimum: 1, maximum: maxSeconds };
  const schema = { oneOf: [seconds, { type: 'string' as const, pattern: DURATION.source }, { type: 'null' as const }] };
  const description = `seconds, or a duration such as 12h or 30d; ${limits}`;
  const validate = (value: unknown): string | undefined => validateDuration(value, maxSeconds);
  return ValidatedBy(validate, { ...schema, description });
}

export function parseDuration(duration: number | string | null | undefined, defaultSeconds: number): number {
  if (typeof duration === 'number') return duration;
  const [, count, unit = ''] = DURATION.exec(duration ?? '') ?? [];
  return count === undefined ? defaultSeconds : Number(count) * (UNIT_SECONDS[unit] ?? 0);
}

function validateDuration(value: unknown, maxSeconds: number): string | undefined {
  if (typeof value === 'string')
    return DURATION.test(value) && parseDuration(value, 0) <= maxSeconds ? undefined : IS_INVALID;
  if (typeof value !== 'number' || !Number.isInteger(value)) return MALFORMED;
  if (value < 1) return MUST_BE_POSITIVE;
  return value <= maxSeconds ? undefined : IS_INVALID;
}
