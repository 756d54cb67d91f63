import { ApiError } from './api-error.js';

export interface RetryOptions {
  /** Default: 4. With 1, the client never retries. */
  readonly maxAttempts?: number;
  /** Maximum of the first random delay. The maximum doubles with each attempt. Default: 500. */
  readonly baseDelayMs?: number;
  /** Maximum of every delay. If `Retry-After` is longer, the call fails at once. Default: 30,000. */
  readonly maxDelayMs?: number;
  /** Timeout of one attempt, except of an upload. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Called before each delay, for example to log it. */
  readonly onRetry?: (retry: Retry) => void;
}

export interface Retry {
  /** Number of the failed attempt, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  /** Absent if the attempt got no response. */
  readonly response?: Response;
  readonly error?: unknown;
}

type Outcome = { readonly response: Response } | { readonly error: unknown };

const DEFAULTS = { maxAttempts: 4, baseDelayMs: 500, maxDelayMs: 30_000, timeoutMs: 60_000 };
const SECOND_MS = 1_000;
/** If the process of an earlier attempt has died, the service releases its key after 15 seconds. */
const MAX_IN_PROGRESS_MS = 30_000;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A large file takes longer than other calls, so an upload has no timeout unless the call sets one. */
export function withoutTimeout(retries: RetryOptions): RetryOptions {
  return { ...retries, timeoutMs: MAX_TIMEOUT_MS };
}

/**
 * Sends the request until no retry is needed, and returns the response with its body read. If the last attempt got no
 * response, throws an {@link ApiError} without a status. If `signal` is aborted, throws its reason.
 */
export async function sendWithRetries(
  send: (signal: AbortSignal, attempt: number) => Promise<Response>,
  { signal, isRepeatable, retries }: { signal: AbortSignal; isRepeatable: boolean; retries: RetryOptions },
): Promise<Response> {
  const { maxAttempts, timeoutMs, ...delays } = { ...DEFAULTS, ...retries };
  let [failures, inProgressMs] = [0, 0];
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce((limited) => send(limited, attempt), signal, timeoutMs);
    const waits = isInProgress(outcome) && maxAttempts > 1 && inProgressMs < MAX_IN_PROGRESS_MS;
    if (!waits) failures += 1;
    const delayMs = isRepeatable && failures < maxAttempts ? delayOf(outcome, attempt, delays) : undefined;
    if (delayMs === undefined) {
      if ('response' in outcome) return outcome.response;
      throw new ApiError(undefined, undefined, outcome.error);
    }
    if (waits) inProgressMs += delayMs;
    retries.onRetry?.({ attempt, delayMs, ...outcome });
    await wait(delayMs, signal);
  }
}

async function attemptOnce(
  send: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Outcome> {
  signal.throwIfAborted();
  try {
    return { response: await readFully(await send(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))) };
  } catch (error) {
    signal.throwIfAborted();
    return { error };
  }
}

/** Reads the whole body, so that a connection that breaks within the body counts as a lost response. */
async function readFully(response: Response): Promise<Response> {
  const bytes = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(bytes.byteLength > 0 ? bytes : null, { status, statusText, headers });
}

/** 409 with `Retry-After` means that an earlier attempt of this call is still running. */
function isInProgress(outcome: Outcome): boolean {
  return 'response' in outcome && outcome.response.status === 409 && outcome.response.headers.has('Retry-After');
}

/** Returns `undefined` if the call must not be retried. */
function delayOf(
  outcome: Outcome,
  attempt: number,
  { baseDelayMs, maxDelayMs }: { readonly baseDelayMs: number; readonly maxDelayMs: number },
): number | undefined {
  const backOffMs = Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
  if ('error' in outcome) return backOffMs;
  const { status, headers } = outcome.response;
  const retryAfterMs = parseRetryAfter(headers.get('Retry-After'));
  const isRetryable = status === 429 || status >= 500 || isInProgress(outcome);
  if (!isRetryable) return undefined;
  if (retryAfterMs === undefined) return backOffMs;
  return retryAfterMs <= maxDelayMs ? Math.min(maxDelayMs, retryAfterMs + backOffMs / 2) : undefined;
}

/** Parses seconds or a date, and returns milliseconds; `undefined` for other texts. */
function parseRetryAfter(value: string | null): number | undefined {
  if (value === null || value.trim() === '') return undefined;
  const seconds = Number(value);
  const delayMs = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * SECOND_MS;
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}

function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    signal.addEventListener('abort', stop, { once: true });
  });
}
