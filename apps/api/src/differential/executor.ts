import { BASE_PATH } from '../http/base-path.js';
import type { RawCall, RawReply } from '../testing/raw-http.js';
import type { Answer } from './answer.js';
import { pngOf } from './png.js';
import type { Side } from './side.js';
import { ABSENT_ID, resolved, valueAt, type CallStep, type FormFile, type Ref, type Step } from './steps.js';

/** Larger answers are compared, but not referred to. */
const MAX_KEPT_BYTES = 200_000;
const COMPARED_HEADERS = ['content-type', 'location', 'retry-after', 'idempotency-replayed'];
const BOUNDARY = 'between-the-parts';
/** An adapter may remember for a second what these calls write. */
const REMEMBERED = new Set(['/payment_methods', '/app/settings']);
const REMEMBERED_SECONDS = 2;

const SETTINGS = { kind: 'call', method: 'get', path: '/app/settings', params: {}, query: [] } as const;

/** Takes steps on one side, with the ids and tokens of that side. */
export class Executor {
  private readonly texts = new Map<number, string>();
  private readonly tokens = new Map<string, string>();
  private latest: { readonly step: number; readonly body: unknown } | undefined;
  private elapsedSeconds = 0;

  constructor(private readonly side: Side) {}

  async take(step: Step): Promise<Answer> {
    switch (step.kind) {
      case 'app':
        this.tokens.set(step.app, await this.side.createApp(step.currency));
        // Shows the drawn prefix of its files.
        return this.callAnswer({ ...SETTINGS, id: step.id, app: step.app });
      case 'clock':
        this.forward(step.seconds);
        return said('moved');
      case 'jobs':
        return said({ failures: await this.side.runJobs() });
      case 'chores':
        return said(await this.side.runChores());
      case 'public':
        return this.publicAnswer(step.url);
      case 'call': {
        const answer = await this.callAnswer(step);
        if (REMEMBERED.has(step.path) && step.method !== 'get') this.forward(REMEMBERED_SECONDS);
        return answer;
      }
    }
  }

  private forward(seconds: number): void {
    this.side.forward(seconds);
    this.elapsedSeconds += seconds;
  }

  /** Sets the clock back, so that the next run begins at the same moment. */
  end(): void {
    this.side.forward(-this.elapsedSeconds);
    this.elapsedSeconds = 0;
  }

  private async publicAnswer(url: Ref): Promise<Answer> {
    const { pathname, search } = new URL(String(this.valueOf(url)), 'http://nowhere');
    return answerOf(await this.side.call({ path: pathname + search }));
  }

  private async callAnswer(step: CallStep): Promise<Answer> {
    const reply = await this.side.call(this.requestOf(step));
    const answer = answerOf(reply);
    if (isJson(reply) && reply.status < 300 && reply.text.length <= MAX_KEPT_BYTES) {
      this.texts.set(step.id, reply.text);
      this.latest = { step: step.id, body: answer.body };
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
        Authorization: `Bearer ${step.token === undefined ? (this.tokens.get(step.app) ?? '') : String(this.resolve(step.token))}`,
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
    const all = step.rawQuery === undefined ? query : [...query, step.rawQuery];
    return BASE_PATH + (all.length > 0 ? `${path}?${all.join('&')}` : path);
  }

  private formOf(step: CallStep, { name, content }: FormFile): Buffer {
    const fields = Object.entries((this.resolve(step.body) ?? {}) as Record<string, unknown>).flatMap(
      ([field, value]) => [value].flat().map((each) => `${partHead(`name="${field}"`)}${inForm(each)}\r\n`),
    );
    const bytes = typeof content === 'string' ? Buffer.from(content) : pngOf(...content.png);
    return Buffer.concat([
      Buffer.from(fields.join('') + partHead(`name="file"; filename="${name}"`)),
      bytes,
      Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
    ]);
  }

  private resolve(value: unknown): unknown {
    return resolved(value, (ref) => this.valueOf(ref));
  }

  private valueOf({ step, at }: Ref): unknown {
    if (this.latest?.step !== step) {
      const text = this.texts.get(step);
      if (text === undefined) return ABSENT_ID;
      this.latest = { step, body: JSON.parse(text) };
    }
    return valueAt(this.latest.body, at) ?? ABSENT_ID;
  }
}

function said(body: unknown): Answer {
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

function inForm(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function partHead(disposition: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
}
