import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { DatabaseHealth } from '@back-office/database';
import type { EndpointLag } from '@back-office/events';
import type { LimitName } from '../http/errors.js';
import type { FinishedRequest } from '../http/request-log.js';
import type { AttemptCounts } from '../webhooks/index.js';

const BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface WebhookSource {
  readonly lags: () => Promise<readonly EndpointLag[]>;
  readonly attempts: () => AttemptCounts;
  readonly now: () => Date;
}

/** Text in the format of Prometheus. */
export interface MetricsText {
  text(): Promise<{ readonly type: string; readonly body: string }>;
}

/** Returns the metrics to serve, which may include those of other processes. */
export type ShareMetrics = (own: Metrics) => MetricsText;

export class Metrics implements MetricsText {
  private readonly registry = new Registry();
  private readonly requests: Histogram<'method' | 'route' | 'status'>;

  private readonly limited: Counter<'limit'>;

  /** `countWaiting` returns the number of requests that wait for admission. */
  constructor(database: DatabaseHealth, countWaiting: () => number = () => 0) {
    collectDefaultMetrics({ register: this.registry });
    this.requests = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the first byte of a request to the end of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [this.registry],
    });
    this.limited = new Counter({
      name: 'calls_over_limit_total',
      help: 'Calls refused because their caller exceeded a limit',
      labelNames: ['limit'],
      registers: [this.registry],
    });
    this.watchPool(database);
    this.watchQueues(database, countWaiting);
  }

  watchWebhooks({ lags, attempts, now }: WebhookSource): void {
    const gauge = new Gauge<'app' | 'endpoint'>({
      name: 'webhook_oldest_undelivered_event_seconds',
      help: 'Age of the oldest event that an active endpoint has not received; 0 when it has all',
      labelNames: ['app', 'endpoint'],
      // Every process reads the same age from the database, so the ages must not be added up.
      aggregator: 'max',
      registers: [this.registry],
      collect: async () => {
        gauge.reset();
        for (const { appId, endpointId, oldestAt } of await lags()) {
          const seconds = oldestAt === null ? 0 : Math.max(0, (now().getTime() - oldestAt.getTime()) / 1000);
          gauge.set({ app: String(appId), endpoint: String(endpointId) }, seconds);
        }
      },
    });
    const counter = new Gauge<'result'>({
      name: 'webhook_attempts',
      help: 'Attempts to deliver an event by this process, since its start',
      labelNames: ['result'],
      registers: [this.registry],
      collect: () => {
        const { delivered, failed } = attempts();
        counter.set({ result: 'delivered' }, delivered);
        counter.set({ result: 'failed' }, failed);
      },
    });
  }

  observe({ method, route, status, milliseconds }: FinishedRequest): void {
    this.requests.observe({ method, route, status: String(status) }, milliseconds / 1000);
  }

  countOverLimit(limit: LimitName): void {
    this.limited.inc({ limit });
  }

  async text(): Promise<{ readonly type: string; readonly body: string }> {
    return { type: this.registry.contentType, body: await this.registry.metrics() };
  }

  json(): Promise<object[]> {
    return this.registry.getMetricsAsJSON();
  }

  private watchQueues(database: DatabaseHealth, countWaiting: () => number): void {
    const gauge: Gauge = new Gauge({
      name: 'waiting_for_turn',
      help: 'Requests that wait for their start, and work that waits for a database connection',
      labelNames: ['kind'],
      registers: [this.registry],
      collect: () => {
        for (const [kind, count] of Object.entries({ ...database.waiting(), start: countWaiting() }))
          gauge.set({ kind }, count);
      },
    });
  }

  private watchPool(database: DatabaseHealth): void {
    const gauge: Gauge = new Gauge({
      name: 'database_connections',
      help: 'Connections of the pool by state',
      labelNames: ['state'],
      registers: [this.registry],
      collect: () => {
        for (const [state, count] of Object.entries(database.connections())) gauge.set({ state }, count);
      },
    });
  }
}
