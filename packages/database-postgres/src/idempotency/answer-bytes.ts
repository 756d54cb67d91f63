import { MAX_ANSWER_BYTES_OF_APP } from '@back-office/apps';
import { Memory, type Clock } from '@back-office/kernel';
import type { Postgres } from '../connection/postgres.js';

const COUNT_LIFETIME_MS = 60_000;

const SUM_KEPT_BYTES = `
  select coalesce(sum(octet_length(body)), 0)::bigint as bytes from idempotency_keys where app_id = $1`;

/**
 * Estimates the bytes of kept answers of each app: a sum read once a minute, plus the answers of this process since
 * then. Reading the sum for every answer would take longer than the calls.
 */
export class AnswerBytes {
  private readonly counts: Memory<{ bytes: number }>;

  constructor(
    private readonly database: Postgres,
    clock: Clock,
  ) {
    this.counts = new Memory(COUNT_LIFETIME_MS, clock);
  }

  /** Adds the bytes and returns true, unless the app would exceed its limit. */
  async tryAdd(appId: number, bytes: number): Promise<boolean> {
    if (bytes === 0) return true;
    const count = this.counts.get(String(appId)) ?? (await this.readCount(appId));
    if (count.bytes + bytes > MAX_ANSWER_BYTES_OF_APP) return false;
    count.bytes += bytes;
    return true;
  }

  private async readCount(appId: number): Promise<{ bytes: number }> {
    const [row] = await this.database.rows<{ bytes: number }>(SUM_KEPT_BYTES, [appId]);
    const count = { bytes: row?.bytes ?? 0 };
    this.counts.set(String(appId), count);
    return count;
  }
}
