import { MAX_ANSWER_BYTES_OF_APP } from '@back-office/apps';
import type { Clock } from '@back-office/kernel';
import type { Postgres } from '../postgres.js';

const COUNT_LIFETIME_MS = 60_000;
const MAX_APPS = 10_000;

const SUM_KEPT_BYTES = `
  select coalesce(sum(octet_length(body)), 0)::bigint as bytes from idempotency_keys where app_id = $1`;

interface Count {
  bytes: number;
  readonly countedAtMs: number;
}

/**
 * Estimates the bytes of kept answers of each app: a sum read once a minute, plus the answers of this process since
 * then. Reading the sum for every answer would take longer than the calls.
 */
export class AnswerBytes {
  private readonly counts = new Map<number, Count>();

  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  /** Adds the bytes and returns true, unless the app would exceed its limit. */
  async tryAdd(appId: number, bytes: number): Promise<boolean> {
    if (bytes === 0) return true;
    const count = this.recentCount(appId) ?? (await this.readCount(appId));
    if (count.bytes + bytes > MAX_ANSWER_BYTES_OF_APP) return false;
    count.bytes += bytes;
    return true;
  }

  private recentCount(appId: number): Count | undefined {
    const count = this.counts.get(appId);
    const ageMs = count && this.clock.now().getTime() - count.countedAtMs;
    return ageMs !== undefined && ageMs >= 0 && ageMs < COUNT_LIFETIME_MS ? count : undefined;
  }

  private async readCount(appId: number): Promise<Count> {
    const [row] = await this.database.rows<{ bytes: number }>(SUM_KEPT_BYTES, [appId]);
    const count = { bytes: row?.bytes ?? 0, countedAtMs: this.clock.now().getTime() };
    if (this.counts.size >= MAX_APPS) this.counts.clear();
    this.counts.set(appId, count);
    return count;
  }
}
