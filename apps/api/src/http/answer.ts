import type { Refusal } from '@back-office/kernel';
import { isRefusal } from '@back-office/kernel';

export interface Answer {
  readonly status: number;
  /** Sent as JSON, unless `text` holds it ready made. */
  readonly body?: unknown;
  readonly text?: string | Buffer;
  /** In place of `text` when there may be too much of it to hold: sent as it comes. */
  readonly chunks?: AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The message keys or texts of a refusal, untranslated: for the log. */
  readonly keys?: readonly string[];
}

/** What a handler may return: a refusal is answered by its key, `undefined` as a missing record. */
export type Outcome = Answer | Refusal | undefined;

export function ok(data: unknown): Answer {
  return { status: 200, body: { data } };
}

/** A page or record that SQL has already written as JSON. */
export function okText(dataJson: string): Answer {
  return { status: 200, text: `{"data":${dataJson}}` };
}

/** A list that SQL writes as JSON, a run of entries at a time. */
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

/** Presents a use case's result; refusals and absence pass through. */
export function answered<Result>(outcome: Result | Refusal | undefined, present: (result: Result) => Answer): Outcome {
  if (outcome === undefined || isRefusal(outcome)) return outcome as Refusal | undefined;
  return present(outcome);
}
