import { statusOf, TOKEN_FAILURES } from './errors.js';
import type { Route } from './route.js';
import { WRONG_DATA_TYPE } from './wrong-types.js';

/** Whether the call honours `Idempotency-Key`. */
export function isKeyed({ method, answersSecret }: Pick<Route, 'method' | 'answersSecret'>): boolean {
  return method !== 'get' && !answersSecret;
}

/** Message keys and texts that a call may answer, by status. Field errors are not included. */
export function errorKeysOf(route: Route): ReadonlyMap<number, readonly string[]> {
  const found: [status: number, key: string][] = [
    ...TOKEN_FAILURES.map((key): [number, string] => [401, key]),
    ...(route.refusals ?? []).map((key): [number, string] => [statusOf(key), key]),
    ...(route.failedRows ?? []).map((key): [number, string] => [successOf(route), key]),
  ];
  if (route.missing) found.push([404, route.missing]);
  if (route.namesWrongTypes) found.push([400, WRONG_DATA_TYPE]);
  if (isKeyed(route)) found.push([409, 'API.Idempotency.InProgress'], [422, 'API.Idempotency.KeyReused']);
  const byStatus = new Map<number, string[]>();
  for (const [status, key] of found) byStatus.set(status, [...new Set([...(byStatus.get(status) ?? []), key])]);
  return byStatus;
}

function successOf({ answers }: Route): number {
  return Math.min(...Object.keys(answers).map(Number));
}

/** Whether the message is a key, not a text. */
export function isKey(message: string): boolean {
  return /^(?:API\.)?[A-Z]\w*(?:\.[A-Z]\w*)+$/.test(message);
}
