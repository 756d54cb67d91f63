import type { Refusal } from '@back-office/kernel';
import { isRefusal } from '@back-office/kernel';

export interface Answer {
  readonly status: number;
  /** Sent as JSON unless `text` is set. */
  readonly body?: unknown;
  readonly text?: string | Uint8Array;
  /** Streamed instead of `text` when the answer may be too large to hold. */
  readonly chunks?: AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The message keys or texts of a refusal, untranslated: for the log. */
  readonly keys?: readonly string[];
}

/** Result of a handler: an answer, a refusal, or `undefined` for a missing record. */
export type Outcome = Answer | Refusal | undefined;

export function ok(data: unknown): Answer {
  return { status: 200, body: { data } };
}

/** Answers JSON text from the database. */
export function okText(dataJson: string): Answer {
  return { status: 200, text: `{"data":${dataJson}}` };
}

/** Streams JSON text from the database, in runs of entries. */
export function okRuns(runs: AsyncIterable<string>): Answer {
  return { status: 200, chunks: listChunks(runs) };
}

async function* listChunks(runs: AsyncIterable<string>): AsyncGenerator<string> {
  let opening = '{"data":[';
  for await (const run of runs) {
    if (run === '') continue;
    yield opening + run;
    opening = ',';
  }
  yield opening === ',' ? ']}' : `${opening}]}`;
}

export function created(data: unknown): Answer {
  return { status: 201, body: { data } };
}

export const NO_CONTENT: Answer = { status: 204 };

/** Presents the result of a use case; refusals and `undefined` pass through. */
export function answered<Result>(outcome: Result | Refusal | undefined, present: (result: Result) => Answer): Outcome {
  if (outcome === undefined || isRefusal(outcome)) return outcome as Refusal | undefined;
  return present(outcome);
}
