import { ROOT_CONTEXT, SpanKind, SpanStatusCode, type Span, type Tracer as SdkTracer } from '@opentelemetry/api';
import type { OnStatementEnd } from '@back-office/database';
import type { CallSpan, IncomingCall } from '../http/request-log.js';
import { HttpCallSpan, remoteContextOf } from './call-span.js';
import { errorTypeOf } from './error-type.js';
import { outgoingAttributesOf, traceparentOf } from './outgoing-span.js';
import { StatementTexts } from './statement-texts.js';
import type { OutgoingRequest, RequestSpan, TaskKind, TraceIds, Tracer } from './telemetry.js';
import { ActiveSpan, type TraceScope } from './trace-scope.js';

const KINDS = { job: SpanKind.CONSUMER, chore: SpanKind.INTERNAL };
const NO_HEADERS: RequestSpan['headers'] = {};
const IGNORED_REQUEST: RequestSpan = { headers: NO_HEADERS, end: () => {} };

/** Makes spans with the SDK of OpenTelemetry. */
export class SpanTracer implements Tracer {
  private readonly texts = new StatementTexts();

  constructor(
    private readonly tracer: SdkTracer,
    private readonly scope: TraceScope,
  ) {}

  startCall(call: IncomingCall): CallSpan {
    const span = this.tracer.startSpan(call.method, { kind: SpanKind.SERVER }, remoteContextOf(call.headers));
    return new HttpCallSpan(new ActiveSpan(span), this.scope, call);
  }

  async runTask<Result>(name: string, kind: TaskKind, work: () => Promise<Result>): Promise<Result> {
    const span = this.tracer.startSpan(name, { kind: KINDS[kind] }, ROOT_CONTEXT);
    try {
      return await this.scope.run(new ActiveSpan(span), work);
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  readonly onStatement = (text: string): OnStatementEnd | undefined => {
    const current = this.scope.getStore();
    if (current === undefined || !current.span.isRecording()) return undefined;
    const { name, attributes } = this.texts.describe(text);
    const span = this.tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, current.context);
    return (error) => {
      if (error !== undefined) {
        fail(span, error);
        const { code } = error as { code?: unknown };
        if (typeof code === 'string') span.setAttribute('db.response.status_code', code);
      }
      span.end();
    };
  };

  readonly onRequest = (request: OutgoingRequest): RequestSpan => {
    const current = this.scope.getStore();
    if (current === undefined) return IGNORED_REQUEST;
    const options = { kind: SpanKind.CLIENT, attributes: outgoingAttributesOf(request) };
    const span = this.tracer.startSpan(`${request.method} ${request.purpose}`, options, current.context);
    return {
      headers: { traceparent: traceparentOf(span.spanContext()) },
      end: (status, error) => {
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (error !== undefined) fail(span, error);
        else if (status === undefined || status >= 400) failWith(span, String(status ?? 'no_answer'));
        span.end();
      },
    };
  };

  currentIds(): TraceIds | undefined {
    return this.scope.getStore()?.ids;
  }
}

function fail(span: Span, error: unknown): void {
  failWith(span, errorTypeOf(error));
}

function failWith(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}
