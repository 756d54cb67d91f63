import type { Job, WorkerEvents } from 'graphile-worker';

/** Each app has its own flag, because a worker can skip jobs by flag. */
export function flagOfApp(appId: number): string {
  return `app:${appId}`;
}

/** Limits the slots of one app in a worker, so that the next job of another app can start at once. */
export class JobTurns {
  private readonly jobCountByFlag = new Map<string, number>();
  private latestFetch: Promise<void> = Promise.resolve();
  private endFetch = (): void => {};

  constructor(
    events: WorkerEvents,
    private readonly maxJobsOfApp: number,
  ) {
    events.on('job:start', ({ job }) => {
      this.count(job, 1);
      this.endFetch();
    });
    events.on('job:complete', ({ job }) => this.count(job, -1));
    for (const event of ['worker:getJob:empty', 'worker:getJob:error'] as const)
      events.on(event, () => this.endFetch());
  }

  /**
   * Returns the flags of apps that have all their slots in use. Slots fetch jobs one after another, because a job
   * counts only after it has started.
   */
  async forbiddenFlags(): Promise<string[]> {
    const previousFetch = this.latestFetch;
    let end = (): void => {};
    this.latestFetch = new Promise((resolve) => (end = resolve));
    await previousFetch;
    this.endFetch = end;
    return [...this.jobCountByFlag].filter(([, jobs]) => jobs >= this.maxJobsOfApp).map(([flag]) => flag);
  }

  private count({ flags }: Job, change: number): void {
    for (const flag of Object.keys(flags ?? {})) {
      const jobs = (this.jobCountByFlag.get(flag) ?? 0) + change;
      if (jobs > 0) this.jobCountByFlag.set(flag, jobs);
      else this.jobCountByFlag.delete(flag);
    }
  }
}
