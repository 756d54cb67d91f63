import { loggable, type Logger } from './logger.js';

export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  /** Answers whether there is more to do at once. */
  run(): Promise<boolean>;
}

const PAUSE_AFTER_FAILURE_MS = 5_000;

/** Runs chores again and again, each by itself. A chore that fails is tried again after a pause. */
export class Background {
  private readonly timers = new Map<Chore, NodeJS.Timeout>();
  private readonly running = new Set<Promise<void>>();
  private stopped = false;

  constructor(
    private readonly chores: readonly Chore[],
    private readonly logger: Logger,
  ) {}

  start(): void {
    for (const chore of this.chores) this.after(0, chore);
  }

  /** Waits for the chores that are running. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all(this.running);
  }

  private after(milliseconds: number, chore: Chore): void {
    if (this.stopped) return;
    const timer = setTimeout(() => {
      const run = this.runOnce(chore).then((pause) => {
        this.running.delete(run);
        this.after(pause, chore);
      });
      this.running.add(run);
    }, milliseconds);
    this.timers.set(chore, timer);
  }

  private async runOnce(chore: Chore): Promise<number> {
    try {
      return (await chore.run()) ? 0 : chore.everyMs;
    } catch (error) {
      this.logger.error({ chore: chore.name, error: loggable(error) }, 'chore failed');
      return PAUSE_AFTER_FAILURE_MS;
    }
  }
}
