import type { Worker } from 'node:cluster';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { MessageToProcess, MetricsJson, ProcessRole } from './process-messages.js';

const ANSWER_TIMEOUT_MS = 2_000;

interface Member {
  readonly role: ProcessRole;
  readonly current: Worker | undefined;
}

/** Adds up the metrics of all ready processes, and counts the processes. */
export class ProcessMetrics {
  private readonly registry = new Registry();
  private readonly restarts: Counter<'role'>;
  private readonly waiting = new Map<number, (metrics: MetricsJson | undefined) => void>();
  private latestId = 0;

  constructor(private readonly members: () => readonly Member[]) {
    this.restarts = new Counter({
      name: 'process_restarts_total',
      help: 'Processes that ended without being asked to, by role',
      labelNames: ['role'],
      registers: [this.registry],
    });
    const gauge = new Gauge<'role'>({
      name: 'processes_ready',
      help: 'Processes that are ready, by role',
      labelNames: ['role'],
      registers: [this.registry],
      collect: () => {
        gauge.reset();
        for (const { role, current } of members()) gauge.inc({ role }, current === undefined ? 0 : 1);
      },
    });
  }

  countRestart(role: ProcessRole): void {
    this.restarts.inc({ role });
  }

  receive(id: number, metrics: MetricsJson): void {
    this.waiting.get(id)?.(metrics);
  }

  /** Returns only the metrics of the supervisor. */
  json(): Promise<object[]> {
    return this.registry.getMetricsAsJSON();
  }

  async collect(): Promise<string> {
    const workers = this.members().flatMap(({ current }) => (current?.isConnected() ? [current] : []));
    const answers = await Promise.all(workers.map((worker) => this.measure(worker)));
    const received = answers.filter((answer) => answer !== undefined);
    const total = AggregatorRegistry.aggregate(received);
    return `${await total.metrics()}\n${await this.registry.metrics()}`;
  }

  /** Returns `undefined` for a process that does not answer in time. */
  private measure(worker: Worker): Promise<MetricsJson | undefined> {
    this.latestId += 1;
    const id = this.latestId;
    return new Promise((resolve) => {
      const finish = (metrics: MetricsJson | undefined): void => {
        clearTimeout(timer);
        this.waiting.delete(id);
        resolve(metrics);
      };
      const timer = setTimeout(() => finish(undefined), ANSWER_TIMEOUT_MS);
      this.waiting.set(id, finish);
      const message: MessageToProcess = { kind: 'measure', id };
      worker.send(message);
    });
  }
}
