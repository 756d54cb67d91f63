import { addHours, type Clock } from '@back-office/kernel';
import { randomUUID } from 'node:crypto';
import type { Postgres } from '../connection/postgres.js';
import { WriteOnce } from '../connection/write-once.js';
import { AnswerBytes } from './answer-bytes.js';
import {
  ANSWER_RETENTION_HOURS,
  RUN_LEASE_MS,
  type StoredAnswer,
  type KeyedCall,
  type KeyedCalls,
  type Run,
} from '@back-office/apps';

const PURGED_AT_ONCE = 5_000;

// Begins a run under a new key, an expired key, or the key of a dead run. In the last case, the new run continues with
// the dead run's result.
const BEGIN_RUN = `
  insert into idempotency_keys as k (app_id, access_token_id, key, fingerprint, run, leased_until, inserted_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (app_id, access_token_id, key) do update
  set fingerprint = excluded.fingerprint, run = excluded.run, leased_until = excluded.leased_until,
    outcome = case when k.inserted_at >= $8 then k.outcome end, status = null, headers = null, body = null,
    inserted_at = case when k.inserted_at >= $8 then k.inserted_at else excluded.inserted_at end
  where k.inserted_at < $8
    or (k.status is null and k.leased_until <= $7 and k.fingerprint = excluded.fingerprint)
  returning outcome`;

const FIND_CALL = `
  select fingerprint, status, headers, body from idempotency_keys
  where app_id = $1 and access_token_id = $2 and key = $3`;

const WHERE_RUN = 'where app_id = $1 and access_token_id = $2 and key = $3 and run = $4';

const MARK_WRITTEN = `update idempotency_keys set outcome = $5 ${WHERE_RUN} and outcome is null returning 1`;
const RENEW_LEASE = `update idempotency_keys set leased_until = $5 ${WHERE_RUN} and status is null`;
const KEEP_ANSWER = `update idempotency_keys set status = $5, headers = $6, body = $7, outcome = null ${WHERE_RUN}`;
const END_LEASE_OF_WRITTEN = `update idempotency_keys set leased_until = $5 ${WHERE_RUN} and outcome is not null`;
const DELETE_UNWRITTEN = `delete from idempotency_keys ${WHERE_RUN} and outcome is null and status is null`;

const FIND_EXPIRED_KEYS = `
  /* across apps: expired keys */
  select app_id as "appId", access_token_id as "tokenId", key from idempotency_keys
  where inserted_at < $1 order by app_id limit ${PURGED_AT_ONCE}`;
const PURGE_KEYS = `
  delete from idempotency_keys k using unnest($2::bigint[], $3::text[]) as old (token_id, key)
  where k.app_id = $1 and k.access_token_id = old.token_id and k.key = old.key and k.inserted_at < $4`;

interface KeyRow {
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: Buffer | null;
}

export class SqlKeyedCalls implements KeyedCalls {
  private readonly bytes: AnswerBytes;

  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {
    this.bytes = new AnswerBytes(database, clock);
  }

  async begin(call: KeyedCall): Promise<Run | StoredAnswer | 'running' | 'reused' | 'not kept'> {
    const now = this.clock.now();
    const id = randomUUID();
    const lease = new Date(now.getTime() + RUN_LEASE_MS);
    const values = [...keyOf(call), call.fingerprint, id, lease, now, addHours(now, -ANSWER_RETENTION_HOURS)];
    const [startedRun] = await this.database.rows<{ outcome: Buffer | null }>(BEGIN_RUN, values);
    if (startedRun) return runOf(call, id, startedRun.outcome);
    const [storedCall] = await this.database.rows<KeyRow>(FIND_CALL, keyOf(call));
    if (storedCall === undefined) return 'running';
    if (!storedCall.fingerprint.equals(call.fingerprint)) return 'reused';
    if (storedCall.status === null) return 'running';
    if (storedCall.headers === null) return 'not kept';
    return {
      status: storedCall.status,
      headers: storedCall.headers,
      ...(storedCall.body && { text: storedCall.body }),
    };
  }

  async renew(run: Run): Promise<void> {
    const lease = new Date(this.clock.now().getTime() + RUN_LEASE_MS);
    await this.database.rows(RENEW_LEASE, [...keyOf(run), run.id, lease]);
  }

  async storeAnswer(run: Run, { status, headers, text }: StoredAnswer): Promise<void> {
    // If the answer is not kept, the row has no headers.
    const kept = (await this.bytes.tryAdd(run.appId, text?.length ?? 0))
      ? [JSON.stringify(headers), text ?? null]
      : [null, null];
    await this.database.rows(KEEP_ANSWER, [...keyOf(run), run.id, status, ...kept]);
  }

  async release(run: Run): Promise<void> {
    await this.database.rows(END_LEASE_OF_WRITTEN, [...keyOf(run), run.id, this.clock.now()]);
    await this.database.rows(DELETE_UNWRITTEN, [...keyOf(run), run.id]);
  }

  async purge(): Promise<boolean> {
    const cutoff = addHours(this.clock.now(), -ANSWER_RETENTION_HOURS);
    const expiredKeys = await this.database.rows<Pick<KeyedCall, 'appId' | 'tokenId' | 'key'>>(FIND_EXPIRED_KEYS, [
      cutoff,
    ]);
    for (const appId of new Set(expiredKeys.map((expiredKey) => expiredKey.appId))) {
      const keysOfApp = expiredKeys.filter((expiredKey) => expiredKey.appId === appId);
      const columns = [keysOfApp.map(({ tokenId }) => tokenId), keysOfApp.map(({ key }) => key)];
      await this.database.rows(PURGE_KEYS, [appId, ...columns, cutoff]);
    }
    return expiredKeys.length === PURGED_AT_ONCE;
  }
}

function keyOf({ appId, tokenId, key }: KeyedCall): [number, number, string] {
  return [appId, tokenId, key];
}

function runOf(call: KeyedCall, id: string, outcome: Buffer | null): Run {
  const markWritten = (outcomeBytes: Buffer) => ({ text: MARK_WRITTEN, values: [...keyOf(call), id, outcomeBytes] });
  return { ...call, id, keyedWrite: new WriteOnce(markWritten, outcome) };
}
