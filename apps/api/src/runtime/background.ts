import { loggable, type Logger } from './logger.js';

export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  /** Returns whether more work is due now. Starts nothing new after `stopping` is aborted. */
  run(stopping: AbortSignal): Promise<boolean>;
}

const PAUSE_AFTER_FAILURE_MS = 5_000;
/** Chores that run longer are cut off; the next process takes their work up again. */
const STOP_TIMEOUT_MS = 15_000;

/** Runs each chore periodically, independent of the others. A failed chore is retried after a pause. */
export class Background {
  private readonly timers = new Map<Chore, NodeJS.Timeout>();
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly chores: readonly Chore[],
    private readonly logger: Logger,
  ) {}

  start(): void {
    for (const chore of this.chores) this.schedule(0, chore);
  }

  /** Waits a limited time for running chores to finish. */
  async stop(): Promise<void> {
    this.stopping.abort();
    for (const each of this.timers.values()) clearTimeout(each);
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise((resolve) => (timer = setTimeout(resolve, STOP_TIMEOUT_MS)));
    await Promise.race([Promise.all(this.running), timedOut]);
    clearTimeout(timer);
  }

  private schedule(milliseconds: number, chore: Chore): void {
    if (this.stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      const run = this.runOnce(chore).then((pause) => {
        this.running.delete(run);
        this.schedule(pause, chore);
      });
      this.running.add(run);
    }, milliseconds);
    this.timers.set(chore, timer);
  }

  private async runOnce(chore: Chore): Promise<number> {
    try {
      return (await chore.run(this.stopping.signal)) ? 0 : chore.everyMs;
    } catch (error) {
      this.logger.error({ chore: chore.name, error: loggable(error) }, 'chore failed');
      return PAUSE_AFTER_FAILURE_MS;
    }
  }
}
