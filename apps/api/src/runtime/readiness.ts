import type { Clock } from '@back-office/kernel';
import type { MediaStore } from '@back-office/media';
import type { DatabaseHealth } from '@back-office/database';
import { loggable, type Logger } from './logger.js';

const LOG_AGAIN_MS = 60_000;

/** Whether database and storage are reachable. Logs the cause when it changes, and once a minute while it lasts. */
export class Readiness {
  private reason: string | undefined;
  private loggedAt = 0;

  constructor(
    private readonly database: Pick<DatabaseHealth, 'ping'>,
    private readonly store: Pick<MediaStore, 'ping'>,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  async check(): Promise<boolean> {
    const [database, storage] = await Promise.allSettled([this.database.ping(), this.store.ping()]);
    const failed = Object.entries({ database, storage }).flatMap(([part, { status, reason }]: [string, Settled]) =>
      status === 'rejected' ? [{ part, error: loggable(reason) }] : [],
    );
    this.log(failed);
    return failed.length === 0;
  }

  private log(failed: readonly { readonly part: string; readonly error: object }[]): void {
    const reason = failed.length === 0 ? undefined : JSON.stringify(failed.map(({ part }) => part));
    const now = this.clock.now().getTime();
    const isRepeated = reason === this.reason && (reason === undefined || now - this.loggedAt < LOG_AGAIN_MS);
    if (isRepeated) return;
    if (reason === undefined) this.logger.info('ready again');
    else this.logger.error({ failed }, 'not ready');
    [this.reason, this.loggedAt] = [reason, now];
  }
}

interface Settled {
  readonly status: string;
  readonly reason?: unknown;
}
