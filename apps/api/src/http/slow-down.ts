import type { Request, RequestHandler, Response } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { setTimeout as pause } from 'node:timers/promises';
import { MEDIA_ROUTE } from './base-path.js';

const FREE_CALLS = 1_000;
const PERIOD_SECONDS = 10;
/** Shorter than the usual timeout of a probe (1 s), since a probe may have the address of a proxy. */
const DELAY_MS = 500;

/**
 * Delays the calls of an address that sends many calls without a valid token. Without the delay, a few hundred
 * connections that repeat a refused call as soon as it is answered would fill every pass of the event loop.
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

/** Returns true for a call that had no valid token and was not answered with a public file. */
function isCallOfStranger({ locals, statusCode, headersSent }: Response): boolean {
  const isServedFile = locals['route'] === MEDIA_ROUTE && headersSent && statusCode < 400;
  return locals['holder'] === undefined && locals['hasValidToken'] !== true && !isServedFile;
}
