import { str } from 'envalid';
import { httpUrl, wholeBetween } from './config-values.js';

/** Part of the traces that are exported unless `OTEL_TRACES_SAMPLER` is set. */
const DEFAULT_SAMPLE_RATIO = 0.1;
const MAX_NUMBER = 999_999_999;

export interface TelemetryConfig {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly logs: boolean;
  /** `undefined` lets the SDK read `OTEL_TRACES_SAMPLER`. */
  readonly sampleRatio: number | undefined;
  readonly metricIntervalMs: number;
  readonly logBatches: LogBatches;
}

/** Options of the batches of log records. Missing options have the defaults of the SDK. */
export interface LogBatches {
  readonly scheduledDelayMillis?: number;
  readonly exportTimeoutMillis?: number;
  readonly maxQueueSize?: number;
  readonly maxExportBatchSize?: number;
}

const endpoint = httpUrl({ default: undefined });
const protocol = str({ choices: ['http/protobuf'], default: undefined });
const exporter = str({ choices: ['otlp', 'none'], default: 'otlp' });
const optionalNumber = wholeBetween(1, MAX_NUMBER, undefined);

/** The exporters and batches of the SDK read their other variables. */
export const TELEMETRY_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: protocol,
  OTEL_TRACES_EXPORTER: exporter,
  OTEL_METRICS_EXPORTER: exporter,
  OTEL_LOGS_EXPORTER: exporter,
  OTEL_TRACES_SAMPLER: str({
    choices: [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    default: undefined,
  }),
  OTEL_METRIC_EXPORT_INTERVAL: wholeBetween(1, MAX_NUMBER, 60_000),
  OTEL_BLRP_SCHEDULE_DELAY: optionalNumber,
  OTEL_BLRP_EXPORT_TIMEOUT: optionalNumber,
  OTEL_BLRP_MAX_QUEUE_SIZE: optionalNumber,
  OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: optionalNumber,
};

const SIGNALS = ['', 'TRACES_', 'METRICS_', 'LOGS_'];
const EXPORTER_OPTIONS = ['HEADERS', 'TIMEOUT', 'COMPRESSION', 'CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY'];
const BATCH_OPTIONS = ['SCHEDULE_DELAY', 'EXPORT_TIMEOUT', 'MAX_QUEUE_SIZE', 'MAX_EXPORT_BATCH_SIZE'];

/** Variables that the SDK reads itself. */
export const SDK_VARIABLES: readonly string[] = [
  'OTEL_SDK_DISABLED',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER_ARG',
  ...SIGNALS.flatMap((signal) => EXPORTER_OPTIONS.map((option) => `OTEL_EXPORTER_OTLP_${signal}${option}`)),
  ...BATCH_OPTIONS.map((option) => `OTEL_BSP_${option}`),
];

const ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
];

const EXPORTERS = ['OTEL_TRACES_EXPORTER', 'OTEL_METRICS_EXPORTER', 'OTEL_LOGS_EXPORTER'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Removes the variables of OpenTelemetry if it is off, because a platform may set values for all its programs that this
 * service does not support.
 */
export function withoutUnusedTelemetry(environment: Environment): Environment {
  const isOn =
    !isDisabled(environment['OTEL_SDK_DISABLED']) &&
    ENDPOINTS.some((name) => environment[name]) &&
    EXPORTERS.some((name) => environment[name] !== 'none');
  return isOn
    ? environment
    : Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('OTEL_')));
}

function isDisabled(text: string | undefined): boolean {
  return text?.toLowerCase() === 'true';
}

interface TelemetryVariables {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: string | undefined;
  readonly OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: string | undefined;
  readonly OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: string | undefined;
  readonly OTEL_TRACES_EXPORTER: string;
  readonly OTEL_METRICS_EXPORTER: string;
  readonly OTEL_LOGS_EXPORTER: string;
  readonly OTEL_TRACES_SAMPLER: string | undefined;
  readonly OTEL_METRIC_EXPORT_INTERVAL: number;
  readonly OTEL_BLRP_SCHEDULE_DELAY: number | undefined;
  readonly OTEL_BLRP_EXPORT_TIMEOUT: number | undefined;
  readonly OTEL_BLRP_MAX_QUEUE_SIZE: number | undefined;
  readonly OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: number | undefined;
}

export function telemetryOf(variables: TelemetryVariables): TelemetryConfig | undefined {
  const isOn = (ownEndpoint: string | undefined, exporterName: string): boolean =>
    exporterName !== 'none' && (ownEndpoint ?? variables.OTEL_EXPORTER_OTLP_ENDPOINT) !== undefined;
  const traces = isOn(variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, variables.OTEL_TRACES_EXPORTER);
  const metrics = isOn(variables.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, variables.OTEL_METRICS_EXPORTER);
  const logs = isOn(variables.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT, variables.OTEL_LOGS_EXPORTER);
  if (!traces && !metrics && !logs) return undefined;
  return {
    traces,
    metrics,
    logs,
    sampleRatio: variables.OTEL_TRACES_SAMPLER === undefined ? DEFAULT_SAMPLE_RATIO : undefined,
    metricIntervalMs: variables.OTEL_METRIC_EXPORT_INTERVAL,
    logBatches: logBatchesOf(variables),
  };
}

function logBatchesOf(variables: TelemetryVariables): LogBatches {
  const options = {
    scheduledDelayMillis: variables.OTEL_BLRP_SCHEDULE_DELAY,
    exportTimeoutMillis: variables.OTEL_BLRP_EXPORT_TIMEOUT,
    maxQueueSize: variables.OTEL_BLRP_MAX_QUEUE_SIZE,
    maxExportBatchSize: variables.OTEL_BLRP_MAX_EXPORT_BATCH_SIZE,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
