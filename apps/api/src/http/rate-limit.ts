import type { RequestHandler, Response } from 'express';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { TokenHolder } from '@back-office/apps';
import { TooManyCalls } from './errors.js';

/** Maximum number of calls in a window of `seconds`, which starts with its first call. */
export interface RateLimit {
  readonly calls: number;
  readonly seconds: number;
}

/** Counts calls per key in the current window. */
export interface CallCounter {
  readonly limit: RateLimit;
  count(key: string): Promise<RateLimiterRes>;
  /** Subtracts one call. */
  uncount(key: string): Promise<void>;
}

export interface RateLimits {
  readonly perToken: CallCounter;
  /** Counts calls without a valid token, per address. */
  readonly perAddress: CallCounter;
}

/**
 * Limits the calls per token, before a body is read. Every answer has the headers of
 * draft-ietf-httpapi-ratelimit-headers-11.
 */
export function limitTokenRate(counter: CallCounter | undefined): RequestHandler {
  if (counter === undefined) return (_request, _response, next) => next();
  return async (_request, response, next) =>
    next(await countToken(counter, (response.locals['holder'] as TokenHolder).tokenId, response));
}

/** Counts a call with a valid token. Returns an error above the limit. */
export async function countToken(
  counter: CallCounter | undefined,
  tokenId: number,
  response: Pick<Response, 'setHeader'>,
): Promise<TooManyCalls | undefined> {
  if (counter === undefined) return undefined;
  const count = await counter.count(String(tokenId));
  response.setHeader('RateLimit-Policy', policyOf('token', counter));
  response.setHeader('RateLimit', remainderOf('token', count));
  return isExceeded(counter, count) ? new TooManyCalls('token_rate', retryAfter(count)) : undefined;
}

/** Counts a call without a known token. Returns an error above the limit of the address. */
export async function countStranger(
  counter: CallCounter | undefined,
  address: string,
): Promise<TooManyCalls | undefined> {
  const count = await counter?.count(address);
  if (counter === undefined || count === undefined || !isExceeded(counter, count)) return undefined;
  return new TooManyCalls('address_rate', {
    'RateLimit-Policy': policyOf('address', counter),
    RateLimit: remainderOf('address', count),
    ...retryAfter(count),
  });
}

function isExceeded({ limit }: CallCounter, { consumedPoints }: RateLimiterRes): boolean {
  return consumedPoints > limit.calls;
}

function policyOf(name: string, { limit }: CallCounter): string {
  return `"${name}";q=${limit.calls};w=${limit.seconds}`;
}

function remainderOf(name: string, count: RateLimiterRes): string {
  return `"${name}";r=${count.remainingPoints};t=${secondsLeft(count)}`;
}

function retryAfter(count: RateLimiterRes): Record<string, string> {
  return { 'Retry-After': String(secondsLeft(count)) };
}

function secondsLeft({ msBeforeNext }: RateLimiterRes): number {
  return Math.ceil(msBeforeNext / 1_000);
}
