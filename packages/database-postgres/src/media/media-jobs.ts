import {
  DAILY_JOBS,
  JOBS,
  MAX_JOB_ATTEMPTS,
  MAX_PURGE_ATTEMPTS,
  processingKey,
  purgeKey,
  splitTidyPayload,
  type ProcessPayload,
  type PurgePayload,
  type Purpose,
  type TidyPayload,
} from '@back-office/media';
import type { Sql } from '../client-transaction.js';

/** Crontab of the daily jobs. A missed run is made up once at the next start, except on first start. */
export const DAILY = DAILY_JOBS.map(
  ({ name, hour, minute }) => `${minute} ${hour} * * * ${name} ?fill=1d&jobKey=${name}`,
).join('\n');

const ADD = `select graphile_worker.add_job($1::text, $2::json, max_attempts => ${MAX_JOB_ATTEMPTS}, job_key => $3)`;

const ADD_PURGE = `
  select graphile_worker.add_job('${JOBS.purge}', $1::json, run_at => now() + interval '1 day',
    max_attempts => ${MAX_PURGE_ATTEMPTS}, job_key => $2)`;

const PURGE_NOW = `
  select graphile_worker.reschedule_jobs(array_agg(id), run_at => now()) from graphile_worker.jobs
  where key = $1 and locked_at is null having count(*) > 0`;

const ADD_EACH = `
  select graphile_worker.add_job($1::text, payload, max_attempts => ${MAX_JOB_ATTEMPTS}) from json_array_elements($2) as payload`;

/** Queues processing of a file; it starts after the commit. */
export async function addProcessing(sql: Sql, purpose: Purpose, order: ProcessPayload): Promise<void> {
  await sql.rows(ADD, [JOBS.process, JSON.stringify(order), processingKey(purpose, order.appId, order.fileId)]);
}

/** Queues a purge of caches for the end of processing, see {@link schedulePurgeNow}, or a day later if it never ends. */
export async function addPurge(sql: Sql, order: PurgePayload): Promise<void> {
  await sql.rows(ADD_PURGE, [JSON.stringify(order), purgeKey(order.appId, order.fileId)]);
}

/** Makes the waiting purge of this file due after the commit, if there is one. */
export async function schedulePurgeNow(sql: Sql, appId: number, fileId: number): Promise<void> {
  await sql.rows(PURGE_NOW, [purgeKey(appId, fileId)]);
}

/** Queues removal of blobs and syncing of public copies. */
export async function addTidying(sql: Sql, all: TidyPayload): Promise<void> {
  const jobs = splitTidyPayload(all);
  if (jobs.length > 0) await sql.rows(ADD_EACH, [JOBS.tidy, JSON.stringify(jobs)]);
}

/** Retries jobs that gave up, since the store may be back. */
const REVIVE = `
  select graphile_worker.reschedule_jobs(array_agg(id), run_at => now(), attempts => 0) from graphile_worker.jobs
  where task_identifier = any(array['${JOBS.tidy}', '${JOBS.process}']) and attempts >= max_attempts and locked_by is null
  having count(*) > 0`;

// Reads without locks; each file is then failed within its app.
const FORGOTTEN = `
  /* across apps: pending files without a job */
  select app_id as "appId", id, version from cdn_files f
  where processing = 'pending' and state in ('active', 'trashed') and last_modified < $1 and not exists (
    select from graphile_worker.jobs j where j.attempts < j.max_attempts
      and j.key in ('content:' || f.app_id || ':' || f.id, 'reverted:' || f.app_id || ':' || f.id)
  )`;

/** Statements of the daily repair: jobs that gave up, and pending files without a job. */
export const REPAIR = { revive: REVIVE, forgotten: FORGOTTEN } as const;

/** A worker not seen for this time is dead. */
const MAX_SILENCE = `interval '20 seconds'`;

const SEEN = `
  insert into job_queue.workers (worker, seen_at) select worker, now() from unnest($1::text[]) as worker
  on conflict (worker) do update set seen_at = excluded.seen_at`;

const RELEASE = `
  select graphile_worker.force_unlock_workers(array_agg(dead.worker)) from (
    select distinct j.locked_by as worker from graphile_worker.jobs j
    where j.locked_by is not null and j.locked_at < now() - ${MAX_SILENCE} and not exists (
      select from job_queue.workers w where w.worker = j.locked_by and w.seen_at > now() - ${MAX_SILENCE}
    )
  ) as dead having count(*) > 0`;

const FORGET = `delete from job_queue.workers where seen_at < now() - interval '1 day'`;

/** Statements that record living workers and release the jobs of dead ones. */
export const HEARTBEAT = { seen: SEEN, release: RELEASE, forget: FORGET } as const;
