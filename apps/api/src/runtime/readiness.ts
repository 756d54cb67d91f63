import type { Clock } from '@back-office/kernel';
import type { MediaStore } from '@back-office/media';
import type { DatabaseHealth } from '@back-office/database';
import { loggable, type Logger } from './logger.js';

const REPEAT_LOG_MS = 60_000;

/**
 * Checks whether database and storage are reachable. Logs the cause when it changes, and once a minute while it lasts.
 */
export class Readiness {
  private failedParts: string | undefined;
  private loggedAtMs = 0;

  constructor(
    private readonly database: Pick<DatabaseHealth, 'ping'>,
    private readonly store: Pick<MediaStore, 'ping'>,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  async check(): Promise<boolean> {
    const [database, storage] = await Promise.allSettled([this.database.ping(), this.store.ping()]);
    const failures = Object.entries({ database, storage }).flatMap(([part, { status, reason }]: [string, PingResult]) =>
      status === 'rejected' ? [{ part, error: loggable(reason) }] : [],
    );
    this.log(failures);
    return failures.length === 0;
  }

  private log(failures: readonly { readonly part: string; readonly error: object }[]): void {
    const failedParts = failures.length === 0 ? undefined : JSON.stringify(failures.map(({ part }) => part));
    const nowMs = this.clock.now().getTime();
    const isRepeated =
      failedParts === this.failedParts && (failedParts === undefined || nowMs - this.loggedAtMs < REPEAT_LOG_MS);
    if (isRepeated) return;
    if (failedParts === undefined) this.logger.info('ready again');
    else this.logger.error({ failed: failures }, 'not ready');
    [this.failedParts, this.loggedAtMs] = [failedParts, nowMs];
  }
}

interface PingResult {
  readonly status: string;
  readonly reason?: unknown;
}
