import type { Config } from '../config.js';
import type { Telemetry } from './telemetry.js';

export { REQUEST_LINE } from './telemetry.js';
export type {
  FailureLog,
  LogSink,
  MetricsSource,
  OnRequest,
  OutgoingRequest,
  RequestSpan,
  TaskKind,
  Telemetry,
  TraceIds,
  Tracer,
} from './telemetry.js';

/** Returns `undefined`, without loading OpenTelemetry, when no collector is configured. */
export async function openTelemetry({ telemetry }: Pick<Config, 'telemetry'>): Promise<Telemetry | undefined> {
  if (telemetry === undefined) return undefined;
  const { OtlpTelemetry } = await import('./otlp-telemetry.js');
  return new OtlpTelemetry(telemetry);
}
