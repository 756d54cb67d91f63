import type { EndpointLag } from '@back-office/events';
import type { Container } from 'inversify';
import { TOKENS } from '../tokens.js';
import type { Metrics } from './metrics.js';

const LAGS_CACHE_MS = 5_000;
const BACKLOG_CACHE_MS = 15_000;

/** Adds the metrics that are read from the database. */
export function watchDatabase(metrics: Metrics, container: Container): void {
  const clock = container.get(TOKENS.Clock);
  const { webhookQueue, backlog } = container.get(TOKENS.Database);
  const noLags: readonly EndpointLag[] = [];
  metrics.watchWebhooks({
    lags: cache(LAGS_CACHE_MS, () => webhookQueue.lags().catch(() => noLags)),
    attempts: () => container.get(TOKENS.WebhookDispatcher).attempts,
    now: () => clock.now(),
  });
  metrics.watchBacklog(cache(BACKLOG_CACHE_MS, () => backlog.figures(clock.now()).catch(() => undefined)));
}

/** Protects the database from many requests, because metrics need no token. */
function cache<Value>(maxAgeMs: number, read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  let readAtMs = -Infinity;
  return () => {
    if (value !== undefined && performance.now() - readAtMs < maxAgeMs) return value;
    readAtMs = performance.now();
    value = read();
    return value;
  };
}
