import { isRefusal, likeLiteral, refuse, type Clock, type Refusal } from '@back-office/kernel';
import {
  ancestry,
  below,
  bytesOf,
  FILE_REFERENCED,
  FOLDER_NOT_FOUND,
  FOLDER_TAKEN,
  folderPath,
  INVALID_PARENT,
  isWithin,
  lastSegment,
  MAX_PATH_BYTES,
  PARENT_NOT_FOUND,
  parentOf,
  purgeAt,
  TOP_LEVEL,
  type FolderPath,
} from '@back-office/media';
import { violates } from '../database/failures.js';
import type { Database, Sql, Transaction } from '../database/database.js';
import { WriteOnce } from '../database/write-once.js';
import { IS_USED_SQL } from './file-columns.query.js';
import { BRANCH_WITH_FILES, MAX_BYTES_BELOW, MOVE_BRANCH } from './folder-branches.query.js';

export interface FolderRow {
  readonly id: number;
  readonly path: FolderPath;
  readonly name: string;
  readonly description: string | null;
  readonly files: number;
}

export interface NewFolder {
  readonly name: string;
  readonly path: FolderPath;
  readonly description: string | null;
}

/** A folder after an edit, with all below it. */
export interface EditedFolder {
  readonly path: FolderPath;
  readonly branch: readonly FolderRow[];
}

export interface FolderEdit {
  readonly name?: string | undefined;
  readonly parent?: FolderPath | undefined;
  readonly description?: string | null | undefined;
}

const COLUMNS = 'f.id, f.path, f.name, f.description';

const FIND = `select ${COLUMNS} from cdn_folders f where f.app_id = $1`;

// A folder is shown under its segment, or with a number where a sibling is called so.
const MAKE = `
  with missing as (
    select path, parent, (
      select free.name from (
        select wanted.name || case when number = 1 then '' else ' (' || number || ')' end as name, number
        from generate_series(1, 1000) as number
      ) as free
      where not exists (
        select from cdn_folders s where s.app_id = $1 and s.parent = wanted.parent and s.name = free.name
      ) order by number limit 1
    ) as name
    from json_to_recordset($2) as wanted (path text, parent text, name text)
    where not exists (select from cdn_folders f where f.app_id = $1 and f.path = wanted.path)
  )
  insert into cdn_folders (app_id, path, parent, name, inserted_at, updated_at)
  select $1, path, parent, name, $3, $3 from missing order by path`;

const INSERT = `
  insert into cdn_folders as f (app_id, path, parent, name, description, inserted_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $6) returning ${COLUMNS}`;

const EDIT = `
  update cdn_folders f set name = $3, description = $4, updated_at = $5 where app_id = $1 and id = $2 returning ${COLUMNS}`;

const TRASH_BRANCH = `
  with trashed as (
    update cdn_files set state = 'trashed', deleted_at = $4, purge_at = $5, deleted_by = $6
    where app_id = $1 and state = 'active' and (folder = $2 or folder like $3) returning 1
  ), removed as (
    delete from cdn_folders where app_id = $1 and (path = $2 or path like $3) returning 1
  )
  select (select count(*) from trashed)::int as "deletedFiles", (select count(*) from removed)::int as "deletedFolders"`;

export interface DeletionRules {
  readonly trashRetentionDays: number;
  readonly refusesDeleteInUse: boolean;
}

export interface RemovedBranch {
  readonly deletedFiles: number;
  readonly deletedFolders: number;
}

// A file may come into use right after this: that is as if it had been in Trash before.
const USED = `
  select 1 from cdn_files f
  where f.app_id = $1 and f.state = 'active' and (f.folder = $2 or f.folder like $3)
    and ${IS_USED_SQL}
  limit 1`;

/** Folders of the library. Changes of one app's folders take turns, since a branch is changed as a whole. */
export class TypeOrmMediaFolders {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** The branch below a folder, itself included; all folders below the top level. */
  branch(appId: number, path: FolderPath): Promise<FolderRow[]> {
    return this.database.rows<FolderRow>(BRANCH_WITH_FILES, [appId, path, belowPattern(path)]);
  }

  async add(appId: number, { name, path, description }: NewFolder): Promise<FolderRow | Refusal> {
    if (path === TOP_LEVEL) return refuse("can't be blank", 'key');
    return this.changed(appId, async (transaction) => {
      const parent = parentOf(path);
      if (parent !== TOP_LEVEL && (await findByPath(transaction, appId, parent)) === undefined) return PARENT_NOT_FOUND;
      const values = [appId, path, parent, name, description, this.clock.now()];
      const [made] = await transaction.last<FolderRow>(INSERT, values);
      return { ...(made as FolderRow), files: 0 };
    });
  }

  async edit(appId: number, id: number, edit: FolderEdit): Promise<EditedFolder | Refusal> {
    const edited = await this.changed(appId, async (transaction) => {
      const [folder] = await transaction.rows<FolderRow>(`${FIND} and f.id = $2`, [appId, id]);
      if (folder === undefined) return FOLDER_NOT_FOUND;
      const target = await this.moveTo(transaction, appId, folder, edit.parent);
      if (isRefusal(target)) return target;
      const { name = folder.name, description = folder.description } = edit;
      const [row] = await transaction.rows<FolderRow>(EDIT, [appId, id, name, description, this.clock.now()]);
      const { path } = row as FolderRow;
      return { path, branch: await transaction.last<FolderRow>(BRANCH_WITH_FILES, [appId, path, belowPattern(path)]) };
    });
    if (isRefusal(edited) || !WriteOnce.isResumed()) return edited;
    return { ...edited, branch: await this.branch(appId, edited.path) };
  }

  /** Every file below goes to Trash, and the folders are removed. Refused while a file in use may not be deleted. */
  remove(appId: number, path: FolderPath, rules: DeletionRules): Promise<RemovedBranch | Refusal> {
    return this.changed(appId, async (transaction) => {
      if ((await findByPath(transaction, appId, path)) === undefined) return FOLDER_NOT_FOUND;
      const pattern = belowPattern(path);
      if (rules.refusesDeleteInUse && (await transaction.rows(USED, [appId, path, pattern])).length > 0) {
        return FILE_REFERENCED;
      }
      const now = this.clock.now();
      const values = [appId, path, pattern, now, purgeAt(now, rules.trashRetentionDays), 'app'];
      const [removed] = await transaction.last<RemovedBranch>(TRASH_BRANCH, values);
      return removed as RemovedBranch;
    });
  }

  private async moveTo(
    transaction: Transaction,
    appId: number,
    { path }: FolderRow,
    parent: FolderPath | undefined,
  ): Promise<Refusal | undefined> {
    if (parent === undefined || parent === parentOf(path)) return undefined;
    if (isWithin(parent, path)) return INVALID_PARENT;
    if (parent !== TOP_LEVEL && (await findByPath(transaction, appId, parent)) === undefined) return PARENT_NOT_FOUND;
    const to = folderPath(below(parent, lastSegment(path)), 'parent_folder');
    if (isRefusal(to)) return to;
    // Nothing below can grow meanwhile: whoever makes a folder or puts a file into one holds the lock of the folders.
    const [longest] = await transaction.rows<{ bytes: number }>(MAX_BYTES_BELOW, [appId, belowPattern(path)]);
    const growth = bytesOf(to) - bytesOf(path);
    if (growth > 0 && (longest?.bytes ?? 0) + growth > MAX_PATH_BYTES) return refuse('is invalid', 'parent_folder');
    await transaction.rows(MOVE_BRANCH, [appId, path, to, this.clock.now(), parent, belowPattern(path)]);
    return undefined;
  }

  private async changed<Result>(
    appId: number,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result | Refusal> {
    try {
      return await this.database.transaction(async (transaction) => {
        await lockFolders(transaction, appId);
        return work(transaction);
      });
    } catch (error) {
      if (violates(error, 'cdn_folders_path_key') || violates(error, 'cdn_folders_name_key')) return FOLDER_TAKEN;
      throw error;
    }
  }
}

const FOLDERS = 11;

export async function lockFolders(transaction: Transaction, appId: number): Promise<void> {
  transaction.locks('bulk');
  await transaction.rows('select pg_advisory_xact_lock($1, ($2::bigint % 2147483647)::int)', [FOLDERS, appId]);
}

/** Makes the folders on the way to the path that are missing, each named after its segment. */
export function makeFolders(sql: Sql, appId: number, path: FolderPath, now: Date): Promise<void> {
  return makeFoldersOf(sql, appId, [path], now);
}

/** As {@link makeFolders}, for several paths. */
export async function makeFoldersOf(sql: Sql, appId: number, paths: readonly FolderPath[], now: Date): Promise<void> {
  const missing = [...new Set(paths.flatMap(ancestry))];
  if (missing.length === 0) return;
  const wanted = missing.map((each) => ({ path: each, parent: parentOf(each), name: lastSegment(each) }));
  await sql.rows(MAKE, [appId, JSON.stringify(wanted), now]);
}

async function findByPath(sql: Sql, appId: number, path: FolderPath): Promise<FolderRow | undefined> {
  const [folder] = await sql.rows<FolderRow>(`${FIND} and f.path = $2`, [appId, path]);
  return folder;
}

export function belowPattern(path: FolderPath): string {
  return path === TOP_LEVEL ? '%' : `${likeLiteral(path)}/%`;
}
