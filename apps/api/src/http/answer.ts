import type { Refusal } from '@back-office/kernel';
import { isRefusal } from '@back-office/kernel';
import type { Problem } from './problems.js';

export interface Answer {
  readonly status: number;
  /** Value to send as JSON; ignored when `text` is set. */
  readonly body?: unknown;
  readonly text?: string | Uint8Array;
  /** Streamed body, for answers that may be too large for memory. */
  readonly chunks?: AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Reasons of a failure, for problem documents; the log contains their keys. */
  readonly problems?: readonly Problem[];
}

/** `undefined` means that the record does not exist, and becomes a 404. */
export type HandlerResult = Answer | Refusal | undefined;

export function ok(data: unknown): Answer {
  return { status: 200, body: { data } };
}

export function okJson(dataJson: string): Answer {
  return { status: 200, text: `{"data":${dataJson}}` };
}

/** Streams a JSON list. Each chunk contains comma-separated entries or is empty. */
export function okStream(chunks: AsyncIterable<string>): Answer {
  return { status: 200, chunks: wrapEntries(chunks) };
}

async function* wrapEntries(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let separator = '{"data":[';
  for await (const chunk of chunks) {
    if (chunk === '') continue;
    yield separator + chunk;
    separator = ',';
  }
  yield separator === ',' ? ']}' : `${separator}]}`;
}

export function created(data: unknown): Answer {
  return { status: 201, body: { data } };
}

export const NO_CONTENT: Answer = { status: 204 };

/** Presents a result; passes on a refusal, or `undefined` for a missing record. */
export function answerWith<Result>(
  result: Result | Refusal | undefined,
  present: (result: Result) => Answer,
): HandlerResult {
  if (result === undefined || isRefusal(result)) return result as Refusal | undefined;
  return present(result);
}
