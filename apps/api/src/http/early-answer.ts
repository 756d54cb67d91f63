import type { RequestHandler } from 'express';
import type { ServerResponse } from 'node:http';
import { HttpProblem } from './errors.js';

export interface DiscardLimits {
  readonly maxBytes: number;
  readonly maxMs: number;
  /** Maximum pause between two chunks of the request. */
  readonly pauseMs: number;
}

const LIMITS: DiscardLimits = { maxBytes: 256 * 2 ** 20, maxMs: 30_000, pauseMs: 5_000 };

const earlyResponses = new WeakSet<ServerResponse>();

/** Returns true when the answer is complete but the request is still arriving. */
export function isAnsweredEarly(response: ServerResponse): boolean {
  return earlyResponses.has(response);
}

/**
 * Answers a request that is still arriving, then closes the connection. Unread bytes would make TCP reset the
 * connection and lose the answer, so the rest of the request is discarded, within limits. `payload` is the whole body
 * of the answer.
 */
export function answerEarly(
  response: ServerResponse,
  payload: string | Uint8Array,
  limits: DiscardLimits = LIMITS,
): void {
  const { req: request } = response;
  let remainingBytes = limits.maxBytes;
  const finish = (): void => {
    clearTimeout(totalTimer);
    clearTimeout(pauseTimer);
    request.off('data', discard);
    response.end();
  };
  const totalTimer = setTimeout(finish, limits.maxMs);
  const pauseTimer = setTimeout(finish, limits.pauseMs);
  const discard = (chunk: Buffer): void => {
    pauseTimer.refresh();
    remainingBytes -= chunk.length;
    if (remainingBytes < 0) finish();
  };
  request.once('end', finish).once('close', finish).on('data', discard).resume();
  response.write(payload, () => earlyResponses.add(response));
}

const MAX_COMPRESSION_OVERHEAD_BYTES = 65_536;

/** Refuses a body as soon as it exceeds the limit. A parser alone would first read the whole body. */
export function limitBytes(maxBytes: number, parse: RequestHandler): RequestHandler {
  const limit = maxBytes + MAX_COMPRESSION_OVERHEAD_BYTES;
  return (request, response, next) => {
    if (Number(request.headers['content-length']) > limit) return next(tooLarge());
    let receivedBytes = 0;
    const countChunk = (chunk: Buffer): void => {
      receivedBytes += chunk.length;
      if (receivedBytes <= limit) return;
      request.off('data', countChunk);
      next(tooLarge());
    };
    // The counter and the parser listen before the first chunk can arrive, so neither misses a byte.
    request.on('data', countChunk);
    return parse(request, response, (error?: unknown) => {
      request.off('data', countChunk);
      if (receivedBytes <= limit) next(error);
    });
  };
}

export const TOO_LARGE = 413;

export function tooLarge(): HttpProblem {
  return new HttpProblem(TOO_LARGE, { Connection: 'close' });
}
