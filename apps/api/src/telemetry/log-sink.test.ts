import { ROOT_CONTEXT } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import type { LogRecordProcessor, ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { AlwaysOffSampler, AlwaysOnSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { logSinkOf } from './log-sink.js';
import { ActiveSpan, openTraceScope } from './trace-scope.js';

const [INFO, WARN, ERROR] = [30, 40, 50];

describe('the log of a collector', () => {
  const scope = openTraceScope();
  let records: ReadableLogRecord[];
  beforeEach(() => (records = []));
  const processor = {
    onEmit: (record: ReadableLogRecord) => records.push(record),
  } as unknown as LogRecordProcessor;
  const write = logSinkOf(processor, { resource: emptyResource(), instrumentationScope: { name: 'test' } }, scope);
  const writeBoth = (): void => {
    write(INFO, 'request', {});
    write(WARN, 'slow', {});
  };
  const startCall = (sampler: AlwaysOnSampler | AlwaysOffSampler): ActiveSpan =>
    new ActiveSpan(new BasicTracerProvider({ sampler }).getTracer('test').startSpan('GET', {}, ROOT_CONTEXT));

  it('gets all lines of a sampled call, with its span', () => {
    const call = startCall(new AlwaysOnSampler());
    scope.run(call, writeBoth);
    expect(records.map(({ body, spanContext }) => [body, spanContext?.spanId])).toEqual([
      ['request', call.ids.span_id],
      ['slow', call.ids.span_id],
    ]);
  });

  it('does not get the line of a request that is not sampled', () => {
    scope.run(startCall(new AlwaysOffSampler()), writeBoth);
    expect(records.map(({ body }) => body)).toEqual(['slow']);
  });

  it('gets the line of a failed request that is not sampled', () => {
    scope.run(startCall(new AlwaysOffSampler()), () => write(ERROR, 'request', {}));
    expect(records.map(({ body }) => body)).toEqual(['request']);
  });

  it('gets other lines of a call that is not sampled', () => {
    scope.run(startCall(new AlwaysOffSampler()), () => write(INFO, 'ready again', {}));
    expect(records.map(({ body }) => body)).toEqual(['ready again']);
  });

  it('gets the lines of a sampled call after its span has ended', () => {
    const call = startCall(new AlwaysOnSampler());
    call.span.end();
    scope.run(call, writeBoth);
    expect(records).toHaveLength(2);
  });

  it('gets all lines outside of calls', () => {
    writeBoth();
    expect(records.map(({ body }) => body)).toEqual(['request', 'slow']);
  });
});
