import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BacklogFigures, DatabaseHealth } from '@back-office/database';
import { OPEN_STATUSES } from '@back-office/proforma';
import type { EndpointLag } from '@back-office/events';
import type { LimitName } from '../http/errors.js';
import type { FinishedRequest } from '../http/request-log.js';
import type { AttemptCounts } from '../webhooks/index.js';
import { freeBytesOf } from './free-space.js';
import { readMetrics, shareMetrics } from './process-member.js';

const BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface WebhookSource {
  readonly lags: () => Promise<readonly EndpointLag[]>;
  readonly attempts: () => AttemptCounts;
  readonly now: () => Date;
}

/** Returns `undefined` while the database is unavailable. */
export type BacklogSource = () => Promise<BacklogFigures | undefined>;

export class Metrics {
  private readonly registry = new Registry();
  private readonly requests: Histogram<'method' | 'route' | 'status'>;

  private readonly limited: Counter<'limit'>;

  /** `countWaiting` returns the number of requests that wait for their turn. */
  constructor(database: DatabaseHealth, countWaiting: () => number = () => 0) {
    shareMetrics(this.registry);
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
    const counter = new Counter<'result'>({
      name: 'webhook_attempts_total',
      help: 'Attempts to deliver an event',
      labelNames: ['result'],
      registers: [this.registry],
      collect: () => {
        const { delivered, failed } = attempts();
        counter.reset();
        counter.inc({ result: 'delivered' }, delivered);
        counter.inc({ result: 'failed' }, failed);
      },
    });
  }

  /** Every process reads the same figures from the database, so they must not be added up. */
  watchBacklog(read: BacklogSource): void {
    const watch = <Label extends string>(
      config: { readonly name: string; readonly help: string; readonly labelNames: readonly Label[] },
      update: (gauge: Gauge<Label>, figures: BacklogFigures) => void,
    ): void => {
      const gauge = new Gauge<Label>({
        ...config,
        aggregator: 'max',
        registers: [this.registry],
        collect: async () => {
          const figures = await read();
          gauge.reset();
          if (figures !== undefined) update(gauge, figures);
        },
      });
    };
    watch({ name: 'proformas_open', help: 'Open proformas of all apps', labelNames: ['status'] }, (gauge, figures) => {
      for (const status of OPEN_STATUSES) gauge.set({ status }, figures.openProformas[status] ?? 0);
    });
    watch(
      { name: 'stock_reserved_lines', help: 'Lines of proformas and orders whose stock is reserved', labelNames: [] },
      (gauge, { reservedLines }) => gauge.set(reservedLines),
    );
    watch({ name: 'work_waiting', help: 'Work that waits in the database', labelNames: ['kind'] }, (gauge, figures) => {
      for (const [kind, { count }] of waitingWorkOf(figures)) gauge.set({ kind }, count);
    });
    watch(
      { name: 'work_due_for_seconds', help: 'Age of the oldest due work; 0 when none is due', labelNames: ['kind'] },
      (gauge, figures) => {
        for (const [kind, { dueForSeconds }] of waitingWorkOf(figures)) gauge.set({ kind }, dueForSeconds);
      },
    );
    watch(
      { name: 'jobs_failed', help: 'Background jobs that have used all their attempts', labelNames: [] },
      (gauge, { failedJobs }) => gauge.set(failedJobs),
    );
  }

  /** Processes of one machine report the same file system. */
  watchFreeBytes(directory: string): void {
    const gauge: Gauge = new Gauge({
      name: 'data_free_bytes',
      help: 'Free bytes on the file system of the data folder, which holds uploads, files on disk and the embedded database',
      aggregator: 'min',
      registers: [this.registry],
      collect: async () => gauge.set(await freeBytesOf(directory).catch(() => NaN)),
    });
  }

  observe({ method, route, status, milliseconds }: FinishedRequest): void {
    this.requests.observe({ method, route, status: String(status) }, milliseconds / 1000);
  }

  countOverLimit(limit: LimitName): void {
    this.limited.inc({ limit });
  }

  /** Returns the metrics in the format of Prometheus, as the total of all processes if there are several. */
  async text(): Promise<{ readonly type: string; readonly body: string }> {
    return { type: this.registry.contentType, body: await readMetrics(this.registry) };
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

function waitingWorkOf({ overdueProformas, pendingRefunds, dueJobs }: BacklogFigures) {
  return Object.entries({ overdue_proformas: overdueProformas, pending_refunds: pendingRefunds, due_jobs: dueJobs });
}
