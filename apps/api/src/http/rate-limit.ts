import type { RequestHandler, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { TokenHolder } from '@back-office/apps';
import { HttpProblem } from './errors.js';

/** A window of `seconds` starts with the first call. */
export interface RateLimit {
  readonly calls: number;
  readonly seconds: number;
}

/**
 * Limits the calls per token, in this process only, before a body is read. Every answer has the headers of
 * draft-ietf-httpapi-ratelimit-headers-11.
 */
export function limitRate(limit: RateLimit | undefined): RequestHandler {
  if (limit === undefined) return (_request, _response, next) => next();
  const limiter = new RateLimiterMemory({ points: limit.calls, duration: limit.seconds });
  return async (_request, response, next) => {
    const { tokenId } = response.locals['holder'] as TokenHolder;
    const count = await countCall(limiter, tokenId);
    const seconds = Math.ceil(count.msBeforeNext / 1_000);
    setHeaders(response, limit, count.remainingPoints, seconds);
    const isExceeded = count.consumedPoints > limit.calls;
    next(isExceeded ? new HttpProblem(429, { 'Retry-After': String(seconds) }) : undefined);
  };
}

/** The library throws its count when the limit is exceeded. */
async function countCall(limiter: RateLimiterMemory, tokenId: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(tokenId);
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  }
}

function setHeaders(
  response: Response,
  { calls, seconds }: RateLimit,
  remainingCalls: number,
  remainingSeconds: number,
): void {
  response.setHeader('RateLimit-Policy', `"token";q=${calls};w=${seconds}`);
  response.setHeader('RateLimit', `"token";r=${remainingCalls};t=${remainingSeconds}`);
}
