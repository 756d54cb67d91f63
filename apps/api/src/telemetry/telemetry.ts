import type { OnStatement } from '@back-office/database';
import type { CallTracer } from '../http/request-log.js';

/** Request that the service sends to another server. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  /** What the request is for, such as `webhook`. It becomes a part of the span's name, so few values may exist. */
  readonly purpose: string;
}

export interface RequestSpan {
  /** Headers with which the receiver can continue the trace. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the span. Without a status, the request got no answer. */
  readonly end: (status: number | undefined, error?: unknown) => void;
}

export type OnRequest = (request: OutgoingRequest) => RequestSpan;

export interface TraceIds {
  readonly trace_id: string;
  readonly span_id: string;
}

/** A `job` comes from the queue; a `chore` runs periodically. */
export type TaskKind = 'job' | 'chore';

export interface Tracer extends CallTracer {
  /** Records the statement as a child of the current span, if that span is sampled. */
  readonly onStatement: OnStatement;
  readonly onRequest: OnRequest;
  runTask<Result>(name: string, kind: TaskKind, work: () => Promise<Result>): Promise<Result>;
  /** Returns the ids of the current span; `undefined` outside of calls and tasks. */
  currentIds(): TraceIds | undefined;
}

/** The message of the line that each call logs at its end. */
export const REQUEST_LINE = 'request';

export type LogFields = Readonly<Record<string, unknown>>;

/** Gets each written log line. `level` is the number of a level of pino. */
export type LogSink = (level: number, message: string, fields: LogFields) => void;

/** JSON of metrics, as prom-client returns it. */
export type MetricsSource = () => Promise<readonly object[]>;

export interface FailureLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** Sends spans, log lines and metrics to a collector. A member is `undefined` when its signal is off. */
export interface Telemetry {
  readonly tracer: Tracer | undefined;
  readonly logSink: LogSink | undefined;
  /** Starts to export the metrics and to log failures of the export. */
  start(metrics: MetricsSource, log: FailureLog): void;
  /** Exports what is left, for a limited time. */
  stop(): Promise<void>;
}
