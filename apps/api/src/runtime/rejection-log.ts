import type { Logger } from './logger.js';

const WINDOW_MS = 60_000;
const MAX_WINDOWS = 1_000;

interface Window {
  readonly startedAtMs: number;
  readonly message: string;
  line: object;
  /** Number of rejections since the last logged line. */
  count: number;
}

/**
 * Logs the first rejection of a caller at once and counts its further rejections within a minute. The next rejection of
 * any caller after that minute logs the count. Logs at most a thousand callers per minute.
 */
export class RejectionLog {
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly logger: Logger,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  note(message: string, caller: string, line: object): void {
    const startedAtMs = this.nowMs();
    this.closeOldWindows(startedAtMs);
    const key = `${message} ${caller}`;
    const window = this.windows.get(key);
    if (window) {
      window.count += 1;
      window.line = line;
    } else if (this.windows.size < MAX_WINDOWS) {
      this.windows.set(key, { startedAtMs, message, line, count: 0 });
      this.logger.warn({ ...line, count: 1 }, message);
    }
  }

  private closeOldWindows(nowMs: number): void {
    for (const [key, { startedAtMs, message, line, count }] of this.windows) {
      if (nowMs - startedAtMs < WINDOW_MS) return;
      this.windows.delete(key);
      if (count > 0) this.logger.warn({ ...line, count }, message);
    }
  }
}
