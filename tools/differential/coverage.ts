import type { Route } from '../../apps/api/src/http/route.js';
import type { Answer } from './answer.js';
import { nameOf } from './generator.js';
import { SchemaBodies } from './schema-bodies.js';
import type { Step } from './steps.js';

export class Coverage {
  private readonly counts = new Map<string, Map<number, number>>();

  constructor(private readonly routes: readonly Route[]) {
    for (const route of routes) this.counts.set(nameOf(route), new Map());
  }

  record(step: Step, { status }: Answer): void {
    if (step.kind !== 'call') return;
    const counts = this.counts.get(nameOf(step));
    counts?.set(status, (counts.get(status) ?? 0) + 1);
  }

  /** Returns the routes that have never answered with a 2xx status. */
  routesWithoutSuccess(): string[] {
    const hasSuccess = (counts: ReadonlyMap<number, number>): boolean =>
      [...counts.keys()].some((status) => status < 300);
    return [...this.counts].filter(([, counts]) => !hasSuccess(counts)).map(([name]) => name);
  }

  /** Returns one line per route with the count of each documented status; `-` means none. */
  formatLines(): string[] {
    const bodies = new SchemaBodies(this.routes);
    return this.routes.map((route) => {
      const counts = this.counts.get(nameOf(route)) ?? new Map<number, number>();
      const statuses = new Set([...bodies.statusesOf(route), ...counts.keys()]);
      const sortedStatuses = [...statuses].sort((a, b) => a - b);
      return `${nameOf(route).padEnd(62)} ${sortedStatuses.map((status) => `${status}:${counts.get(status) ?? '-'}`).join(' ')}`;
    });
  }
}
