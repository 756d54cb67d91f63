import type { Clock } from '@back-office/kernel';
import type { MediaStore } from '@back-office/media';
import type { Calls, DatabaseHealth, Party } from '@back-office/database';
import { loggable, type Logger } from './logger.js';

const REPEAT_LOG_MS = 60_000;
/** Anyone can request a check, and each check writes a file. So the result is cached for this time. */
const CHECK_EVERY_MS = 1_000;

const HEALTH: Party = { kind: 'health', key: '' };

interface CheckedDatabase {
  readonly calls: Pick<Calls, 'runFor'>;
  readonly health: Pick<DatabaseHealth, 'ping'>;
}

/**
 * Checks at most once a second whether database and storage are reachable. Logs a failure when its cause changes, and
 * then once a minute.
 */
export class Readiness {
  private failedParts: string | undefined;
  private loggedAtMs = 0;
  private latestCheck: Promise<boolean> | undefined;
  private checkedAtMs = 0;

  constructor(
    private readonly database: CheckedDatabase,
    private readonly store: Pick<MediaStore, 'ping'>,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  check(): Promise<boolean> {
    const nowMs = this.clock.now().getTime();
    const isRecent = nowMs >= this.checkedAtMs && nowMs < this.checkedAtMs + CHECK_EVERY_MS;
    if (this.latestCheck !== undefined && isRecent) return this.latestCheck;
    this.checkedAtMs = nowMs;
    this.latestCheck = this.checkNow();
    return this.latestCheck;
  }

  private async checkNow(): Promise<boolean> {
    const { calls, health } = this.database;
    const [database, storage] = await Promise.allSettled([
      calls.runFor(HEALTH, () => health.ping()),
      this.store.ping(),
    ]);
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
