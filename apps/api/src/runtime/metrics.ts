import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { DatabaseHealth } from '@back-office/database';
import type { FinishedRequest } from '../http/request-log.js';

const BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Metrics {
  private readonly registry = new Registry();
  private readonly requests: Histogram<'method' | 'route' | 'status'>;

  constructor(database: DatabaseHealth) {
    collectDefaultMetrics({ register: this.registry });
    this.requests = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the first byte of a request to the end of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [this.registry],
    });
    this.watchPool(database);
  }

  observe({ method, route, status, milliseconds }: FinishedRequest): void {
    this.requests.observe({ method, route, status: String(status) }, milliseconds / 1000);
  }

  async text(): Promise<{ readonly type: string; readonly body: string }> {
    return { type: this.registry.contentType, body: await this.registry.metrics() };
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
