import { parseInteger } from '@back-office/kernel';
import type { Request } from 'express';
import type { Answer } from './answer.js';
import type { Route } from './route.js';
import { unusableParameters } from './strict.js';

/** Adds headers that say which parts of the query a list did not use as sent. */
export function withListHeaders(route: Route, request: Request, answer: Answer): Answer {
  if (answer.status !== 200) return answer;
  const limit = appliedLimit(route, request);
  const ignored = route.ignoresInvalidFilters ? unusableParameters(route, request) : [];
  if (limit === undefined && ignored.length === 0) return answer;
  return {
    ...answer,
    headers: {
      ...answer.headers,
      ...(limit !== undefined && { 'Limit-Applied': String(limit) }),
      ...(ignored.length > 0 && { 'Ignored-Parameters': ignored.join(', ') }),
    },
  };
}

export function hasMaximumLimit({ query = {} }: Route): boolean {
  return Object.values(query).some(({ maximum }) => maximum !== undefined);
}

/** Returns the maximum if the query asks for more; `undefined` if a parameter asks for fewer rows. */
function appliedLimit({ query: parameters = {} }: Route, { query }: Request): number | undefined {
  const requests = Object.entries(parameters).flatMap(([name, { maximum }]) => {
    const rows = maximum === undefined ? undefined : parseInteger(query[name]);
    return rows === undefined || rows < 1 ? [] : [{ rows, maximum: maximum ?? 0 }];
  });
  return requests.every(({ rows, maximum }) => rows > maximum) ? requests[0]?.maximum : undefined;
}
