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
  type WithdrawnKey,
} from '@back-office/media';
import type { Sql } from '../../connection/sql.js';
import { flagOfApp } from './job-turns.js';

// With `fill=1d`, a worker that starts catches up on a missed run, except at its very first start.
export const DAILY = DAILY_JOBS.map(
  ({ name, hour, minute }) => `${minute} ${hour} * * * ${name} ?fill=1d&jobKey=${name}`,
).join('\n');

const ADD_JOB = `select graphile_worker.add_job($1::text, $2::json, max_attempts => ${MAX_JOB_ATTEMPTS}, job_key => $3,
    flags => array[$4::text])`;

const ADD_PURGE = `
  select graphile_worker.add_job('${JOBS.purge}', $1::json, run_at => now() + interval '1 day',
    max_attempts => ${MAX_PURGE_ATTEMPTS}, job_key => $2, flags => array[$3::text])`;

const SCHEDULE_PURGE_NOW = `
  select graphile_worker.reschedule_jobs(array_agg(id), run_at => now()) from graphile_worker.jobs
  where key = $1 and locked_at is null having count(*) > 0`;

const ADD_JOBS = `
  select graphile_worker.add_job($1::text, payload, max_attempts => ${MAX_JOB_ATTEMPTS}, flags => array[$3::text])
  from json_array_elements($2) as payload`;

export async function addProcessing(sql: Sql, purpose: Purpose, payload: ProcessPayload): Promise<void> {
  await sql.rows(ADD_JOB, [
    JOBS.process,
    JSON.stringify(payload),
    processingKey(purpose, payload.appId, payload.fileId),
    flagOfApp(payload.appId),
  ]);
}

/** The purge starts a day after this call, unless {@link schedulePurgeNow} starts it earlier, after processing. */
export async function addPurge(sql: Sql, payload: PurgePayload): Promise<void> {
  await sql.rows(ADD_PURGE, [
    JSON.stringify(payload),
    purgeKey(payload.appId, payload.fileId),
    flagOfApp(payload.appId),
  ]);
}

export async function schedulePurgeNow(sql: Sql, appId: number, fileId: number): Promise<void> {
  await sql.rows(SCHEDULE_PURGE_NOW, [purgeKey(appId, fileId)]);
}

/** Queues jobs that remove the blobs and make the public copies under the keys match the records. */
export async function addTidying(sql: Sql, payload: TidyPayload): Promise<void> {
  const jobs = splitTidyPayload(payload);
  if (jobs.length > 0) await sql.rows(ADD_JOBS, [JOBS.tidy, JSON.stringify(jobs), flagOfApp(payload.appId)]);
}

const KEYS_OF_FILES = `
  select key, version from cdn_files where app_id = $1 and id = any($2)
  union select r.key, r.version from cdn_renditions r where r.app_id = $1 and r.cdn_file_id = any($2)
  union select t.key, f.version from cdn_retired_renditions t
    join cdn_files f on f.app_id = $1 and f.id = t.cdn_file_id where t.app_id = $1 and t.cdn_file_id = any($2)
  union select p.key, p.version from cdn_pdf_pages p where p.app_id = $1 and p.cdn_file_id = any($2)
  union select v.key, 1 from cdn_file_versions v where v.app_id = $1 and v.cdn_file_id = any($2)`;

/** Queues the removal of all public copies of the files. */
export async function addWithdrawal(sql: Sql, appId: number, fileIds: readonly number[]): Promise<void> {
  const withdrawn = await sql.rows<WithdrawnKey>(KEYS_OF_FILES, [appId, fileIds]);
  await addTidying(sql, { appId, blobs: [], keys: [], withdrawn });
}

/** Queues a job that makes the missing public copies of the files again. */
export async function addRepublication(sql: Sql, appId: number, fileIds: readonly number[]): Promise<void> {
  const objects = await sql.rows<WithdrawnKey>(KEYS_OF_FILES, [appId, fileIds]);
  await addTidying(sql, { appId, blobs: [], keys: objects.map(({ key }) => key) });
}

// Retries jobs that have used all attempts, because the store may be available again.
const REVIVE_JOBS = `
  select graphile_worker.reschedule_jobs(array_agg(id), run_at => now(), attempts => 0) from graphile_worker.jobs
  where task_identifier = any(array['${JOBS.tidy}', '${JOBS.process}']) and attempts >= max_attempts and locked_by is null
  having count(*) > 0`;

const FIND_FILES_WITHOUT_JOB = `
  /* across apps: pending files without a job */
  select app_id as "appId", id, version from cdn_files f
  where processing = 'pending' and state in ('active', 'trashed') and last_modified < $1 and not exists (
    select from graphile_worker.jobs j where j.attempts < j.max_attempts
      and j.key in ('content:' || f.app_id || ':' || f.id, 'reverted:' || f.app_id || ':' || f.id)
  )`;

export const REPAIR_STATEMENTS = { reviveJobs: REVIVE_JOBS, findFilesWithoutJob: FIND_FILES_WITHOUT_JOB } as const;

const MAX_HEARTBEAT_AGE = `interval '20 seconds'`;

const RECORD_WORKERS = `
  insert into job_queue.workers (worker, seen_at) select worker, now() from unnest($1::text[]) as worker
  on conflict (worker) do update set seen_at = excluded.seen_at`;

const RELEASE_JOBS = `
  select graphile_worker.force_unlock_workers(array_agg(dead.worker)) from (
    select distinct j.locked_by as worker from graphile_worker.jobs j
    where j.locked_by is not null and j.locked_at < now() - ${MAX_HEARTBEAT_AGE} and not exists (
      select from job_queue.workers w where w.worker = j.locked_by and w.seen_at > now() - ${MAX_HEARTBEAT_AGE}
    )
  ) as dead having count(*) > 0`;

const FORGET_WORKERS = `delete from job_queue.workers where seen_at < now() - interval '1 day'`;

export const HEARTBEAT_STATEMENTS = {
  recordWorkers: RECORD_WORKERS,
  releaseJobs: RELEASE_JOBS,
  forgetWorkers: FORGET_WORKERS,
} as const;
