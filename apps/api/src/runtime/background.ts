import { loggable, type Logger } from './logger.js';

export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  /** Answers whether there is more to do at once. Begins nothing new once `stopping` is aborted. */
  run(stopping: AbortSignal): Promise<boolean>;
}

const PAUSE_AFTER_FAILURE_MS = 5_000;
/** What has not ended by then is cut off: all of it can be, and is taken up again by whoever runs next. */
const STOP_MS = 15_000;

/** Runs chores again and again, each by itself. A chore that fails is tried again after a pause. */
export class Background {
  private readonly timers = new Map<Chore, NodeJS.Timeout>();
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly chores: readonly Chore[],
    private readonly logger: Logger,
  ) {}

  start(): void {
    for (const chore of this.chores) this.after(0, chore);
  }

  /** Lets the chores that are running end what they are at, for a while. */
  async stop(): Promise<void> {
    this.stopping.abort();
    for (const timer of this.timers.values()) clearTimeout(timer);
    let patience: NodeJS.Timeout | undefined;
    const over = new Promise((resolve) => (patience = setTimeout(resolve, STOP_MS)));
    await Promise.race([Promise.all(this.running), over]);
    clearTimeout(patience);
  }

  private after(milliseconds: number, chore: Chore): void {
    if (this.stopping.signal.aborted) return;
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
      return (await chore.run(this.stopping.signal)) ? 0 : chore.everyMs;
    } catch (error) {
      this.logger.error({ chore: chore.name, error: loggable(error) }, 'chore failed');
      return PAUSE_AFTER_FAILURE_MS;
    }
  }
}
