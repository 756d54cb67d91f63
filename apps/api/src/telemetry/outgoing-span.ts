import type { Attributes, SpanContext } from '@opentelemetry/api';
import type { OutgoingRequest } from './telemetry.js';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Leaves out the path and the query, because they may contain a secret of the receiver. */
export function outgoingAttributesOf({ method, url }: OutgoingRequest): Attributes {
  return {
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port),
    'url.scheme': url.protocol.slice(0, -1),
  };
}

/** Leaves out `tracestate`, because it belongs to the caller of the API and not to the receiver. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
