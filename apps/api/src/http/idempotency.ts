import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isWrittenByAnother } from '@back-office/database';
import type { Answer } from './answer.js';
import * as errors from './errors.js';
import type { StoredAnswer, KeyedCall, KeyedCalls, Run, Speech } from '@back-office/apps';

const MAX_KEY_LENGTH = 255;
const RENEW_MS = 5_000;
/** Statuses that are not kept: a retry may get another answer. */
const NOT_KEPT = new Set([401, 406, 409, 413, 429]);

/** The idempotency key of a call. Throws 400 for an invalid one. */
export function idempotencyKey({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH) throw new errors.HttpProblem(400);
  return key;
}

export function fingerprintOf(method: string, path: string, body: Buffer | undefined): Buffer {
  const hash = createHash('sha256').update(`${method} ${path}\n`);
  return (body === undefined ? hash : hash.update(body)).digest();
}

/** Answers a keyed call by running it or from an earlier run. */
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
    if (isWrittenByAnother(error)) return inProgress(speech);
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
  if (answer.status >= 500 || NOT_KEPT.has(answer.status)) await calls.release(run);
  // The work is done: the client gets this answer even when it cannot be kept.
  else await calls.keep(run, keptAnswer(answer)).catch(ignored);
  return run.once.isWritten ? replayed(answer) : answer;
}

function keptAnswer({ status, body, text, headers = {} }: Answer): StoredAnswer {
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

/** The lease expires by itself. */
function ignored(): void {}
