import { SCOPE_MISSING, statusOf, TOKEN_FAILURES } from './errors.js';
import { ANSWER_NOT_STORED } from './idempotency.js';
import type { Route } from './route.js';
import { WRONG_DATA_TYPE } from './wrong-types.js';

/** Whether the route obeys an `Idempotency-Key`; otherwise it ignores the header. */
export function acceptsIdempotencyKey({ method, returnsSecret }: Pick<Route, 'method' | 'returnsSecret'>): boolean {
  return method !== 'get' && !returnsSecret;
}

/** Returns all message keys with which the route can answer, by status. */
export function errorKeysOf(route: Route): ReadonlyMap<number, readonly string[]> {
  const entries: [status: number, key: string][] = [
    ...TOKEN_FAILURES.map((key): [number, string] => [401, key]),
    ...(route.scope === undefined ? [] : [[403, SCOPE_MISSING] as [number, string]]),
    ...(route.refusals ?? []).map((key): [number, string] => [statusOf(key), key]),
    ...(route.failedRows ?? []).map((key): [number, string] => [successStatusOf(route), key]),
  ];
  if (route.missingKey) entries.push([404, route.missingKey]);
  if (route.listsWrongTypes) entries.push([400, WRONG_DATA_TYPE]);
  if (acceptsIdempotencyKey(route))
    entries.push([409, 'API.Idempotency.InProgress'], [422, 'API.Idempotency.KeyReused'], [422, ANSWER_NOT_STORED]);
  const byStatus = new Map<number, string[]>();
  for (const [status, key] of entries) byStatus.set(status, [...new Set([...(byStatus.get(status) ?? []), key])]);
  return byStatus;
}

function successStatusOf({ answers }: Route): number {
  return Math.min(...Object.keys(answers).map(Number));
}

export function isMessageKey(message: string): boolean {
  return /^(?:API\.)?[A-Z]\w*(?:\.[A-Z]\w*)+$/.test(message);
}
