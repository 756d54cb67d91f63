import type { EndpointLag } from '@back-office/events';
import type { Container } from 'inversify';
import { TOKENS } from '../tokens.js';
import type { WebhookSource } from './metrics.js';

const CACHE_MS = 5_000;

export function webhookSourceOf(container: Container): WebhookSource {
  const clock = container.get(TOKENS.Clock);
  let lags: Promise<readonly EndpointLag[]> | undefined;
  let readAtMs = -Infinity;
  return {
    // Metrics need no token, so the result is cached to protect the database from many requests.
    lags: () => {
      if (lags !== undefined && performance.now() - readAtMs < CACHE_MS) return lags;
      readAtMs = performance.now();
      lags = container
        .get(TOKENS.Database)
        .webhookQueue.lags()
        .catch(() => []);
      return lags;
    },
    attempts: () => container.get(TOKENS.WebhookDispatcher).attempts,
    now: () => clock.now(),
  };
}
