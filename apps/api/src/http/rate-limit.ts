import type { RequestHandler, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { TokenHolder } from './authentication.js';
import { HttpProblem } from './errors.js';

/** So many calls in so many seconds, counted from the first of them. */
export interface RateLimit {
  readonly calls: number;
  readonly seconds: number;
}

/**
 * Counts the calls of each token, in this process alone, and refuses what is too much before any body is read.
 * The heads of all answers say how much is left (draft-ietf-httpapi-ratelimit-headers-11).
 */
export function rateLimited(limit: RateLimit | undefined): RequestHandler {
  if (limit === undefined) return (_request, _response, next) => next();
  const limiter = new RateLimiterMemory({ points: limit.calls, duration: limit.seconds });
  return async (_request, response, next) => {
    const { tokenId } = response.locals['holder'] as TokenHolder;
    const count = await counted(limiter, tokenId);
    const seconds = Math.ceil(count.msBeforeNext / 1_000);
    tell(response, limit, count.remainingPoints, seconds);
    const isTooMuch = count.consumedPoints > limit.calls;
    next(isTooMuch ? new HttpProblem(429, { 'Retry-After': String(seconds) }) : undefined);
  };
}

/** The library throws what it has counted when that is too much. */
async function counted(limiter: RateLimiterMemory, tokenId: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(tokenId);
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  }
}

function tell(response: Response, { calls, seconds }: RateLimit, left: number, secondsLeft: number): void {
  response.setHeader('RateLimit-Policy', `"token";q=${calls};w=${seconds}`);
  response.setHeader('RateLimit', `"token";r=${left};t=${secondsLeft}`);
}
