import { acceptsIdempotencyKey } from './error-keys.js';
import { hasMaximumLimit } from './list-headers.js';
import type { Route } from './route.js';

type Json = Record<string, unknown>;

/** Response headers that many calls share. */
export const HEADERS: Readonly<Record<string, Json>> = {
  'X-Request-Id': {
    description: 'Id of the request in the log: the one of the caller, or a new one',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'Remaining calls of the token, and the seconds until the count starts again',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'Calls that the token may make, and in how many seconds',
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': {
    description: '`true` when the response is the kept answer of an earlier call with the same `Idempotency-Key`',
    schema: { type: 'string', enum: ['true'] },
  },
  'Next-Cursor': {
    description: 'The `cursor` of the next page; missing on the last page',
    schema: { type: 'string' },
  },
  'Limit-Applied': {
    description: 'Maximum number of rows, when the call asked for more; missing otherwise',
    schema: { type: 'integer' },
  },
  'Ignored-Parameters': {
    description: 'Parameters whose values were ignored, separated by commas, in the order of the query',
    schema: { type: 'string' },
  },
  'Token-Expires': {
    description: "End of the token's validity, in UTC; only in its last 30 days",
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Tag of the record or list; changes when its fields change, except `expires_in_seconds`',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt', schema: { type: 'integer' } },
};

export const DEPRECATION_HEADERS: Readonly<Record<string, Json>> = {
  Deprecation: {
    description: 'Time since which the call is deprecated, as `@` and seconds since 1970; see `Sunset` for its end',
    schema: { type: 'string' },
  },
  Sunset: { description: 'HTTP date on which the call ends', schema: { type: 'string' } },
};

function isTagged({ method, media, isStreamed }: Route, status: number): boolean {
  return method === 'get' && media === undefined && !isStreamed && (status === 200 || status === 304);
}

const isSuccess = (status: number): boolean => status < 300;

export function headersOf(route: Route, status: number): Json {
  return refsTo([
    'X-Request-Id',
    ...(route.caller === 'public' ? [] : ['RateLimit', 'RateLimit-Policy']),
    ...(route.caller === 'app' ? ['Token-Expires'] : []),
    ...(isSuccess(status) && route.query?.['cursor'] ? ['Next-Cursor'] : []),
    ...(isSuccess(status) && hasMaximumLimit(route) ? ['Limit-Applied'] : []),
    ...(isSuccess(status) && route.ignoresInvalidFilters ? ['Ignored-Parameters'] : []),
    ...(isTagged(route, status) ? ['ETag'] : []),
    ...(route.deprecated ? Object.keys(DEPRECATION_HEADERS) : []),
    ...(acceptsIdempotencyKey(route) ? ['Idempotency-Replayed'] : []),
  ]);
}

export function refsTo(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
