import type { Clock } from '@back-office/kernel';
import type { MediaStore } from '@back-office/media';
import type { Database } from '../database/database.js';
import { loggable, type Logger } from './logger.js';

const REPEAT_MS = 60_000;

/** Whether database and storage can be reached. Why not is logged when it begins or changes, and once a minute. */
export class Readiness {
  private reason: string | undefined;
  private loggedAt = 0;

  constructor(
    private readonly database: Pick<Database, 'ping'>,
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
    const isRepeated = reason === this.reason && (reason === undefined || now - this.loggedAt < REPEAT_MS);
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
