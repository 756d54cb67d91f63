import type { Sql } from '../database/database.js';

/** What is left to do in the store after a change: bytes that nobody needs, and public keys that are to be put right. */
export interface Tidying {
  readonly appId: number;
  readonly blobs: readonly string[];
  readonly keys: readonly string[];
}

/** A file that is to be processed: as its preset says, or only into renditions of these widths. */
export interface ProcessingOrder {
  readonly appId: number;
  readonly fileId: number;
  /** The one whose content is to be processed; without it the present content only gets other renditions. */
  readonly version?: number;
  readonly widths?: readonly number[] | undefined;
}

/** Addresses of a file that caches are to forget once its renditions are made of the new content. */
export interface PurgeOrder {
  readonly appId: number;
  readonly fileId: number;
  readonly version: number;
  /** Public keys that stood for something else before. */
  readonly keys: readonly string[];
}

/** An order for the same purpose takes the place of one that still waits. */
export type Purpose = 'content' | 'reverted' | 'renditions';

export const JOBS = {
  process: 'process_file',
  tidy: 'tidy_store',
  purge: 'purge_caches',
  sweep: 'sweep_store',
  hide: 'hide_unused',
} as const;

/**
 * Once a day, by whichever process comes first. What was missed while none ran is made up once at the next start, except
 * at the first start of an installation.
 */
export const DAILY = [
  `17 3 * * * ${JOBS.sweep} ?fill=1d&jobKey=${JOBS.sweep}`,
  `47 3 * * * ${JOBS.hide} ?fill=1d&jobKey=${JOBS.hide}`,
].join('\n');

/** The store may be gone for hours: the pauses grow up to six of them. */
const MOST_TRIES = 20;
/** So that a job of a purge of thousands of files stays a small one. */
const TIDIED_AT_ONCE = 500;

const ADD = `select graphile_worker.add_job($1::text, $2::json, max_attempts => ${MOST_TRIES}, job_key => $3)`;
/** A few hours: caches forget by themselves long before. */
const MAX_PURGE_TRIES = 10;

const ADD_PURGE = `
  select graphile_worker.add_job('${JOBS.purge}', $1::json, run_at => now() + interval '1 day',
    max_attempts => ${MAX_PURGE_TRIES}, job_key => $2)`;

const HASTEN_PURGE = `
  select graphile_worker.reschedule_jobs(array_agg(id), run_at => now()) from graphile_worker.jobs
  where key = $1 and locked_at is null having count(*) > 0`;

const ADD_EACH = `
  select graphile_worker.add_job($1::text, payload, max_attempts => ${MOST_TRIES}) from json_array_elements($2) as payload`;

/** Has a file processed in the background, once this transaction is committed. */
export async function addProcessing(sql: Sql, purpose: Purpose, order: ProcessingOrder): Promise<void> {
  await sql.rows(ADD, [JOBS.process, JSON.stringify(order), `${purpose}:${order.appId}:${order.fileId}`]);
}

/**
 * Has caches purged when the processing of the file ends, see {@link hastenPurge}; a day later should it never end. One
 * that is due stays due: a later replace, by any strategy, leaves it.
 */
export async function addPurge(sql: Sql, order: PurgeOrder): Promise<void> {
  await sql.rows(ADD_PURGE, [JSON.stringify(order), purgeKey(order.appId, order.fileId)]);
}

/** Makes the purge that waits for the processing of this file due, if there is one, once this transaction is committed. */
export async function hastenPurge(sql: Sql, appId: number, fileId: number): Promise<void> {
  await sql.rows(HASTEN_PURGE, [purgeKey(appId, fileId)]);
}

function purgeKey(appId: number, fileId: number): string {
  return `purge:${appId}:${fileId}`;
}

/** As {@link addProcessing}, for the store. */
export async function addTidying(sql: Sql, { appId, blobs, keys }: Tidying): Promise<void> {
  const jobs: Tidying[] = [
    ...inRuns(blobs).map((run) => ({ appId, blobs: run, keys: [] })),
    ...inRuns(keys).map((run) => ({ appId, blobs: [], keys: run })),
  ];
  if (jobs.length > 0) await sql.rows(ADD_EACH, [JOBS.tidy, JSON.stringify(jobs)]);
}

function inRuns(all: readonly string[]): string[][] {
  const runs: string[][] = [];
  for (let at = 0; at < all.length; at += TIDIED_AT_ONCE) runs.push(all.slice(at, at + TIDIED_AT_ONCE));
  return runs;
}

/** What has failed for good tries again: the store may be back. A file that has failed stays as it is. */
const REVIVE = `
  select graphile_worker.reschedule_jobs(array_agg(id), run_at => now(), attempts => 0) from graphile_worker.jobs
  where task_identifier = any(array['${JOBS.tidy}', '${JOBS.process}']) and attempts >= max_attempts and locked_by is null
  having count(*) > 0`;

// Each is then failed within its own app.
const FORGOTTEN = `
  /* across apps: files that wait for a job that is gone */
  select app_id as "appId", id, version from cdn_files f
  where processing = 'pending' and state in ('active', 'trashed') and last_modified < $1 and not exists (
    select from graphile_worker.jobs j where j.attempts < j.max_attempts
      and j.key in ('content:' || f.app_id || ':' || f.id, 'reverted:' || f.app_id || ':' || f.id)
  )`;

/** What the daily job mends: jobs that have given up, and files that wait for a job that is gone. */
export const MENDING = { revive: REVIVE, forgotten: FORGOTTEN } as const;

/** Who has not been seen for so long is dead. */
const SILENCE = `interval '20 seconds'`;

const SEEN = `
  insert into job_queue.workers (worker, seen_at) select worker, now() from unnest($1::text[]) as worker
  on conflict (worker) do update set seen_at = excluded.seen_at`;

const RELEASE = `
  select graphile_worker.force_unlock_workers(array_agg(dead.worker)) from (
    select distinct j.locked_by as worker from graphile_worker.jobs j
    where j.locked_by is not null and j.locked_at < now() - ${SILENCE} and not exists (
      select from job_queue.workers w where w.worker = j.locked_by and w.seen_at > now() - ${SILENCE}
    )
  ) as dead having count(*) > 0`;

const FORGET = `delete from job_queue.workers where seen_at < now() - interval '1 day'`;

/** How workers tell that they live, and how the jobs of those who do not are given to others. */
export const HEARTBEAT = { seen: SEEN, release: RELEASE, forget: FORGET } as const;
