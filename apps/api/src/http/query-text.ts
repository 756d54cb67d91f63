import { isStorable } from '@back-office/kernel';
import qs from 'qs';
import { HttpProblem, invalidParameter } from './errors.js';

const MAX_ENTRIES = 1_000;
const MAX_PARAMETERS = 2_000;
const MAX_DEPTH = 2;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** Parses a query string into strings, lists of strings and lists of objects. Throws 400 above the limits. */
export function parseQuery(text: string | null): Record<string, unknown> {
  // Express passes null for a URL without a question mark.
  if (text === null || text === '') return {};
  if (text.split('&').some(hasForbiddenKey)) throw new HttpProblem(400);
  try {
    return qs.parse(text, {
      plainObjects: true,
      depth: MAX_DEPTH,
      strictDepth: true,
      arrayLimit: MAX_ENTRIES,
      parameterLimit: MAX_PARAMETERS,
      throwOnLimitExceeded: true,
    });
  } catch {
    throw new HttpProblem(400);
  }
}

/** Throws 400 for text that the database cannot store, such as a null character. */
export function assertStorableQuery(query: Readonly<Record<string, unknown>>): void {
  const isStorableEntry = ([name, value]: [string, unknown]) => isStorableValue(name) && isStorableValue(value);
  const [invalidName] = Object.entries(query).find((entry) => !isStorableEntry(entry)) ?? [];
  if (invalidName !== undefined) throw invalidParameter(invalidName);
}

/** Splits a list parameter, which may be repeated, have brackets or contain commas. Throws 400 for too many entries. */
export function parseListEntries(value: unknown): unknown[] {
  const entries = [value].flat().flatMap((entry: unknown) => (typeof entry === 'string' ? entry.split(',') : [entry]));
  if (entries.length > MAX_ENTRIES) throw new HttpProblem(400);
  return entries;
}

function isStorableValue(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorableValue);
}

function hasForbiddenKey(parameter: string): boolean {
  const bracket = parameter.indexOf(']=');
  const end = bracket < 0 ? parameter.indexOf('=') : bracket + 1;
  const key = tryDecode(end < 0 ? parameter : parameter.slice(0, end));
  return key.split(/[[\].]/).some((part) => FORBIDDEN_KEYS.has(part));
}

function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
