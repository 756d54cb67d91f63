import { readConfig } from './config.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const telemetryOf = (environment: Readonly<Record<string, string>>) => readConfig(environment).telemetry;

describe('telemetry', () => {
  it.each([
    ['no endpoint is set', { OTEL_SERVICE_NAME: 'shop' }],
    ['the endpoint is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['the SDK is disabled', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
    [
      'every exporter is off',
      { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' },
    ],
  ])('is off when %s', (_, environment) => {
    expect(telemetryOf(environment)).toBeUndefined();
  });

  it.each([
    ['all signals', ENDPOINT, { traces: true, metrics: true, logs: true }],
    ['two signals', { ...ENDPOINT, OTEL_LOGS_EXPORTER: 'none' }, { traces: true, metrics: true, logs: false }],
    [
      'the signal with an endpoint',
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318/v1/metrics' },
      { traces: false, metrics: true, logs: false },
    ],
  ])('exports %s', (_, environment, signals) => {
    expect(telemetryOf(environment)).toMatchObject(signals);
  });

  it('samples one trace in ten unless a sampler is set', () => {
    expect(telemetryOf(ENDPOINT)?.sampleRatio).toBe(0.1);
    expect(telemetryOf({ ...ENDPOINT, OTEL_TRACES_SAMPLER: 'always_on' })?.sampleRatio).toBeUndefined();
  });

  it('passes on only the set options of log batches', () => {
    expect(telemetryOf({ ...ENDPOINT, OTEL_BLRP_MAX_QUEUE_SIZE: '100' })?.logBatches).toEqual({ maxQueueSize: 100 });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '0'],
  ])('refuses a bad %s', (name, value) => {
    expect(() => readConfig({ ...ENDPOINT, [name]: value })).toThrow(`Bad configuration: ${name}: `);
  });

  it('is off when a platform sets unsupported values without an endpoint, or disables it', () => {
    const variables = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_EXPORTER: 'zipkin' };
    expect(telemetryOf(variables)).toBeUndefined();
    expect(telemetryOf({ ...variables, ...ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    const noExporters = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
    expect(telemetryOf({ ...variables, ...ENDPOINT, ...noExporters })).toBeUndefined();
  });
});
