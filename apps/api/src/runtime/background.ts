import { setMaxListeners } from 'node:events';
import { loggable, type Logger } from './logger.js';

export interface Chore {
  readonly name: string;
  readonly intervalMs: number;
  /** Returns whether more work is due. Must start no work after `stopping` is aborted. */
  run(stopping: AbortSignal): Promise<boolean>;
}

const PAUSE_AFTER_FAILURE_MS = 5_000;
/**
 * Maximum wait for running chores at a stop. A chore that runs longer is abandoned, and another process does its work
 * later.
 */
const STOP_TIMEOUT_MS = 15_000;

/** Runs each chore periodically and independently of other chores. A failed chore runs again after a pause. */
export class Background {
  private readonly timers = new Map<Chore, NodeJS.Timeout>();
  private readonly runningChores = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly chores: readonly Chore[],
    private readonly logger: Logger,
  ) {
    // Each endpoint of webhooks that takes a turn listens.
    setMaxListeners(0, this.stopping.signal);
  }

  start(): void {
    for (const chore of this.chores) this.schedule(0, chore);
  }

  /** Waits for running chores, at most `STOP_TIMEOUT_MS`. */
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
      const hasMore = await chore.run(this.stopping.signal);
      return hasMore ? 0 : chore.intervalMs;
    } catch (error) {
      this.logger.error({ chore: chore.name, error: loggable(error) }, 'chore failed');
      return PAUSE_AFTER_FAILURE_MS;
    }
  }
}
