import { ROOT_CONTEXT, SpanStatusCode, type Context, type TextMapGetter } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { IncomingHttpHeaders } from 'node:http';
import { ROUTE_LABELS, type CallSpan, type FinishedRequest, type IncomingCall } from '../http/request-log.js';
import type { ActiveSpan, TraceScope } from './trace-scope.js';

/** Longer than any valid header of trace context. */
const MAX_TRACE_HEADER_LENGTH = 512;
const MAX_ATTRIBUTE_LENGTH = 256;

const PROPAGATOR = new W3CTraceContextPropagator();
const GETTER: TextMapGetter<IncomingHttpHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => {
    const value = headers[name];
    return typeof value === 'string' && value.length <= MAX_TRACE_HEADER_LENGTH ? value : undefined;
  },
};

/** Returns the context of the caller's span, or the empty context if the caller sends no valid `traceparent`. */
export function remoteContextOf(headers: IncomingHttpHeaders): Context {
  return headers['traceparent'] === undefined ? ROOT_CONTEXT : PROPAGATOR.extract(ROOT_CONTEXT, headers, GETTER);
}

export class HttpCallSpan implements CallSpan {
  constructor(
    private readonly active: ActiveSpan,
    private readonly scope: TraceScope,
    private readonly call: IncomingCall,
  ) {}

  run<Result>(work: () => Result): Result {
    return this.scope.run(this.active, work);
  }

  end(finished: FinishedRequest): void {
    const { span } = this.active;
    if (span.isRecording()) this.describe(finished);
    span.end();
  }

  private describe({ method, route, status, appId }: FinishedRequest): void {
    const { span } = this.active;
    const { hostname, protocol, originalUrl, headers } = this.call;
    if (!ROUTE_LABELS.has(route)) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
    span.setAttributes({
      'http.request.method': method,
      'http.response.status_code': status,
      'url.path': pathOf(originalUrl).slice(0, MAX_ATTRIBUTE_LENGTH),
      'url.scheme': protocol,
    });
    if (hostname !== undefined) span.setAttribute('server.address', hostname.slice(0, MAX_ATTRIBUTE_LENGTH));
    const userAgent = headers['user-agent'];
    if (userAgent !== undefined) span.setAttribute('user_agent.original', userAgent.slice(0, MAX_ATTRIBUTE_LENGTH));
    if (appId !== undefined) span.setAttribute('app.id', appId);
    if (status >= 500) span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
  }
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
