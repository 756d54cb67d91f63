import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, trace, type Context, type Span } from '@opentelemetry/api';
import type { TraceIds } from './telemetry.js';

/** A span and what derives from it. Derived values are made on first use, because most spans are not sampled. */
export class ActiveSpan {
  private cachedContext: Context | undefined;
  private cachedIds: TraceIds | undefined;

  constructor(readonly span: Span) {}

  get context(): Context {
    this.cachedContext ??= trace.setSpan(ROOT_CONTEXT, this.span);
    return this.cachedContext;
  }

  get ids(): TraceIds {
    if (this.cachedIds === undefined) {
      const { traceId, spanId } = this.span.spanContext();
      this.cachedIds = { trace_id: traceId, span_id: spanId };
    }
    return this.cachedIds;
  }
}

/** The span of the running call or task. */
export type TraceScope = AsyncLocalStorage<ActiveSpan>;

export function openTraceScope(): TraceScope {
  return new AsyncLocalStorage<ActiveSpan>();
}
