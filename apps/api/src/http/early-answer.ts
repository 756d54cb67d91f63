import type { RequestHandler } from 'express';
import type { ServerResponse } from 'node:http';
import { HttpProblem } from './errors.js';

/** How much of a request is read and discarded after its answer. */
export interface DiscardLimits {
  readonly bytes: number;
  readonly ms: number;
  /** Maximum pause between two chunks. */
  readonly quietMs: number;
}

const LIMITS: DiscardLimits = { bytes: 256 * 2 ** 20, ms: 30_000, quietMs: 1_000 };

const answered = new WeakSet<ServerResponse>();

/** Whether the answer is complete while the request is still arriving. */
export function isAnsweredEarly(response: ServerResponse): boolean {
  return answered.has(response);
}

/**
 * Answers a request that is still arriving, then closes the connection. Closing with unread bytes would reset the
 * connection and lose the answer, so the rest of the request is discarded, within limits. `payload` is the whole body.
 */
export function answerEarly(
  response: ServerResponse,
  payload: string | Uint8Array,
  limits: DiscardLimits = LIMITS,
): void {
  const { req: request } = response;
  let left = limits.bytes;
  const end = (): void => {
    clearTimeout(limit);
    clearTimeout(quiet);
    request.off('data', discard);
    response.end();
  };
  const limit = setTimeout(end, limits.ms);
  const quiet = setTimeout(end, limits.quietMs);
  const discard = (chunk: Buffer): void => {
    quiet.refresh();
    left -= chunk.length;
    if (left < 0) end();
  };
  request.once('end', end).once('close', end).on('data', discard).resume();
  response.write(payload, () => answered.add(response));
}

/** A compressed body may be this much larger than its content. */
const MAX_COMPRESSION_OVERHEAD_BYTES = 65_536;

/** Refuses a body as soon as it exceeds the limit; parsers would read it to its end first. */
export function withinBytes(maxBytes: number, parse: RequestHandler): RequestHandler {
  const limit = maxBytes + MAX_COMPRESSION_OVERHEAD_BYTES;
  return (request, response, next) => {
    if (Number(request.headers['content-length']) > limit) return next(tooLarge());
    let received = 0;
    const count = (chunk: Buffer): void => {
      received += chunk.length;
      if (received <= limit) return;
      request.off('data', count);
      next(tooLarge());
    };
    // Attached in the same turn as the parser, so no byte is missed.
    request.on('data', count);
    return parse(request, response, (error?: unknown) => {
      request.off('data', count);
      if (received <= limit) next(error);
    });
  };
}

export const TOO_LARGE = 413;

export function tooLarge(): HttpProblem {
  return new HttpProblem(TOO_LARGE, { Connection: 'close' });
}
