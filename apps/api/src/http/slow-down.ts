import type { Request, RequestHandler, Response } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { setTimeout as pause } from 'node:timers/promises';
import { MEDIA_ROUTE } from './base-path.js';

const FREE_CALLS = 1_000;
const PERIOD_SECONDS = 10;
/**
 * Shorter than the usual timeout of a health probe, 1 s. A probe may have the same address as strangers behind a proxy.
 */
const DELAY_MS = 500;

/**
 * Delays calls of an address that has sent many calls without a valid token. Without a delay, a few hundred connections
 * that retry at once would fill every pass of the event loop.
 */
export function slowDownStrangers(callerOf: (request: Request) => number | string): RequestHandler {
  const strangers = new RateLimiterMemory({
    points: FREE_CALLS,
    duration: PERIOD_SECONDS,
    blockDuration: PERIOD_SECONDS,
  });
  return async (request, response, next) => {
    const caller = callerOf(request);
    if (typeof caller === 'number') return next();
    response.once('close', () => isCallOfStranger(response) && void strangers.consume(caller).catch(() => {}));
    const calls = await strangers.get(caller);
    if (calls !== null && calls.consumedPoints > FREE_CALLS) await pause(DELAY_MS);
    next();
  };
}

/** Returns whether the call had no valid token and did not get a public file. */
function isCallOfStranger({ locals, statusCode, headersSent }: Response): boolean {
  const isServedFile = locals['route'] === MEDIA_ROUTE && headersSent && statusCode < 400;
  return locals['holder'] === undefined && locals['hasValidToken'] !== true && !isServedFile;
}
