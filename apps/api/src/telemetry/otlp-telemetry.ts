import { randomUUID } from 'node:crypto';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { BatchLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { TelemetryConfig } from '../config.js';
import { SERVICE_VERSION } from '../version.js';
import { ExportHealth } from './export-health.js';
import { logSinkOf } from './log-sink.js';
import { PrometheusProducer } from './prometheus-producer.js';
import { SpanTracer } from './span-tracer.js';
import type { FailureLog, LogSink, MetricsSource, Telemetry, Tracer } from './telemetry.js';
import { openTraceScope, type TraceScope } from './trace-scope.js';

const SCOPE = 'retail-back-office';
const INSTRUMENTATION = { name: SCOPE, version: SERVICE_VERSION };
const STOP_TIMEOUT_MS = 3_000;

interface Provider {
  shutdown(): Promise<void>;
}

export class OtlpTelemetry implements Telemetry {
  readonly tracer: Tracer | undefined;
  readonly logSink: LogSink | undefined;
  private readonly health = new ExportHealth();
  private readonly resource = resourceOf();
  private readonly providers: Provider[] = [];

  constructor(private readonly config: TelemetryConfig) {
    const scope = openTraceScope();
    if (config.traces) this.tracer = this.openTracer(scope);
    if (config.logs) this.logSink = this.openLogSink(scope);
  }

  start(metrics: MetricsSource, log: FailureLog): void {
    this.health.reportTo(log);
    if (!this.config.metrics) return;
    const reader = new PeriodicExportingMetricReader({
      exporter: this.health.watch('metrics', new OTLPMetricExporter()),
      exportIntervalMillis: this.config.metricIntervalMs,
    });
    reader.setMetricProducer(new PrometheusProducer(metrics, this.resource, INSTRUMENTATION));
    this.providers.push(reader);
  }

  async stop(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise((resolve) => (timer = setTimeout(resolve, STOP_TIMEOUT_MS)));
    await Promise.race([Promise.allSettled(this.providers.map((provider) => provider.shutdown())), timedOut]);
    clearTimeout(timer);
  }

  private openTracer(scope: TraceScope): Tracer {
    const exporter = this.health.watch('traces', new OTLPTraceExporter());
    const { sampleRatio } = this.config;
    const provider = new BasicTracerProvider({
      resource: this.resource,
      spanProcessors: [new BatchSpanProcessor(exporter)],
      ...(sampleRatio !== undefined && {
        sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
      }),
    });
    this.providers.push(provider);
    return new SpanTracer(provider.getTracer(SCOPE, SERVICE_VERSION), scope);
  }

  private openLogSink(scope: TraceScope): LogSink {
    const exporter = this.health.watch('logs', new OTLPLogExporter());
    const processor = new BatchLogRecordProcessor({ exporter, ...this.config.logBatches });
    this.providers.push(processor);
    return logSinkOf(processor, { resource: this.resource, instrumentationScope: INSTRUMENTATION }, scope);
  }
}

/** The environment may replace each attribute. */
function resourceOf(): Resource {
  return resourceFromAttributes({
    'service.name': SCOPE,
    'service.version': SERVICE_VERSION,
    'service.instance.id': randomUUID(),
    'process.pid': process.pid,
  }).merge(detectResources({ detectors: [envDetector] }));
}
