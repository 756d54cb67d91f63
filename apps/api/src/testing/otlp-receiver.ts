import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ProtobufMessage } from './protobuf.js';
import { useWholeBody } from './whole-body.js';

type Attributes = Readonly<Record<string, unknown>>;

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const STATUSES = ['unset', 'ok', 'error'];

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly milliseconds: number;
  readonly attributes: Attributes;
  /** Id of the process that made the span. */
  readonly pid: number;
}

export interface ReceivedLog {
  readonly severity: string;
  readonly body: unknown;
  readonly attributes: Attributes;
  readonly traceId: string;
  readonly spanId: string;
}

export interface ReceivedPoint {
  readonly attributes: Attributes;
  readonly value: number;
  readonly counts: readonly number[];
  readonly boundaries: readonly number[];
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly type: 'gauge' | 'sum' | 'histogram';
  readonly points: readonly ReceivedPoint[];
}

/** A collector that decodes what it gets over OTLP/HTTP. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly logs: ReceivedLog[];
  /** The metrics of the last export of each process. */
  readonly metrics: Map<string, readonly ReceivedMetric[]>;
  /** Attributes of the resources, by process. */
  readonly resources: Map<string, Attributes>;
  readonly headers: IncomingHttpHeaders[];
  /** All received bytes as text, for searches. */
  readonly everything: string[];
  /** Status of the next answers. */
  status: number;
  /** Waits for the first span that `matches`. */
  span(matches: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>;
  close(): Promise<void>;
}

export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const server = createServer((request, response) => {
    useWholeBody(request, (bytes) => {
      receiver.headers.push(request.headers);
      receiver.everything.push(bytes.toString('latin1'));
      if (receiver.status < 300) receive(receiver, request.url ?? '', new ProtobufMessage(bytes));
      response.writeHead(receiver.status, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    logs: [],
    metrics: new Map(),
    resources: new Map(),
    headers: [],
    everything: [],
    status: 200,
    span: (matches) => firstMatch(receiver.spans, matches),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

async function firstMatch<Item>(items: readonly Item[], matches: (item: Item) => boolean): Promise<Item> {
  const endMs = Date.now() + 10_000;
  for (;;) {
    const found = items.find(matches);
    if (found !== undefined) return found;
    if (Date.now() > endMs) throw new Error(`not received, only ${JSON.stringify(items)}`);
    await pause(20);
  }
}

function receive(receiver: OtlpReceiver, path: string, message: ProtobufMessage): void {
  for (const group of message.messages(1)) {
    const resource = attributesOf(group.messages(1)[0], 1);
    const instance = String(resource['service.instance.id']);
    receiver.resources.set(instance, resource);
    const items = group.messages(2, 2);
    if (path === '/v1/traces') receiver.spans.push(...items.map((span) => spanOf(span, resource)));
    else if (path === '/v1/logs') receiver.logs.push(...items.map(logOf));
    else if (path === '/v1/metrics') receiver.metrics.set(instance, items.map(metricOf));
    else throw new Error(`unknown path ${path}`);
  }
}

function spanOf(span: ProtobufMessage, resource: Attributes): ReceivedSpan {
  return {
    traceId: span.hex(1),
    spanId: span.hex(2),
    traceState: span.text(3),
    parentSpanId: span.hex(4),
    name: span.text(5),
    kind: KINDS[span.integer(6)] ?? '',
    milliseconds: Number(span.fixed(8) - span.fixed(7)) / 1e6,
    attributes: attributesOf(span, 9),
    status: STATUSES[span.messages(15)[0]?.integer(3) ?? 0] ?? '',
    pid: Number(resource['process.pid']),
  };
}

function logOf(log: ProtobufMessage): ReceivedLog {
  return {
    severity: log.text(3),
    body: valueOf(log.messages(5)[0]),
    attributes: attributesOf(log, 6),
    traceId: log.hex(9),
    spanId: log.hex(10),
  };
}

function metricOf(metric: ProtobufMessage): ReceivedMetric {
  const common = { name: metric.text(1), unit: metric.text(3) };
  if (metric.has(5)) return { ...common, type: 'gauge', points: metric.messages(5, 1).map(numberOf) };
  if (metric.has(7)) return { ...common, type: 'sum', points: metric.messages(7, 1).map(numberOf) };
  return { ...common, type: 'histogram', points: metric.messages(9, 1).map(histogramOf) };
}

function numberOf(point: ProtobufMessage): ReceivedPoint {
  const value = point.has(6) ? Number(BigInt.asIntN(64, point.fixed(6))) : point.double(4);
  return { attributes: attributesOf(point, 7), value, counts: [], boundaries: [] };
}

function histogramOf(point: ProtobufMessage): ReceivedPoint {
  return {
    attributes: attributesOf(point, 9),
    value: Number(point.fixed(4)),
    counts: point.packedFixed(6),
    boundaries: point.packedDoubles(7),
  };
}

function attributesOf(message: ProtobufMessage | undefined, field: number): Attributes {
  return Object.fromEntries(
    (message?.messages(field) ?? []).map((pair) => [pair.text(1), valueOf(pair.messages(2)[0])]),
  );
}

function valueOf(value: ProtobufMessage | undefined): unknown {
  if (value === undefined) return undefined;
  if (value.has(1)) return value.text(1);
  if (value.has(2)) return value.integer(2) === 1;
  if (value.has(3)) return value.integer(3);
  if (value.has(4)) return value.double(4);
  if (value.has(5)) return (value.messages(5)[0]?.messages(1) ?? []).map(valueOf);
  return attributesOf(value.messages(6)[0], 1);
}
