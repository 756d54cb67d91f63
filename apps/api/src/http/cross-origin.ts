import cors from 'cors';
import type { RequestHandler } from 'express';

/** Maximum time for which a browser caches the answer of a preflight. */
const PREFLIGHT_SECONDS = 7_200;

const EXPOSED_HEADERS = [
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Ignored-Parameters',
  'Limit-Applied',
  'Link',
  'Next-Cursor',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'Token-Expires',
  'X-Request-Id',
];

export function allowOrigins(origins: readonly string[]): RequestHandler {
  return cors({ origin: [...origins], exposedHeaders: EXPOSED_HEADERS, maxAge: PREFLIGHT_SECONDS });
}
