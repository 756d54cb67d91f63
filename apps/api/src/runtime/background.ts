import { loggable, type Logger } from './logger.js';

export interface Chore {
  readonly name: string;
  readonly intervalMs: number;
  /** Returns whether more work is due now. Starts no new work after `stopping` is aborted. */
  run(stopping: AbortSignal): Promise<boolean>;
}

const PAUSE_AFTER_FAILURE_MS = 5_000;
/** Chores that run longer are abandoned; the next process takes over their work. */
const STOP_TIMEOUT_MS = 15_000;

/** Runs each chore periodically, independent of the others. Retries a failed chore after a pause. */
export class Background {
  private readonly timers = new Map<Chore, NodeJS.Timeout>();
  private readonly runningChores = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly chores: readonly Chore[],
    private readonly logger: Logger,
  ) {}

  start(): void {
    for (const chore of this.chores) this.schedule(0, chore);
  }

  /** Waits a limited time for running chores. */
  async stop(): Promise<void> {
    this.stopping.abort();
    for (const timer of this.timers.values()) clearTimeout(timer);
    let stopTimer: NodeJS.Timeout | undefined;
    const timedOut = new Promise((resolve) => (stopTimer = setTimeout(resolve, STOP_TIMEOUT_MS)));
    await Promise.race([Promise.all(this.runningChores), timedOut]);
    clearTimeout(stopTimer);
  }

  private schedule(delayMs: number, chore: Chore): void {
    if (this.stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      const run = this.runOnce(chore).then((pauseMs) => {
        this.runningChores.delete(run);
        this.schedule(pauseMs, chore);
      });
      this.runningChores.add(run);
    }, delayMs);
    this.timers.set(chore, timer);
  }

  private async runOnce(chore: Chore): Promise<number> {
    try {
      return (await chore.run(this.stopping.signal)) ? 0 : chore.intervalMs;
    } catch (error) {
      this.logger.error({ chore: chore.name, error: loggable(error) }, 'chore failed');
      return PAUSE_AFTER_FAILURE_MS;
    }
  }
}
