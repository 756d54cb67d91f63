import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type Sampler,
} from '@opentelemetry/sdk-trace-base';
import { SpanTracer } from './span-tracer.js';
import { openTraceScope } from './trace-scope.js';

function open(sampler: Sampler = new AlwaysOnSampler()) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = new SpanTracer(provider.getTracer('test'), openTraceScope());
  return { tracer, spans: () => exporter.getFinishedSpans() };
}

const WEBHOOK = { method: 'POST', url: new URL('https://user:pass@a.example/secret?token=1'), purpose: 'webhook' };

describe('a task', () => {
  it('has a span with its statements and the ids for log lines', async () => {
    const { tracer, spans } = open();
    const ids = await tracer.runTask('tidy', 'job', async () => {
      tracer.onStatement('select 1')?.();
      await Promise.resolve();
      return tracer.currentIds();
    });
    const [statement, task] = spans();
    expect(task).toMatchObject({ name: 'tidy', kind: SpanKind.CONSUMER });
    expect(statement?.parentSpanContext?.spanId).toBe(task?.spanContext().spanId);
    expect(ids).toEqual({ trace_id: task?.spanContext().traceId, span_id: task?.spanContext().spanId });
  });

  it('is an error when it throws, without the message of the error', async () => {
    const { tracer, spans } = open();
    const work = tracer.runTask('expire', 'chore', () => Promise.reject(new TypeError('secret')));
    await expect(work).rejects.toThrow('secret');
    expect(spans()[0]).toMatchObject({
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'TypeError' },
      events: [],
    });
  });
});

describe('a statement', () => {
  it('has no span outside of calls and tasks', () => {
    const { tracer, spans } = open();
    expect(tracer.onStatement('select 1')).toBeUndefined();
    expect(tracer.currentIds()).toBeUndefined();
    expect(spans()).toEqual([]);
  });

  it('has no span when its task is not sampled', async () => {
    const { tracer } = open(new AlwaysOffSampler());
    await tracer.runTask('tidy', 'job', async () => {
      await Promise.resolve();
      expect(tracer.onStatement('select 1')).toBeUndefined();
      expect(tracer.currentIds()).toBeDefined();
    });
  });

  it('has at most 2,048 characters of its text', async () => {
    const { tracer, spans } = open();
    await tracer.runTask('tidy', 'job', async () => tracer.onStatement(`select ${'1,'.repeat(5_000)}1`)?.());
    expect(spans()[0]?.attributes['db.query.text']).toHaveLength(2_048);
  });
});

describe('a request to another server', () => {
  const send = async (sampler: Sampler, end: readonly [status: number | undefined, error?: unknown]) => {
    const { tracer, spans } = open(sampler);
    const headers = await tracer.runTask('deliver', 'chore', async () => {
      const request = tracer.onRequest(WEBHOOK);
      request.end(...end);
      return request.headers;
    });
    return { headers, spans: spans() };
  };

  it('has its host, and neither path, query nor user', async () => {
    const { headers, spans } = await send(new AlwaysOnSampler(), [204]);
    const [request] = spans;
    expect(request).toMatchObject({
      name: 'POST webhook',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(request?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 204,
      'server.address': 'a.example',
      'server.port': 443,
      'url.scheme': 'https',
    });
    const { traceId, spanId } = request?.spanContext() ?? {};
    expect(headers).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
  });

  it('tells the receiver that the trace is not sampled', async () => {
    const { headers } = await send(new AlwaysOffSampler(), [204]);
    expect(headers['traceparent']).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
  });

  it.each([
    ['its status is 404', [404], '404'],
    ['no answer arrives', [undefined, Object.assign(new Error('no'), { code: 'ECONNRESET' })], 'ECONNRESET'],
    ['the answer is unusable', [undefined], 'no_answer'],
  ] as const)('is an error when %s', async (_, end, type) => {
    const { spans } = await send(new AlwaysOnSampler(), end);
    expect(spans[0]).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': type } });
  });
});
