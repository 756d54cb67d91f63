import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** Fields of answers that the scenarios read. */
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

/** No answer, or one of 500 and above: the call may have been executed. */
export const UNKNOWN = 'unknown';

/** A keyed call that is still running, or too many calls. */
const RETRYABLE = [409, 429];
/** Statuses that mean nothing was written. */
const NOT_WRITTEN = [429, 503];

const TIMEOUT_MS = 25_000;
const RETRY_MS = 100;

/** A client of one app that calls the servers in turn and counts failures. */
export class Caller {
  private turn = 0;
  /** Answers of 500 and above, which only a fault explains. */
  failures = 0;

  constructor(
    readonly appId: number,
    private readonly token: string,
    private readonly origins: readonly string[],
    /** Milliseconds until `settle` gives up. */
    private readonly timeoutMs = 60_000,
  ) {}

  get headers(): Readonly<Record<string, string>> {
    return { Authorization: `Bearer ${this.token}` };
  }

  /** One try; an answer of 500 and above is unknown. */
  async ask(method: string, path: string, sent?: unknown): Promise<Answer | typeof UNKNOWN> {
    const answer = await this.attempt(method, path, sent);
    return answer === undefined || answer.status >= 500 ? UNKNOWN : answer;
  }

  /** One try; `undefined` without an answer. */
  async attempt(
    method: string,
    path: string,
    sent: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<(Answer & { readonly isReplayed: boolean }) | undefined> {
    this.turn += 1;
    const origin = this.origins[this.turn % this.origins.length] ?? '';
    const isForm = sent instanceof FormData;
    try {
      const response = await fetch(`${origin}/api/v2${path}`, {
        method,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          ...this.headers,
          ...(sent === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(sent !== undefined && { body: isForm ? sent : JSON.stringify(sent) }),
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

  /** Repeats the call under one key until its result is known. */
  async settle(method: string, path: string, body?: unknown): Promise<Answer> {
    const key = randomUUID();
    const end = Date.now() + this.timeoutMs;
    let isNotDone = true;
    while (Date.now() < end) {
      const answer = await this.attempt(method, path, body, { 'Idempotency-Key': key });
      const status = answer?.status ?? 500;
      if (answer && status < 500 && !RETRYABLE.includes(status)) {
        if (answer.isReplayed && isNotDone) throw new Error(`${method} ${path} was refused but executed`);
        return answer;
      }
      isNotDone &&= NOT_WRITTEN.includes(status);
      await pause(RETRY_MS);
    }
    throw new Error(`${method} ${path} had no answer for ${this.timeoutMs / 1_000} s`);
  }

  async mustSettle(method: string, path: string, body?: unknown): Promise<Data> {
    const { status, data } = await this.settle(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(data)}`);
    return data;
  }
}
