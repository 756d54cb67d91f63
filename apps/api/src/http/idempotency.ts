import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { WriteOnce, WrittenByAnother } from '../database/write-once.js';
import type { Answer } from './answer.js';
import * as errors from './errors.js';
import type { Speech } from './speech.js';

/** A call that its client may send again, under a key of the client's own. */
export interface KeyedCall {
  readonly appId: number;
  readonly tokenId: number;
  readonly key: string;
  /** SHA-256 of method, path and body. */
  readonly fingerprint: Buffer;
}

/** A run of a keyed call: the first, or one that goes on after the write of a run that never answered. */
export interface Run extends KeyedCall {
  readonly id: string;
  readonly once: WriteOnce;
}

/** An answer as it was sent. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: Buffer;
}

/** Where keyed calls and their answers are kept, for 24 hours. */
export interface KeyedCalls {
  /** A run of one's own, or why there is none: the call is running, the key is another call's, the answer is known. */
  begin(call: KeyedCall): Promise<Run | KeptAnswer | 'running' | 'reused'>;
  /** Tells that the run is still alive; a run that is silent for a while is taken for dead. */
  renew(run: Run): Promise<void>;
  keep(run: Run, answer: KeptAnswer): Promise<void>;
  /** Gives the call up: the next one with its key begins at once, after the write if that has happened. */
  release(run: Run): Promise<void>;
}

const LONGEST_KEY = 255;
const RENEW_MS = 5_000;
/** Answers that say nothing of the call itself: the next attempt may fare better. */
const PASSING = new Set([401, 406, 409, 413, 429]);

/** The key of a call, if it has one. An unusable one makes the request unreadable. */
export function idempotencyKey({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key === '' || key.length > LONGEST_KEY) throw new errors.HttpProblem(400);
  return key;
}

export function fingerprintOf(method: string, path: string, body: Buffer | undefined): Buffer {
  const hash = createHash('sha256').update(`${method} ${path}\n`);
  return (body === undefined ? hash : hash.update(body)).digest();
}

/** Answers a keyed call: by doing its work, or by what is known of an earlier run. */
export async function answeredOnce(
  calls: KeyedCalls,
  call: KeyedCall,
  speech: Speech,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const begun = await calls.begin(call);
  if (begun === 'reused') return errors.refusalAnswer({ refused: 'API.Idempotency.KeyReused' }, speech);
  if (begun === 'running') return inProgress(speech);
  if ('status' in begun) return replayed(begun);
  const renewal = setInterval(() => void calls.renew(begun).catch(ignored), RENEW_MS);
  try {
    return await answered(calls, begun, work);
  } catch (error) {
    await calls.release(begun).catch(ignored);
    if (error instanceof WrittenByAnother) return inProgress(speech);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

async function answered(calls: KeyedCalls, run: Run, work: () => Promise<Answer>): Promise<Answer> {
  const answer = await run.once.run(async () => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof errors.HttpProblem) return errors.problemAnswer(error);
      throw error;
    }
  });
  if (answer.status >= 500 || PASSING.has(answer.status)) await calls.release(run);
  // What is done is done: a client that cannot be given the same answer again is still answered this time.
  else await calls.keep(run, keptAnswer(answer)).catch(ignored);
  return run.once.isWritten ? replayed(answer) : answer;
}

function keptAnswer({ status, body, text, headers = {} }: Answer): KeptAnswer {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  return { status, headers, ...(sent !== undefined && { text: Buffer.from(sent) }) };
}

function replayed(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } };
}

function inProgress(speech: Speech): Answer {
  const answer = errors.refusalAnswer({ refused: 'API.Idempotency.InProgress' }, speech);
  return { ...answer, status: 409, headers: { 'Retry-After': '1' } };
}

/** The lease runs out by itself. */
function ignored(): void {}
