import { TraceFlags, type Span } from '@opentelemetry/api';
import { SeverityNumber, type AnyValue } from '@opentelemetry/api-logs';
import { millisToHrTime } from '@opentelemetry/core';
import type { LogRecordProcessor, ReadableLogRecord, ReadWriteLogRecord } from '@opentelemetry/sdk-logs';
import { REQUEST_LINE, type LogFields, type LogSink } from './telemetry.js';
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

/** What all records of a process have in common. */
export type RecordSource = Pick<ReadableLogRecord, 'resource' | 'instrumentationScope'>;

const WARN = 40;

/**
 * Passes records to the processor without a `Logger`, which would make a `WeakSet` for each attribute. These make the
 * garbage collection of each call slower. The line of a request that did not fail follows the sampling of its call. To
 * encode all of them would take more CPU than all spans.
 */
export function logSinkOf(processor: LogRecordProcessor, source: RecordSource, scope: TraceScope): LogSink {
  return (level, message, fields) => {
    const span = scope.getStore()?.span;
    if (message === REQUEST_LINE && level < WARN && span && !isSampled(span)) return;
    const now = millisToHrTime(Date.now());
    const record: ReadableLogRecord = {
      ...source,
      ...SEVERITIES.get(level),
      hrTime: now,
      hrTimeObserved: now,
      body: message,
      attributes: attributesOf(fields),
      droppedAttributesCount: 0,
      ...(span && { spanContext: span.spanContext() }),
    };
    // Processors could change a record of a `Logger`, but the batch processor only stores it.
    processor.onEmit(record as ReadWriteLogRecord);
  };
}

function isSampled(span: Span): boolean {
  return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
}

function attributesOf(fields: LogFields): Record<string, AnyValue> {
  const attributes: Record<string, AnyValue> = {};
  for (const name in fields) if (fields[name] !== undefined) attributes[name] = fields[name] as AnyValue;
  return attributes;
}
