import { isRefusal, isSound, type Clock, type Refusal } from '@back-office/kernel';
import {
  FILE_NOT_FOUND,
  FILE_REFERENCED,
  purgeAt,
  restoredName,
  startOfRestored,
  stepOf,
  type FileAction,
  type FileState,
  type FolderPath,
} from '@back-office/media';
import type { Database, Sql, Transaction } from '../database/database.js';
import { addTidying } from './media-jobs.query.js';
import { searchText } from './typeorm-media-files.js';
import { lockFolders, makeFoldersOf, type DeletionRules } from './typeorm-media-folders.js';

/** What became of one entry: a refusal, or nothing that is in the way. */
export type Outcome = Refusal | undefined;

interface TrashFile {
  readonly id: number;
  readonly key: string;
  readonly state: FileState;
  readonly folder: FolderPath;
  readonly filename: string;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly tags: readonly string[];
  readonly used: boolean;
}

const PURGED_AT_ONCE = 200;

const COLUMNS = `f.id, f.key, f.state, f.folder, f.filename, f.alt, f.caption, f.tags,
  exists (select from cdn_usages u where u.app_id = f.app_id and u.key = f.key) as used`;

const BY_ID = `
  select ${COLUMNS} from cdn_files f
  where f.app_id = $1 and f.id = any($2) and f.state <> 'receiving' order by f.id for update of f`;
const BY_KEY = `
  select ${COLUMNS} from cdn_files f
  where f.app_id = $1 and f.key = any($2) and f.state <> 'receiving' order by f.id for update of f`;

const TRASH = `
  update cdn_files set state = 'trashed', deleted_at = $3, purge_at = $4, deleted_by = 'app'
  where app_id = $1 and id = any($2)`;

const NAMES = `
  select folder, filename from cdn_files
  where app_id = $1 and state = 'active' and folder = any($2)
    and exists (
      select from unnest($3::text[], $4::text[]) as wish (name, start)
      where filename = wish.name or starts_with(filename, wish.start)
    )`;

const MOVE = `
  update cdn_files f set folder = $3 where f.app_id = $1 and f.id = any($2)`;

const RESTORE = `
  update cdn_files f set state = 'active', deleted_at = null, purge_at = null, deleted_by = null,
    filename = row.filename, search_text = row.search_text
  from json_to_recordset($2) as row (id bigint, filename text, search_text text)
  where f.app_id = $1 and f.id = row.id`;

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

// Finds what is over across apps, without locks; it is then purged inside one app at a time.
const OVER = `select distinct app_id as "appId" from cdn_files where purge_at <= $1`;
const OVER_OF_APP = `
  select id from cdn_files where app_id = $1 and state = 'trashed' and purge_at <= $2
  order by id limit ${PURGED_AT_ONCE} for update skip locked`;

const HIDING_APPS = `
  select id, (settings -> 'media' ->> 'auto_hide_unused_days')::int as days from apps
  where settings -> 'media' ->> 'auto_hide_unused_days' is not null order by id`;

const HIDE_UNUSED = `
  update cdn_files f set hidden = true, hidden_by = 'auto', hidden_at = $2
  where f.app_id = $1 and f.state = 'active' and not f.hidden and not f.stays_visible and f.last_modified <= $3
    and not exists (select from cdn_usages u where u.app_id = $1 and u.key = f.key)
  returning 1`;

/** Files on their way out of the library and back. What several files are named for is answered for each of them. */
export class TypeOrmMediaTrash {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  delete(appId: number, keys: readonly string[], rules: DeletionRules): Promise<Outcome[]> {
    return this.database.transaction(async (transaction) => {
      const files = await locked(transaction, BY_KEY, appId, keys.filter(isSound));
      const isKept = ({ state, used }: TrashFile) => state === 'active' && used && rules.refusesDeleteInUse;
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

  /** Brings files back into their folders, which are made again where they are gone. */
  restore(appId: number, ids: readonly number[]): Promise<Outcome[]> {
    return this.database.transaction(async (transaction) => {
      await lockFolders(transaction, appId);
      const files = await locked(transaction, BY_ID, appId, ids);
      const back = files.filter(({ state }) => stepOf('restore', state) === 'active');
      await makeFoldersOf(
        transaction,
        appId,
        back.map(({ folder }) => folder),
        this.clock.now(),
      );
      const taken = await namesBelow(transaction, appId, back);
      const rows = back.map((file) => {
        const names = taken.get(file.folder) ?? new Set();
        const filename = restoredName(file.filename, names);
        taken.set(file.folder, names.add(filename));
        return { id: file.id, filename, search_text: searchText({ ...file, filename }) };
      });
      await transaction.rows(RESTORE, [appId, JSON.stringify(rows)]);
      return outcomesOf('restore', ids, files);
    });
  }

  /** Removes files in Trash for good. */
  purge(appId: number, ids: readonly number[]): Promise<Outcome[]> {
    return this.database.transaction(async (transaction) => {
      const files = await locked(transaction, BY_ID, appId, ids);
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

  /** Hides what nobody has used for as long as its app says; answers how many files. */
  async hideUnused(): Promise<number> {
    const now = this.clock.now();
    let hidden = 0;
    for (const { id, days } of await this.database.rows<{ id: number; days: number }>(HIDING_APPS)) {
      const rows = await this.database.rows(HIDE_UNUSED, [id, now, purgeAt(now, -days)]);
      hidden += rows.length;
    }
    return hidden;
  }

  /** Moves files into a folder; one whose name is taken there stays where it is. */
  move(appId: number, ids: readonly number[], folder: FolderPath, taken: Refusal): Promise<Outcome[]> {
    return this.database.transaction(async (transaction) => {
      await lockFolders(transaction, appId);
      const files = await locked(transaction, BY_ID, appId, ids);
      const names = (
        await namesBelow(
          transaction,
          appId,
          files.map((file) => ({ ...file, folder })),
        )
      ).get(folder);
      const there = names ?? new Set<string>();
      const refused = new Map<number, Refusal>();
      const moving = files.filter((file) => {
        if (isRefusal(stepOf('move', file.state)) || file.folder === folder) return false;
        if (there.has(file.filename)) refused.set(file.id, taken);
        else there.add(file.filename);
        return !refused.has(file.id);
      });
      await makeFoldersOf(transaction, appId, [folder], this.clock.now());
      await transaction.rows(MOVE, [appId, idsOf(moving), folder]);
      return outcomesOf('move', ids, files).map((outcome, index) => outcome ?? refused.get(ids[index] ?? 0));
    });
  }
}

async function locked(
  transaction: Transaction,
  statement: string,
  appId: number,
  names: readonly (number | string)[],
): Promise<TrashFile[]> {
  transaction.locks('file');
  return transaction.rows<TrashFile>(statement, [appId, names]);
}

function outcomesOf(action: FileAction, ids: readonly number[], files: readonly TrashFile[]): Outcome[] {
  const byId = new Map(files.map((file) => [file.id, file]));
  return ids.map((id) => refusalOf(action, byId.get(id)));
}

function refusalOf(action: FileAction, file: TrashFile | undefined): Outcome {
  const step = file === undefined ? FILE_NOT_FOUND : stepOf(action, file.state);
  return isRefusal(step) ? step : undefined;
}

function idsOf(files: readonly { readonly id: number }[]): number[] {
  return files.map(({ id }) => id);
}

/** The names in the folders of files that these files' names, or these with a number, could meet. */
async function namesBelow(
  sql: Sql,
  appId: number,
  files: readonly Pick<TrashFile, 'folder' | 'filename'>[],
): Promise<Map<string, Set<string>>> {
  const folders = [...new Set(files.map(({ folder }) => folder))];
  const names = [...new Set(files.map(({ filename }) => filename))];
  const values = [appId, folders, names, names.map(startOfRestored)];
  const byFolder = new Map<string, Set<string>>();
  for (const { folder, filename } of await sql.rows<{ folder: string; filename: string }>(NAMES, values)) {
    byFolder.set(folder, (byFolder.get(folder) ?? new Set()).add(filename));
  }
  return byFolder;
}

async function removed(transaction: Transaction, appId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const objects = await transaction.rows<{ key: string; content: string; original: string | null }>(PURGE, [
    appId,
    ids,
  ]);
  await transaction.rows(REMOVE, [appId, ids]);
  const blobs = objects.flatMap(({ content, original }) => [content, ...(original === null ? [] : [original])]);
  await addTidying(transaction, { appId, blobs, keys: objects.map(({ key }) => key) });
}
