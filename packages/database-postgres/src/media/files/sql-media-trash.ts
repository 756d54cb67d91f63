import type { Clock } from '@back-office/kernel';
import {
  type Blobs,
  type DeletionRules,
  FILE_REFERENCED,
  type FileResult,
  type MediaTrash,
  type WithdrawnKey,
  blobKeysOf,
  fileEntries,
  fileEvents,
  purgedFileEvents,
  purgeAt,
  stepOf,
} from '@back-office/media';
import { keyHashSql } from './file-columns.js';
import { stateBeforeSql } from './file-states.js';
import { addTidying, addWithdrawal } from '../processing/media-jobs.js';
import type { Postgres } from '../../connection/postgres.js';
import type { Transaction } from '../../connection/transaction.js';
import { idsOf, lockById, lockByKey, resultsOf, resultOf, type LockedFile } from './named-files.js';

const PURGED_AT_ONCE = 200;

const TRASH_FILES = `
  update cdn_files set state = 'trashed', deleted_at = $3, purge_at = $4, deleted_by = 'app'
  where app_id = $1 and id = any($2)`;

const PURGE_OBJECTS = `
  with renditions as (
    delete from cdn_renditions where app_id = $1 and cdn_file_id = any($2) returning key, content, version
  ), retired as (
    delete from cdn_retired_renditions where app_id = $1 and cdn_file_id = any($2) returning key, cdn_file_id
  ), pages as (
    delete from cdn_pdf_pages where app_id = $1 and cdn_file_id = any($2) returning key, content, version
  ), versions as (
    delete from cdn_file_versions where app_id = $1 and cdn_file_id = any($2) returning key, content, original
  )
  select key, content, null as original, version from renditions
  union all select key, content, null, version from pages
  union all select key, content, original, 1 from versions
  union all select r.key, f.content, null, f.version from retired r join cdn_files f on f.app_id = $1 and f.id = r.cdn_file_id
  union all select key, content, original, version from cdn_files where app_id = $1 and id = any($2)`;

const KEEP_PURGED_KEYS = `
  insert into cdn_purged_keys (app_id, key_hash)
  select $1, ${keyHashSql('purged.key')} from unnest($2::text[]) as purged (key) on conflict do nothing`;

const REMOVE_FILES = `delete from cdn_files where app_id = $1 and id = any($2) returning id, key`;

const FIND_APPS_WITH_EXPIRED = `
  /* across apps: apps with expired files in Trash */
  select distinct app_id as "appId" from cdn_files where purge_at <= $1`;
const LOCK_EXPIRED = `
  select id from cdn_files where app_id = $1 and ${stateBeforeSql('expire', 'removed')} and purge_at <= $2
  order by id limit ${PURGED_AT_ONCE} for update skip locked`;

export class SqlMediaTrash implements MediaTrash {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  delete(appId: number, keys: readonly string[], rules: DeletionRules): Promise<FileResult[]> {
    return this.database.transaction(async (transaction) => {
      const files = await lockByKey(transaction, appId, keys);
      const isKept = ({ state, isUsed }: LockedFile) =>
        stepOf('delete', state) === 'trashed' && isUsed && rules.refusesDeleteInUse;
      const now = this.clock.now();
      const ids = idsOf(files.filter((file) => stepOf('delete', file.state) === 'trashed' && !isKept(file)));
      await transaction.rows(TRASH_FILES, [appId, ids, now, purgeAt(now, rules.trashRetentionDays)]);
      transaction.record(appId, now, {
        entries: fileEntries('file.delete', ids),
        events: fileEvents('file.trashed', ids),
      });
      if (!rules.servesTrash) await addWithdrawal(transaction, appId, ids);
      const byKey = new Map(files.map((file) => [file.key, file]));
      return keys.map((key) => {
        const file = byKey.get(key);
        return resultOf('delete', file) ?? (file && isKept(file) ? FILE_REFERENCED : undefined);
      });
    });
  }

  purge(appId: number, ids: readonly number[]): Promise<FileResult[]> {
    return this.database.transaction(async (transaction) => {
      const files = await lockById(transaction, appId, ids);
      const purgedFiles = files.filter(({ state }) => stepOf('purge', state) === 'removed');
      await removeFiles(transaction, appId, idsOf(purgedFiles), this.clock.now());
      return resultsOf('purge', ids, files);
    });
  }

  async expire(): Promise<number> {
    const now = this.clock.now();
    let purgedCount = 0;
    for (const { appId } of await this.database.rows<{ appId: number }>(FIND_APPS_WITH_EXPIRED, [now])) {
      const count = await this.database.transaction(async (transaction) => {
        transaction.locks('file');
        const expiredFiles = await transaction.rows<{ id: number }>(LOCK_EXPIRED, [appId, now]);
        await removeFiles(transaction, appId, idsOf(expiredFiles), now);
        return expiredFiles.length;
      });
      purgedCount += count;
    }
    return purgedCount;
  }
}

async function removeFiles(transaction: Transaction, appId: number, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  const objects = await transaction.rows<Blobs & WithdrawnKey>(PURGE_OBJECTS, [appId, ids]);
  const removedFiles = await transaction.rows<{ id: number; key: string }>(REMOVE_FILES, [appId, ids]);
  await transaction.rows(KEEP_PURGED_KEYS, [appId, removedFiles.map(({ key }) => key)]);
  transaction.record(appId, now, { entries: fileEntries('file.purge', ids), events: purgedFileEvents(removedFiles) });
  const withdrawn = objects.map(({ key, version }) => ({ key, version }));
  await addTidying(transaction, { appId, blobs: blobKeysOf(objects), keys: [], withdrawn });
}
