import type { RequestHandler } from 'express';
import type { ServerResponse } from 'node:http';
import { HttpProblem } from './errors.js';

/** How much of a request is read on and discarded once it has been answered. */
export interface DiscardLimits {
  readonly bytes: number;
  readonly ms: number;
  /** Maximum silence. */
  readonly quietMs: number;
}

const LIMITS: DiscardLimits = { bytes: 256 * 2 ** 20, ms: 30_000, quietMs: 1_000 };

const answered = new WeakSet<ServerResponse>();

/** Whether the whole answer has been handed to the client, although its request is still coming. */
export function isAnsweredEarly(response: ServerResponse): boolean {
  return answered.has(response);
}

/**
 * Answers a request that is still coming, on a connection that is then closed. A close with unread bytes resets the
 * connection, and the client loses the answer; so what it still sends is discarded, within limits. `payload` is the
 * whole body, of the length that the head says.
 */
export function answerEarly(response: ServerResponse, payload: string | Buffer, limits: DiscardLimits = LIMITS): void {
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

/** By how much a compressed body may exceed what it expands to. */
const COMPRESSION_BYTES = 65_536;

/** Refuses a body that is surely too large while it still comes; parsers by themselves read it to its end first. */
export function withinBytes(maxBytes: number, parse: RequestHandler): RequestHandler {
  const limit = maxBytes + COMPRESSION_BYTES;
  return (request, response, next) => {
    if (Number(request.headers['content-length']) > limit) return next(tooLarge());
    let received = 0;
    const count = (chunk: Buffer): void => {
      received += chunk.length;
      if (received <= limit) return;
      request.off('data', count);
      next(tooLarge());
    };
    // Before the parser listens, but in the same turn: no byte comes in between.
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
