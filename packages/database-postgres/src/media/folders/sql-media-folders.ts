import { isRefusal, escapeLike, refuse, type Clock, type Refusal } from '@back-office/kernel';
import {
  ancestry,
  joinFolder,
  utf8ByteLength,
  FILE_REFERENCED,
  FOLDER_NOT_FOUND,
  FOLDER_TAKEN,
  parseFolderPath,
  INVALID_PARENT,
  isWithin,
  lastSegment,
  MAX_FOLDER_PATH_BYTES,
  PARENT_NOT_FOUND,
  parentOf,
  folderEntry,
  purgeAt,
  TOP_LEVEL,
  type DeletionRules,
  type EditedFolder,
  type Folder,
  type FolderEdit,
  type FolderPath,
  type MediaFolderQueries,
  type MediaFolders,
  type NewFolder,
  type RemovedBranch,
} from '@back-office/media';
import type { Postgres } from '../../connection/postgres.js';
import type { Sql } from '../../connection/sql.js';
import type { Transaction } from '../../connection/transaction.js';
import { fileEventsSql } from '../../connection/event-statements.js';
import { violates } from '../../connection/failures.js';
import { WriteOnce } from '../../connection/write-once.js';
import { IS_USED_SQL } from '../files/file-columns.js';
import { stateBeforeSql } from '../files/file-states.js';
import { addWithdrawal } from '../processing/media-jobs.js';
import { idsOf } from '../files/named-files.js';
import { BRANCH_WITH_FILES, MAX_BYTES_BELOW, MOVE_BRANCH } from './folder-branches.js';

const FOLDER_COLUMNS = 'f.id, f.path, f.name, f.description';

const FIND_FOLDERS = `select ${FOLDER_COLUMNS} from cdn_folders f where f.app_id = $1`;

// If a sibling or another new folder has the name, adds a number to it.
const MAKE_FOLDERS = `
  with missing as (
    select path, parent, name from json_to_recordset($2) as wanted (path text, parent text, name text)
    where not exists (select from cdn_folders f where f.app_id = $1 and f.path = wanted.path)
  ), named as (
    select path, parent, (
      select free.name from (
        select missing.name || case when number = 1 then '' else ' (' || number || ')' end as name, number
        from generate_series(1, 1000) as number
      ) as free
      where not exists (
        select from cdn_folders s where s.app_id = $1 and s.parent = missing.parent and s.name = free.name
      ) and (free.number = 1 or not exists (
        select from missing m where m.parent = missing.parent and m.name = free.name
      )) order by number limit 1
    ) as name
    from missing
  )
  insert into cdn_folders (app_id, path, parent, name, inserted_at, updated_at)
  select $1, path, parent, name, $3, $3 from named order by path`;

const INSERT_FOLDER = `
  insert into cdn_folders as f (app_id, path, parent, name, description, inserted_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $6) returning ${FOLDER_COLUMNS}`;

const EDIT_FOLDER = `
  update cdn_folders f set name = $3, description = $4, updated_at = $5 where app_id = $1 and id = $2 returning ${FOLDER_COLUMNS}`;

const TRASH_BRANCH = `
  with trashed as (
    update cdn_files set state = 'trashed', deleted_at = $4, purge_at = $5, deleted_by = $6
    where app_id = $1 and ${stateBeforeSql('delete', 'trashed')} and (folder = $2 or folder like $3) returning id
  ), ${fileEventsSql('file.trashed', 'trashed', '$4')}, removed as (
    delete from cdn_folders where app_id = $1 and (path = $2 or path like $3) returning 1
  )
  select (select count(*) from trashed)::int as "deletedFiles", (select count(*) from removed)::int as "deletedFolders"`;

const LOCK_BRANCH_FILES = `
  select id from cdn_files
  where app_id = $1 and ${stateBeforeSql('delete', 'trashed')} and (folder = $2 or folder like $3) order by id for update`;

// Takes no lock: a usage that is added after this check is treated as added after the deletion.
const FIND_USED_FILE = `
  select 1 from cdn_files f
  where f.app_id = $1 and f.state = 'active' and (f.folder = $2 or f.folder like $3)
    and ${IS_USED_SQL}
  limit 1`;

// Constraints that a taken name or path violates. If both folders and files collide, PostgreSQL reports the index of
// files.
const UNIQUE_CONSTRAINTS = ['cdn_folders_path_key', 'cdn_folders_name_key', 'cdn_files_name_key'];

/** All changes of an app's folders use one lock, because a branch changes as a whole. */
export class SqlMediaFolders implements MediaFolders, MediaFolderQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  branch(appId: number, path: FolderPath): Promise<Folder[]> {
    return this.database.rows<Folder>(BRANCH_WITH_FILES, [appId, path, belowPattern(path)]);
  }

  async add(appId: number, { name, path, description }: NewFolder): Promise<Folder | Refusal> {
    if (path === TOP_LEVEL) return refuse("can't be blank", 'key');
    return this.changeFolders(appId, async (transaction) => {
      const parent = parentOf(path);
      if (parent !== TOP_LEVEL && (await findByPath(transaction, appId, parent)) === undefined) return PARENT_NOT_FOUND;
      const values = [appId, path, parent, name, description, this.clock.now()];
      const [folder] = await transaction.runLast<Folder>(INSERT_FOLDER, values);
      return { ...(folder as Folder), files: 0 };
    });
  }

  async edit(appId: number, id: number, edit: FolderEdit): Promise<EditedFolder | Refusal> {
    const result = await this.changeFolders(appId, async (transaction) => {
      const [folder] = await transaction.rows<Folder>(`${FIND_FOLDERS} and f.id = $2`, [appId, id]);
      if (folder === undefined) return FOLDER_NOT_FOUND;
      const refusal = await this.moveFolder(transaction, appId, folder, edit.parent);
      if (isRefusal(refusal)) return refusal;
      const { name = folder.name, description = folder.description } = edit;
      const [row] = await transaction.rows<Folder>(EDIT_FOLDER, [appId, id, name, description, this.clock.now()]);
      const { path } = row as Folder;
      return { path, branch: await transaction.runLast<Folder>(BRANCH_WITH_FILES, [appId, path, belowPattern(path)]) };
    });
    if (isRefusal(result) || !WriteOnce.isResumed()) return result;
    return { ...result, branch: await this.branch(appId, result.path) };
  }

  remove(appId: number, path: FolderPath, rules: DeletionRules): Promise<RemovedBranch | Refusal> {
    return this.changeFolders(appId, async (transaction) => {
      if ((await findByPath(transaction, appId, path)) === undefined) return FOLDER_NOT_FOUND;
      const pattern = belowPattern(path);
      if (rules.refusesDeleteInUse && (await transaction.rows(FIND_USED_FILE, [appId, path, pattern])).length > 0) {
        return FILE_REFERENCED;
      }
      const now = this.clock.now();
      const values = [appId, path, pattern, now, purgeAt(now, rules.trashRetentionDays), 'app'];
      if (!rules.servesTrash) {
        transaction.locks('file');
        const files = await transaction.rows<{ id: number }>(LOCK_BRANCH_FILES, [appId, path, pattern]);
        await addWithdrawal(transaction, appId, idsOf(files));
      }
      transaction.record(appId, now, { entries: [folderEntry(path)] });
      const [removedBranch] = await transaction.runLast<RemovedBranch>(TRASH_BRANCH, values);
      return removedBranch as RemovedBranch;
    });
  }

  private async moveFolder(
    transaction: Transaction,
    appId: number,
    { path }: Folder,
    parent: FolderPath | undefined,
  ): Promise<Refusal | undefined> {
    if (parent === undefined || parent === parentOf(path)) return undefined;
    if (isWithin(parent, path)) return INVALID_PARENT;
    if (parent !== TOP_LEVEL && (await findByPath(transaction, appId, parent)) === undefined) return PARENT_NOT_FOUND;
    const newPath = parseFolderPath(joinFolder(parent, lastSegment(path)), 'parent_folder');
    if (isRefusal(newPath)) return newPath;
    // Paths below the folder cannot change after this check, because adding folders and files takes the same lock.
    const [longestPath] = await transaction.rows<{ bytes: number }>(MAX_BYTES_BELOW, [appId, belowPattern(path)]);
    const growth = utf8ByteLength(newPath) - utf8ByteLength(path);
    if (growth > 0 && (longestPath?.bytes ?? 0) + growth > MAX_FOLDER_PATH_BYTES)
      return refuse('is invalid', 'parent_folder');
    await transaction.rows(MOVE_BRANCH, [appId, path, newPath, this.clock.now(), parent, belowPattern(path)]);
    return undefined;
  }

  private async changeFolders<Result>(
    appId: number,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result | Refusal> {
    try {
      return await this.database.transaction(async (transaction) => {
        await lockFolders(transaction, appId);
        return work(transaction);
      });
    } catch (error) {
      if (UNIQUE_CONSTRAINTS.some((constraint) => violates(error, constraint))) return FOLDER_TAKEN;
      throw error;
    }
  }
}

const FOLDERS_LOCK = 11;

export async function lockFolders(transaction: Transaction, appId: number): Promise<void> {
  transaction.locks('bulk');
  await transaction.rows('select pg_advisory_xact_lock($1, ($2::bigint % 2147483647)::int)', [FOLDERS_LOCK, appId]);
}

export function makeFolder(sql: Sql, appId: number, path: FolderPath, now: Date): Promise<void> {
  return makeFolders(sql, appId, [path], now);
}

export async function makeFolders(sql: Sql, appId: number, paths: readonly FolderPath[], now: Date): Promise<void> {
  const neededPaths = [...new Set(paths.flatMap(ancestry))];
  if (neededPaths.length === 0) return;
  const rows = neededPaths.map((neededPath) => ({
    path: neededPath,
    parent: parentOf(neededPath),
    name: lastSegment(neededPath),
  }));
  await sql.rows(MAKE_FOLDERS, [appId, JSON.stringify(rows), now]);
}

async function findByPath(sql: Sql, appId: number, path: FolderPath): Promise<Folder | undefined> {
  const [folder] = await sql.rows<Folder>(`${FIND_FOLDERS} and f.path = $2`, [appId, path]);
  return folder;
}

export function belowPattern(path: FolderPath): string {
  return path === TOP_LEVEL ? '%' : `${escapeLike(path)}/%`;
}
