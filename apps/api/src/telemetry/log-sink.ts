import { SeverityNumber, type AnyValue, type Logger } from '@opentelemetry/api-logs';
import type { LogFields, LogSink } from './telemetry.js';
import type { TraceScope } from './trace-scope.js';

const SEVERITIES: ReadonlyMap<number, { readonly severityNumber: SeverityNumber; readonly severityText: string }> =
  new Map([
    [10, { severityNumber: SeverityNumber.TRACE, severityText: 'TRACE' }],
    [20, { severityNumber: SeverityNumber.DEBUG, severityText: 'DEBUG' }],
    [30, { severityNumber: SeverityNumber.INFO, severityText: 'INFO' }],
    [40, { severityNumber: SeverityNumber.WARN, severityText: 'WARN' }],
    [50, { severityNumber: SeverityNumber.ERROR, severityText: 'ERROR' }],
    [60, { severityNumber: SeverityNumber.FATAL, severityText: 'FATAL' }],
  ]);

export function logSinkOf(logger: Logger, scope: TraceScope): LogSink {
  return (level, message, fields) => {
    const context = scope.current?.context;
    logger.emit({
      ...SEVERITIES.get(level),
      body: message,
      attributes: attributesOf(fields),
      ...(context && { context }),
    });
  };
}

function attributesOf(fields: LogFields): Record<string, AnyValue> {
  const attributes: Record<string, AnyValue> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) attributes[name] = value as AnyValue;
  return attributes;
}
