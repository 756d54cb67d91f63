import { makeTestDatabase, type TestDatabase } from '@back-office/database-postgres/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { openOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../testing/otlp-receiver.js';
import { startServer, type ServerProcess } from '../testing/server-process.js';
import { warehouse } from '../testing/shop.js';

const FAST = {
  OTEL_BSP_SCHEDULE_DELAY: '50',
  OTEL_BLRP_SCHEDULE_DELAY: '50',
  OTEL_METRIC_EXPORT_INTERVAL: '200',
};
const CALLER_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER_SPAN = '00f067aa0ba902b7';
const HIDDEN = 'Zvonimir-4711';

let database: TestDatabase;
let dataDir: string;
let receiver: OtlpReceiver;
let server: ServerProcess;
let token: string;

beforeAll(async () => {
  receiver = await openOtlpReceiver();
  database = await makeTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'back-office-telemetry-'));
  server = await startServer({
    ...FAST,
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    DEMO: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc',
    OTEL_TRACES_SAMPLER: 'always_on',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  [, token = ''] = /^ {2}(bo_app_\S+)$/m.exec(server.output()) ?? [];
}, 60_000);
afterAll(async () => {
  await server.stop();
  await receiver.close();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

let callCount = 0;

interface Traced {
  readonly status: number;
  readonly span: ReceivedSpan;
  readonly userAgent: string;
}

/** Sends a call of the demo app, and waits for its span. */
async function call(path: string, init: { method?: string; body?: string; headers?: object } = {}): Promise<Traced> {
  callCount += 1;
  const userAgent = `test ${callCount}`;
  const response = await fetch(`${server.origin}${path}`, {
    ...init,
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'User-Agent': userAgent,
      ...init.headers,
    },
  });
  await response.arrayBuffer();
  const span = await receiver.span(({ attributes }) => attributes['user_agent.original'] === userAgent);
  return { status: response.status, span, userAgent };
}

const childrenOf = ({ spanId }: ReceivedSpan) => receiver.spans.filter(({ parentSpanId }) => parentSpanId === spanId);

const isWarehouseList = ({ 'db.query.text': text }: ReceivedSpan['attributes']) => String(text).includes('warehouses');
const writeOf = (row: object) => ({ method: 'PUT', body: JSON.stringify({ warehouses: [row] }) });

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

describe('the trace of a call', () => {
  it('has the name of the route and the attributes of the request', async () => {
    const { span } = await call('/api/v2/proforma_orders/999999?secret=1');
    expect(span).toMatchObject({ name: 'GET /proforma_orders/:id', kind: 'server', status: 'unset' });
    expect(span.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/proforma_orders/:id',
      'http.response.status_code': 404,
      'url.path': '/api/v2/proforma_orders/999999',
      'url.scheme': 'http',
      'server.address': '127.0.0.1',
      'app.id': 1,
    });
  });

  it('has only the method as its name when no route matches', async () => {
    const { span } = await call('/api/v2/none');
    expect(span.name).toBe('GET');
    expect(span.attributes).not.toHaveProperty('http.route');
  });

  it('has its statements as children, with their texts and without their values', async () => {
    const { span, status } = await call('/api/v2/warehouse', writeOf(warehouse('W9', { name: HIDDEN })));
    expect(status).toBe(200);
    await receiver.span(({ name, parentSpanId }) => name === 'COMMIT' && parentSpanId === span.spanId);
    const statements = childrenOf(span);
    expect(statements.map(({ name }) => name)).toEqual(expect.arrayContaining(['INSERT warehouses', 'COMMIT']));
    for (const { kind, traceId, attributes } of statements) {
      expect({ kind, traceId }).toEqual({ kind: 'client', traceId: span.traceId });
      expect(attributes).toMatchObject({ 'db.system.name': 'postgresql' });
    }
    const insert = statements.find(({ name }) => name === 'INSERT warehouses');
    expect(insert?.attributes['db.query.text']).toMatch(/insert into warehouses .*\$\d/s);
    expect(insert?.attributes['db.operation.name']).toBe('INSERT');
  });

  it('continues the trace of the caller', async () => {
    const { span } = await call('/api/v2/app/settings', {
      headers: { traceparent: `00-${CALLER_TRACE}-${CALLER_SPAN}-01`, tracestate: 'vendor=1' },
    });
    expect(span).toMatchObject({ traceId: CALLER_TRACE, parentSpanId: CALLER_SPAN, traceState: 'vendor=1' });
  });

  it.each([
    ['a zero id', `00-${'0'.repeat(32)}-${CALLER_SPAN}-01`],
    ['no hexadecimal digits', `00-${'z'.repeat(32)}-${CALLER_SPAN}-01`],
    ['a long text', `00-${CALLER_TRACE}-${CALLER_SPAN}-01-${'a'.repeat(10_000)}`],
    ['a long text of a later version', `01-${CALLER_TRACE}-${CALLER_SPAN}-01-${'a'.repeat(10_000)}`],
  ])('starts a new trace when traceparent is %s', async (_, traceparent) => {
    const { span, status } = await call('/api/v2/app/settings', { headers: { traceparent } });
    expect(status).toBe(200);
    expect(span).toMatchObject({ parentSpanId: '' });
    expect(span.traceId).not.toBe(CALLER_TRACE);
  });

  it('drops an oversized tracestate', async () => {
    const { span } = await call('/api/v2/app/settings', {
      headers: { traceparent: `00-${CALLER_TRACE}-${CALLER_SPAN}-01`, tracestate: `a=${'b'.repeat(5_000)}` },
    });
    expect(span).toMatchObject({ traceId: CALLER_TRACE, traceState: '' });
  });

  it.each([
    ['404', '/api/v2/proforma_orders/999999', {}],
    ['422', '/api/v2/proforma_orders', { method: 'POST', body: '{}' }],
    ['401', '/api/v2/app/settings', { headers: { Authorization: 'Bearer no' } }],
  ])('is no error when the status is %s', async (status, path, init) => {
    const { span } = await call(path, init);
    expect(span.attributes['http.response.status_code']).toBe(Number(status));
    expect(span).toMatchObject({ status: 'unset' });
    expect(span.attributes).not.toHaveProperty('error.type');
  });

  it('is an error when the status is 500, like the failed statement', async () => {
    await administer('alter table warehouses rename to warehouses_away');
    const { span } = await call('/api/v2/warehouse', writeOf(warehouse('W8')));
    await administer('alter table warehouses_away rename to warehouses');
    expect(span).toMatchObject({ status: 'error' });
    expect(span.attributes).toMatchObject({ 'http.response.status_code': 500, 'error.type': '500' });
    const failed = childrenOf(span).find(({ status }) => status === 'error');
    expect(failed?.attributes).toMatchObject({ 'db.response.status_code': '42P01', 'error.type': '42P01' });
  });

  it('keeps the statements of concurrent calls apart', async () => {
    const calls = await Promise.all(
      Array.from({ length: 30 }, () => call('/api/v2/warehouses', { headers: { traceparent: '' } })),
    );
    await pause(200);
    const lists = calls.map(({ span }) => childrenOf(span).filter(({ attributes }) => isWarehouseList(attributes)));
    expect(lists.map(({ length }) => length)).toEqual(Array(30).fill(1));
    expect(new Set(calls.map(({ span }) => span.traceId)).size).toBe(30);
  });
});

describe('background work', () => {
  it('has a span of its own, with its statements', async () => {
    const chore = await receiver.span(({ name }) => name === 'expire proformas');
    expect(chore).toMatchObject({ kind: 'internal', parentSpanId: '', status: 'unset' });
    await receiver.span(({ parentSpanId, kind }) => parentSpanId === chore.spanId && kind === 'client');
  });
});

describe('log lines', () => {
  it('have the ids of the call, on standard output and at the collector', async () => {
    const { span } = await call('/api/v2/app/settings');
    const matches = (id: string | undefined) => id === span.traceId;
    await pause(500);
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const line = lines
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .find(({ trace_id: id }) => id === span.traceId);
    expect(line).toMatchObject({ msg: 'request', route: '/app/settings', span_id: span.spanId });
    const log = receiver.logs.find(({ traceId }) => matches(traceId));
    expect(log).toMatchObject({ severity: 'INFO', body: 'request', spanId: span.spanId });
    expect(log?.attributes).toMatchObject({ route: '/app/settings', status: 200, app_id: 1 });
  });
});

describe('metrics', () => {
  it('arrive under the names of /metrics, with the same numbers', async () => {
    await call('/api/v2/app/settings');
    const text = await (await fetch(`${server.origin}/metrics`)).text();
    const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
    await pause(500);
    const [metrics = []] = receiver.metrics.values();
    expect(new Set(metrics.map(({ name }) => name))).toEqual(new Set(names));
    const requests = metrics.find(({ name }) => name === 'http_request_duration_seconds');
    expect(requests).toMatchObject({ type: 'histogram', unit: 's' });
    const point = requests?.points.find(
      ({ attributes }) => attributes['route'] === '/none' || attributes['route'] === 'unknown',
    );
    expect(point).toMatchObject({ value: 1, attributes: { method: 'GET', status: '404' } });
    expect(point?.counts).toHaveLength((point?.boundaries.length ?? 0) + 1);
    expect(point?.counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(metrics.find(({ name }) => name === 'calls_over_limit_total')?.type).toBe('sum');
    expect(metrics.find(({ name }) => name === 'database_connections')?.type).toBe('gauge');
  });
});

describe('the collector', () => {
  it('gets the resource and the configured headers', () => {
    const [resource] = receiver.resources.values();
    expect(resource).toMatchObject({
      'service.name': 'retail-back-office',
      'service.version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
      'service.instance.id': expect.stringMatching(/^[\da-f-]{36}$/),
      'deployment.environment.name': 'test',
    });
    expect(receiver.headers.every((headers) => headers['x-collector-key'] === 'abc')).toBe(true);
  });

  it('gets no parameter values, no tokens and no query strings', async () => {
    await pause(200);
    const everything = receiver.everything.join('\n');
    const secrets = [HIDDEN, token, token.slice(7), 'Bearer', 'secret=1'];
    // Compares short lists, because a failure would print everything.
    const found = ['insert into warehouses', ...secrets].filter((text) => everything.includes(text));
    expect(found).toEqual(['insert into warehouses']);
  });
});
