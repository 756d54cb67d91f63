import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isWrittenByAnother } from '@back-office/database';
import type { Answer } from './answer.js';
import * as errors from './errors.js';
import type { StoredAnswer, KeyedCall, KeyedCalls, Run, Speech } from '@back-office/apps';

/** Message key for a repeat of a completed call whose answer is not stored, because the app has too many stored answers. */
export const ANSWER_NOT_STORED = 'API.Idempotency.AnswerNotKept';

const MAX_KEY_LENGTH = 255;
const RENEW_MS = 5_000;
/** A retry after these statuses may succeed, so their answers are not stored. */
const NOT_STORED_STATUSES = new Set([401, 406, 409, 412, 413, 429]);

/** Returns `undefined` without a key; throws 400 for an invalid key. */
export function parseIdempotencyKey({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH)
    throw errors.badRequest('Request.InvalidHeader', { details: { header: 'Idempotency-Key' } });
  return key;
}

export function fingerprintOf(method: string, path: string, body: Buffer | undefined): Buffer {
  const hash = createHash('sha256').update(`${method} ${path}\n`);
  return (body === undefined ? hash : hash.update(body)).digest();
}

/**
 * Runs `work` once per key and stores the answer; a repeat gets the stored answer. `format` converts the answer before
 * it is stored.
 */
export async function answerOnce(
  calls: KeyedCalls,
  call: KeyedCall,
  { speech, format }: { readonly speech: Speech; readonly format: (answer: Answer) => Answer },
  work: () => Promise<Answer>,
): Promise<Answer> {
  const claim = await calls.begin(call);
  if (claim === 'reused') return errors.refusalAnswer({ refused: 'API.Idempotency.KeyReused' }, speech);
  if (claim === 'not kept') return errors.refusalAnswer({ refused: ANSWER_NOT_STORED }, speech);
  if (claim === 'running') return inProgressAnswer(speech);
  if ('status' in claim) return markReplayed(claim);
  const renewal = setInterval(() => void calls.renew(claim).catch(ignoreFailure), RENEW_MS);
  try {
    return await runAndStore(calls, claim, async () => format(await work()), format);
  } catch (error) {
    await calls.release(claim).catch(ignoreFailure);
    if (isWrittenByAnother(error)) return inProgressAnswer(speech);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

async function runAndStore(
  calls: KeyedCalls,
  run: Run,
  work: () => Promise<Answer>,
  format: (answer: Answer) => Answer,
): Promise<Answer> {
  const answer = await run.keyedWrite.run(async () => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof errors.HttpProblem) return format(errors.problemAnswer(error));
      throw error;
    }
  });
  if (answer.status >= 500 || NOT_STORED_STATUSES.has(answer.status)) await calls.release(run);
  // The work is done, so the client gets this answer even when the answer cannot be stored.
  else await calls.storeAnswer(run, toStoredAnswer(answer)).catch(ignoreFailure);
  return run.keyedWrite.isWritten ? markReplayed(answer) : answer;
}

function toStoredAnswer({ status, body, text, headers = {} }: Answer): StoredAnswer {
  const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
  return { status, headers, ...(payload !== undefined && { text: Buffer.from(payload) }) };
}

function markReplayed(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } };
}

function inProgressAnswer(speech: Speech): Answer {
  const answer = errors.refusalAnswer({ refused: 'API.Idempotency.InProgress' }, speech);
  return { ...answer, status: 409, headers: { 'Retry-After': '1' } };
}

/** A lease expires by itself, so a failure to renew or release it is harmless. */
function ignoreFailure(): void {}
