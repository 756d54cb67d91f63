import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** The fields of answers that the scenarios read. */
export interface Data {
  readonly id: number;
  readonly key: string;
  readonly proforma_number: string;
  readonly items: readonly { readonly proforma_order_item_id: number }[];
  readonly payments: readonly { readonly amount: number }[];
  readonly data_part: number;
  readonly time_part: number;
  readonly access_token: string;
}

export interface Answer {
  readonly status: number;
  readonly data: Data;
}

/** Result of a call with no answer or with a 5xx status: the service may or may not have executed the call. */
export const UNKNOWN = 'unknown';

/** 409: an earlier call with this key is still running. 429: too many calls. */
const RETRYABLE_STATUSES = [409, 429];
/** A call with one of these statuses has written nothing. */
const UNWRITTEN_STATUSES = [429, 503];

const TIMEOUT_MS = 25_000;
const RETRY_MS = 100;

/** A client of one app that calls the servers in turn and counts failures. */
export class Caller {
  /** Number of 5xx answers; only an injected fault may cause them. */
  failures = 0;
  private requestCount = 0;

  constructor(
    readonly appId: number,
    private readonly token: string,
    private readonly origins: readonly string[],
    /** Maximum duration of {@link callUntilKnown}. */
    private readonly timeoutMs = 60_000,
  ) {}

  get headers(): Readonly<Record<string, string>> {
    return { Authorization: `Bearer ${this.token}` };
  }

  /** Sends the call once; returns `UNKNOWN` for no answer or a 5xx status. */
  async call(method: string, path: string, content?: unknown): Promise<Answer | typeof UNKNOWN> {
    const answer = await this.attempt(method, path, content);
    return answer === undefined || answer.status >= 500 ? UNKNOWN : answer;
  }

  /** Sends the call once; returns `undefined` when no answer arrives. */
  async attempt(
    method: string,
    path: string,
    content: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<(Answer & { readonly isReplayed: boolean }) | undefined> {
    this.requestCount += 1;
    const origin = this.origins[this.requestCount % this.origins.length] ?? '';
    const isForm = content instanceof FormData;
    try {
      const response = await fetch(`${origin}/api/v2${path}`, {
        method,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          ...this.headers,
          ...(content === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(content !== undefined && { body: isForm ? content : JSON.stringify(content) }),
      });
      const text = await response.text();
      const body = (text === '' ? {} : JSON.parse(text)) as { data?: Data };
      if (response.status >= 500) this.failures += 1;
      const isReplayed = response.headers.get('Idempotency-Replayed') === 'true';
      return { status: response.status, data: body.data ?? (body as Data), isReplayed };
    } catch {
      return undefined;
    }
  }

  /** Repeats the call with one idempotency key until an answer proves its result. */
  async callUntilKnown(method: string, path: string, body?: unknown): Promise<Answer> {
    const key = randomUUID();
    const deadline = Date.now() + this.timeoutMs;
    let isUnwritten = true;
    while (Date.now() < deadline) {
      const answer = await this.attempt(method, path, body, { 'Idempotency-Key': key });
      const status = answer?.status ?? 500;
      if (answer && status < 500 && !RETRYABLE_STATUSES.includes(status)) {
        if (answer.isReplayed && isUnwritten) throw new Error(`${method} ${path} was refused but executed`);
        return answer;
      }
      isUnwritten &&= UNWRITTEN_STATUSES.includes(status);
      await pause(RETRY_MS);
    }
    throw new Error(`${method} ${path} had no answer for ${this.timeoutMs / 1_000} s`);
  }

  /** Like {@link callUntilKnown}, but throws for a status of 300 or above. Returns the `data` of the answer. */
  async mustSucceed(method: string, path: string, body?: unknown): Promise<Data> {
    const { status, data } = await this.callUntilKnown(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(data)}`);
    return data;
  }
}
