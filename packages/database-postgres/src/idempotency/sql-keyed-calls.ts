import { addHours, type Clock } from '@back-office/kernel';
import { randomUUID } from 'node:crypto';
import type { Postgres } from '../postgres.js';
import { WriteOnce } from '../write-once.js';
import {
  ANSWER_RETENTION_HOURS,
  RUN_LEASE_MS,
  type StoredAnswer,
  type KeyedCall,
  type KeyedCalls,
  type Run,
} from '@back-office/apps';

const PURGED_AT_ONCE = 5_000;

/** Also takes an expired key over, or one whose run has died, with that run's result. */
const BEGIN = `
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

const OF_RUN = 'where app_id = $1 and access_token_id = $2 and key = $3 and run = $4';

const MARK = `
  with marked as (update idempotency_keys set outcome = $5 ${OF_RUN} and outcome is null returning 1)
  select 1 / (select count(*) from marked)`;
const RENEW = `update idempotency_keys set leased_until = $5 ${OF_RUN} and status is null`;
const KEEP = `update idempotency_keys set status = $5, headers = $6, body = $7, outcome = null ${OF_RUN}`;
const RELEASE_WRITTEN = `update idempotency_keys set leased_until = $5 ${OF_RUN} and outcome is not null`;
const RELEASE = `delete from idempotency_keys ${OF_RUN} and outcome is null and status is null`;

// Reads without locks; keys are then removed app by app.
const OLD = `
  /* across apps: expired keys */
  select app_id as "appId", access_token_id as "tokenId", key from idempotency_keys
  where inserted_at < $1 order by app_id limit ${PURGED_AT_ONCE}`;
const PURGE = `
  delete from idempotency_keys k using unnest($2::bigint[], $3::text[]) as old (token_id, key)
  where k.app_id = $1 and k.access_token_id = old.token_id and k.key = old.key and k.inserted_at < $4`;

interface KeyRow {
  readonly fingerprint: Buffer;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: Buffer | null;
}

export class SqlKeyedCalls implements KeyedCalls {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async begin(call: KeyedCall): Promise<Run | StoredAnswer | 'running' | 'reused'> {
    const now = this.clock.now();
    const id = randomUUID();
    const lease = new Date(now.getTime() + RUN_LEASE_MS);
    const values = [...keyOf(call), call.fingerprint, id, lease, now, addHours(now, -ANSWER_RETENTION_HOURS)];
    const [taken] = await this.database.rows<{ outcome: Buffer | null }>(BEGIN, values);
    if (taken) return runOf(call, id, taken.outcome);
    const [found] = await this.database.rows<KeyRow>(FIND_CALL, keyOf(call));
    if (found === undefined) return 'running';
    if (!found.fingerprint.equals(call.fingerprint)) return 'reused';
    if (found.status === null) return 'running';
    return { status: found.status, headers: found.headers ?? {}, ...(found.body && { text: found.body }) };
  }

  async renew(run: Run): Promise<void> {
    const lease = new Date(this.clock.now().getTime() + RUN_LEASE_MS);
    await this.database.rows(RENEW, [...keyOf(run), run.id, lease]);
  }

  async storeAnswer(run: Run, { status, headers, text }: StoredAnswer): Promise<void> {
    await this.database.rows(KEEP, [...keyOf(run), run.id, status, JSON.stringify(headers), text ?? null]);
  }

  async release(run: Run): Promise<void> {
    await this.database.rows(RELEASE_WRITTEN, [...keyOf(run), run.id, this.clock.now()]);
    await this.database.rows(RELEASE, [...keyOf(run), run.id]);
  }

  async purge(): Promise<boolean> {
    const end = addHours(this.clock.now(), -ANSWER_RETENTION_HOURS);
    const old = await this.database.rows<Pick<KeyedCall, 'appId' | 'tokenId' | 'key'>>(OLD, [end]);
    for (const appId of new Set(old.map((each) => each.appId))) {
      const ofApp = old.filter((each) => each.appId === appId);
      const keys = [ofApp.map(({ tokenId }) => tokenId), ofApp.map(({ key }) => key)];
      await this.database.rows(PURGE, [appId, ...keys, end]);
    }
    return old.length === PURGED_AT_ONCE;
  }
}

function keyOf({ appId, tokenId, key }: KeyedCall): [number, number, string] {
  return [appId, tokenId, key];
}

function runOf(call: KeyedCall, id: string, outcome: Buffer | null): Run {
  const mark = (written: Buffer) => ({ text: MARK, values: [...keyOf(call), id, written] });
  return { ...call, id, keyedWrite: new WriteOnce(mark, outcome) };
}
