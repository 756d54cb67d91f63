import { ValidatedBy } from '../http/request-fields.js';
import { IS_INVALID, MALFORMED, MUST_BE_POSITIVE } from '@back-office/kernel';

const DAY_SECONDS = 24 * 3_600;
const DURATION = /^([1-9]\d{0,4})([hd])$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3_600, d: DAY_SECONDS };
const MAX_SECONDS = 3_650 * DAY_SECONDS;
const DEFAULT_SECONDS = 30 * DAY_SECONDS;

export function Lifetime(): PropertyDecorator {
  const seconds = { type: 'integer' as const, minimum: 1, maximum: MAX_SECONDS };
  const schema = { oneOf: [seconds, { type: 'string' as const, pattern: DURATION.source }, { type: 'null' as const }] };
  const description = 'seconds, or a duration such as 12h or 30d; default 30 days, at most ten years';
  return ValidatedBy(validateLifetime, { ...schema, description }, { optional: true });
}

export function parseLifetime(lifetime: number | string | null | undefined): number {
  if (typeof lifetime === 'number') return lifetime;
  const [, count, unit = ''] = DURATION.exec(lifetime ?? '') ?? [];
  return count === undefined ? DEFAULT_SECONDS : Number(count) * (UNIT_SECONDS[unit] ?? 0);
}

function validateLifetime(value: unknown): string | undefined {
  if (typeof value === 'string')
    return DURATION.test(value) && parseLifetime(value) <= MAX_SECONDS ? undefined : IS_INVALID;
  if (typeof value !== 'number' || !Number.isInteger(value)) return MALFORMED;
  if (value < 1) return MUST_BE_POSITIVE;
  return value <= MAX_SECONDS ? undefined : IS_INVALID;
}
