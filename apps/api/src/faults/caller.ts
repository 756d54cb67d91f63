import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** What the calls answer, as far as anybody looks at it here. */
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

/** Nobody knows whether it was done: nothing came back, or a server said that it does not know. */
export const UNKNOWN = 'unknown';

/** Of a keyed call: its twin is still running, or there are too many. */
const ASK_AGAIN = [409, 429];
/** What says that nothing was written. */
const REFUSED = [429, 503];

const PATIENCE_MS = 25_000;
const RETRY_MS = 100;

/** One shop that calls whichever server answers, and remembers what servers should never say. */
export class Caller {
  private turn = 0;
  /** Answers of 500 and above, which only a fault explains. */
  failures = 0;

  constructor(
    readonly appId: number,
    private readonly token: string,
    private readonly origins: readonly string[],
    /** In ms, until a call must have been answered with something that somebody knows. */
    private readonly patienceMs = 60_000,
  ) {}

  get headers(): Readonly<Record<string, string>> {
    return { Authorization: `Bearer ${this.token}` };
  }

  /** One try, of which an answer of 500 and above tells nothing. */
  async ask(method: string, path: string, sent?: unknown): Promise<Answer | typeof UNKNOWN> {
    const answer = await this.attempt(method, path, sent);
    return answer === undefined || answer.status >= 500 ? UNKNOWN : answer;
  }

  /** One try: whatever was answered; `undefined` when nothing was. */
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
        signal: AbortSignal.timeout(PATIENCE_MS),
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

  /** Asks under one key until somebody knows, so that what is to be done is done once. */
  async settle(method: string, path: string, body?: unknown): Promise<Answer> {
    const key = randomUUID();
    const end = Date.now() + this.patienceMs;
    let isNotDone = true;
    while (Date.now() < end) {
      const answer = await this.attempt(method, path, body, { 'Idempotency-Key': key });
      const status = answer?.status ?? 500;
      if (answer && status < 500 && !ASK_AGAIN.includes(status)) {
        if (answer.isReplayed && isNotDone) throw new Error(`${method} ${path} was refused, and yet it was done`);
        return answer;
      }
      isNotDone &&= REFUSED.includes(status);
      await pause(RETRY_MS);
    }
    throw new Error(`${method} ${path} had no answer for ${this.patienceMs / 1_000} s`);
  }

  async mustSettle(method: string, path: string, body?: unknown): Promise<Data> {
    const { status, data } = await this.settle(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(data)}`);
    return data;
  }
}
