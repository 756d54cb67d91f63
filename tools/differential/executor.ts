import { BASE_PATH } from '../../apps/api/src/http/base-path.js';
import type { RawCall, RawReply } from '../../apps/api/src/testing/raw-http.js';
import type { Answer } from './answer.js';
import { makePng } from './png.js';
import type { Side } from './side.js';
import { ABSENT_ID, resolveRefs, valueAt, type CallStep, type FormFile, type Ref, type Step } from './steps.js';

/** Answers above this size are compared but not kept, so later steps cannot refer to them. */
const MAX_KEPT_BYTES = 200_000;
const COMPARED_HEADERS = ['content-type', 'location', 'retry-after', 'idempotency-replayed'];
const BOUNDARY = 'between-the-parts';
/** Adapters may cache the records of these routes for a second, so the clock advances after a write. */
const CACHED_ROUTES = new Set(['/payment_methods', '/app/settings']);
const CACHE_SECONDS = 2;

const SETTINGS = { kind: 'call', method: 'get', path: '/app/settings', params: {}, query: [] } as const;

export class Executor {
  private readonly textsByStep = new Map<number, string>();
  private readonly tokensByApp = new Map<string, string>();
  private latestAnswer: { readonly step: number; readonly body: unknown } | undefined;
  private elapsedSeconds = 0;

  constructor(private readonly side: Side) {}

  async send(step: Step): Promise<Answer> {
    switch (step.kind) {
      case 'app':
        this.tokensByApp.set(step.app, await this.side.createApp(step.currency));
        // The settings show the random prefix of the app's files; the comparison needs this prefix.
        return this.sendCall({ ...SETTINGS, id: step.id, app: step.app });
      case 'clock':
        this.forwardClock(step.seconds);
        return internalAnswer('forwarded');
      case 'jobs':
        return internalAnswer({ failures: await this.side.runJobs() });
      case 'chores':
        return internalAnswer(await this.side.runChores());
      case 'public':
        return this.fetchPublicUrl(step.url);
      case 'call': {
        const answer = await this.sendCall(step);
        if (CACHED_ROUTES.has(step.path) && step.method !== 'get') this.forwardClock(CACHE_SECONDS);
        return answer;
      }
    }
  }

  private forwardClock(seconds: number): void {
    this.side.forward(seconds);
    this.elapsedSeconds += seconds;
  }

  /** Resets the clock to the start of the run. */
  resetClock(): void {
    this.side.forward(-this.elapsedSeconds);
    this.elapsedSeconds = 0;
  }

  private async fetchPublicUrl(url: Ref): Promise<Answer> {
    const { pathname, search } = new URL(String(this.valueOf(url)), 'http://nowhere');
    return answerOf(await this.side.call({ path: pathname + search }));
  }

  private async sendCall(step: CallStep): Promise<Answer> {
    const reply = await this.side.call(this.requestOf(step));
    const answer = answerOf(reply);
    if (isJson(reply) && reply.status < 300 && reply.text.length <= MAX_KEPT_BYTES) {
      this.textsByStep.set(step.id, reply.text);
      this.latestAnswer = { step: step.id, body: answer.body };
    }
    return answer;
  }

  private requestOf(step: CallStep): RawCall {
    const form = step.file === undefined ? undefined : this.formOf(step, step.file);
    const json = step.text ?? (step.body === undefined ? undefined : JSON.stringify(this.resolve(step.body)));
    return {
      method: step.method.toUpperCase(),
      path: this.pathOf(step),
      headers: {
        Authorization: `Bearer ${step.token === undefined ? (this.tokensByApp.get(step.app) ?? '') : String(this.resolve(step.token))}`,
        'Content-Type': form ? `multipart/form-data; boundary=${BOUNDARY}` : 'application/json',
        ...(step.idempotencyKey !== undefined && { 'Idempotency-Key': step.idempotencyKey }),
      },
      body: form ?? json,
    };
  }

  private pathOf(step: CallStep): string {
    const path = step.path.replaceAll(/:(\w+)/g, (_, name: string) => {
      const value = String(this.resolve(step.params[name]));
      return value.startsWith('raw:') ? value.slice('raw:'.length) : encodeURIComponent(value);
    });
    const query = step.query.map(([name, value]) => `${name}=${encodeURIComponent(String(this.resolve(value)))}`);
    const pairs = step.rawQuery === undefined ? query : [...query, step.rawQuery];
    return BASE_PATH + (pairs.length > 0 ? `${path}?${pairs.join('&')}` : path);
  }

  private formOf(step: CallStep, { name, content }: FormFile): Buffer {
    const fields = Object.entries((this.resolve(step.body) ?? {}) as Record<string, unknown>).flatMap(
      ([field, value]) => [value].flat().map((item) => `${partHead(`name="${field}"`)}${formValueOf(item)}\r\n`),
    );
    const bytes = typeof content === 'string' ? Buffer.from(content) : makePng(...content.png);
    return Buffer.concat([
      Buffer.from(fields.join('') + partHead(`name="file"; filename="${name}"`)),
      bytes,
      Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
    ]);
  }

  private resolve(value: unknown): unknown {
    return resolveRefs(value, (ref) => this.valueOf(ref));
  }

  private valueOf({ step, path }: Ref): unknown {
    if (this.latestAnswer?.step !== step) {
      const text = this.textsByStep.get(step);
      if (text === undefined) return ABSENT_ID;
      this.latestAnswer = { step, body: JSON.parse(text) };
    }
    return valueAt(this.latestAnswer.body, path) ?? ABSENT_ID;
  }
}

function internalAnswer(body: unknown): Answer {
  return { status: 0, headers: {}, body };
}

function answerOf(reply: RawReply): Answer {
  const { status, headers, text } = reply;
  return {
    status,
    headers: Object.fromEntries(COMPARED_HEADERS.map((name) => [name, headers[name] as string | undefined])),
    body: isJson(reply) && text !== '' ? (JSON.parse(text) as unknown) : text,
  };
}

function isJson({ headers }: RawReply): boolean {
  return headers['content-type']?.startsWith('application/json') ?? false;
}

function formValueOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function partHead(disposition: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
}
