import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextPass } from 'node:timers/promises';
import type { Answer } from './answer.js';
import { answerEarly, TOO_LARGE } from './early-answer.js';
import { asProblemDocument } from './problem-document.js';
import { sliceEnd } from './slice-end.js';

/**
 * Sends the answer and returns the size of its body in bytes, before compression. Closes the connection when headers
 * were already sent.
 */
export function send(response: Response, jsonAnswer: Answer): number {
  if (response.headersSent) {
    response.destroy();
    return 0;
  }
  const answer = asProblemDocument(jsonAnswer, response);
  const { body, text } = answer;
  const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
  setHead(response, answer, payload !== undefined);
  if (payload === undefined) {
    response.end();
    return 0;
  }
  const bytes = Buffer.byteLength(payload);
  response.setHeader('Content-Length', bytes);
  if (answer.status === TOO_LARGE && !response.req.complete) answerEarly(response, payload);
  else if (typeof payload === 'string' && payload.length > SLICE_LENGTH) void sendSlices(response, payload);
  else response.end(payload);
  return bytes;
}

/** Encoding megabytes in one step would delay all other calls. */
const SLICE_LENGTH = 256 * 1024;

async function sendSlices(response: Response, text: string): Promise<void> {
  let resume = (): void => {};
  // The compression library moves `drain` listeners to its own stream and cannot remove them, so one listener stays.
  response.on('drain', () => resume()).once('close', () => resume());
  const waitForDrain = (): Promise<void> => new Promise((resolve) => (resume = resolve));
  for (let start = 0; start < text.length && !response.destroyed;) {
    const end = sliceEnd(text, start + SLICE_LENGTH);
    const isDrained = response.write(text.slice(start, end));
    start = end;
    await (isDrained ? nextPass() : waitForDrain());
  }
  response.end();
}

function setHead(response: Response, { status, headers, problems }: Answer, hasBody: boolean): void {
  response.locals['keys'] = problems?.map(({ key }) => key);
  response.status(status).setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (!hasBody || response.hasHeader('Content-Type')) return;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
}

/** Sends chunks as fast as the client reads them. Closes the connection when a chunk after the first fails. */
export async function sendChunks(response: Response, answer: Answer, chunks: AsyncIterable<string>): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  // Headers are sent after the first chunk has arrived, so an earlier failure can still get an error answer.
  const firstChunk = await iterator.next();
  setHead(response, answer, true);
  try {
    await pipeline(chunksFrom(firstChunk, iterator), response);
  } catch (error) {
    // This code means that the client has closed the connection. The service has not failed.
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function* chunksFrom<Chunk>(
  firstChunk: IteratorResult<Chunk>,
  iterator: AsyncIterator<Chunk>,
): AsyncGenerator<Chunk> {
  for (let chunk = firstChunk; !chunk.done; chunk = await iterator.next()) yield chunk.value;
}
