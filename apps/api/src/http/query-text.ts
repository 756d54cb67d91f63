import { isSound } from '@back-office/kernel';
import qs from 'qs';
import { HttpProblem } from './errors.js';

const MOST_ENTRIES = 1_000;
const MOST_PARAMETERS = 2_000;
const DEEPEST = 2;
const FORBIDDEN_KEY = /(?:^|[[\]&.])(?:__proto__|constructor|prototype)(?:[[\]=&.]|$)/;

/** The query string as values: texts, lists of texts and lists of objects. Anything beyond the limits is a 400. */
export function parseQuery(text: string): Record<string, unknown> {
  if (text === '') return {};
  if (FORBIDDEN_KEY.test(decoded(text))) throw new HttpProblem(400);
  try {
    return qs.parse(text, {
      plainObjects: true,
      depth: DEEPEST,
      strictDepth: true,
      arrayLimit: MOST_ENTRIES,
      parameterLimit: MOST_PARAMETERS,
      throwOnLimitExceeded: true,
    }) as Record<string, unknown>;
  } catch {
    throw new HttpProblem(400);
  }
}

/** Refuses a query that holds text which no record can hold. Lists whose filters are ignored when unusable do not ask. */
export function assertSoundQuery(query: Readonly<Record<string, unknown>>): void {
  if (!Object.entries(query).every(([name, value]) => isSoundValue(name) && isSoundValue(value))) {
    throw new HttpProblem(400);
  }
}

function isSoundValue(value: unknown): boolean {
  if (typeof value === 'string') return isSound(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isSoundValue);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
