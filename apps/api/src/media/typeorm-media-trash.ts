import type { Clock } from '@back-office/kernel';
import { FILE_REFERENCED, purgeAt, stepOf } from '@back-office/media';
import type { Database, Transaction } from '../database/database.js';
import { addTidying } from './media-jobs.query.js';
import {
  idsOf,
  lockedById,
  lockedByKey,
  outcomesOf,
  refusalOf,
  type NamedFile,
  type Outcome,
} from './named-files.query.js';
import type { DeletionRules } from './typeorm-media-folders.js';
import { namesOfBlobs, type Blobs } from './typeorm-media-receipts.js';

const PURGED_AT_ONCE = 200;

const TRASH = `
  update cdn_files set state = 'trashed', deleted_at = $3, purge_at = $4, deleted_by = 'app'
  where app_id = $1 and id = any($2)`;

const PURGE = `
  with renditions as (
    delete from cdn_renditions where app_id = $1 and cdn_file_id = any($2) returning key, content
  ), pages as (
    delete from cdn_pdf_pages where app_id = $1 and cdn_file_id = any($2) returning key, content
  ), versions as (
    delete from cdn_file_versions where app_id = $1 and cdn_file_id = any($2) returning key, content, original
  )
  select key, content, null as original from renditions
  union all select key, content, null from pages
  union all select key, content, original from versions
  union all select key, content, original from cdn_files where app_id = $1 and id = any($2)`;

const REMOVE = `delete from cdn_files where app_id = $1 and id = any($2)`;

// Found without locks; it is then purged inside one app at a time.
const OVER = `
  /* across apps: apps with files whose time in Trash is over */
  select distinct app_id as "appId" from cdn_files where purge_at <= $1`;
const OVER_OF_APP = `
  select id from cdn_files where app_id = $1 and state = 'trashed' and purge_at <= $2
  order by id limit ${PURGED_AT_ONCE} for update skip locked`;

/** Files on their way out of the library. What several files are named for is answered for each of them. */
export class TypeOrmMediaTrash {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  delete(appId: number, keys: readonly string[], rules: DeletionRules): Promise<Outcome[]> {
    return this.database.transaction(async (transaction) => {
      const files = await lockedByKey(transaction, appId, keys);
      const isKept = ({ state, used }: NamedFile) => state === 'active' && used && rules.refusesDeleteInUse;
      const now = this.clock.now();
      const ids = idsOf(files.filter((file) => file.state === 'active' && !isKept(file)));
      await transaction.rows(TRASH, [appId, ids, now, purgeAt(now, rules.trashRetentionDays)]);
      const byKey = new Map(files.map((file) => [file.key, file]));
      return keys.map((key) => {
        const file = byKey.get(key);
        return refusalOf('delete', file) ?? (file && isKept(file) ? FILE_REFERENCED : undefined);
      });
    });
  }

  /** Removes files in Trash for good. */
  purge(appId: number, ids: readonly number[]): Promise<Outcome[]> {
    return this.database.transaction(async (transaction) => {
      const files = await lockedById(transaction, appId, ids);
      const gone = files.filter(({ state }) => stepOf('purge', state) === 'removed');
      await removed(transaction, appId, idsOf(gone));
      return outcomesOf('purge', ids, files);
    });
  }

  /** Purges what has been in Trash long enough, some of each app; answers how many files. */
  async expire(): Promise<number> {
    const now = this.clock.now();
    let purged = 0;
    for (const { appId } of await this.database.rows<{ appId: number }>(OVER, [now])) {
      const count = await this.database.transaction(async (transaction) => {
        transaction.locks('file');
        const over = await transaction.rows<{ id: number }>(OVER_OF_APP, [appId, now]);
        await removed(transaction, appId, idsOf(over));
        return over.length;
      });
      purged += count;
    }
    return purged;
  }
}

async function removed(transaction: Transaction, appId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const objects = await transaction.rows<Blobs & { readonly key: string }>(PURGE, [appId, ids]);
  await transaction.rows(REMOVE, [appId, ids]);
  await addTidying(transaction, { appId, blobs: namesOfBlobs(objects), keys: objects.map(({ key }) => key) });
}
