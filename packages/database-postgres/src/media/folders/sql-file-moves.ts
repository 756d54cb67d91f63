import { isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import {
  FILE_NAME_TAKEN,
  fileEvents,
  MAX_STEM_LENGTH,
  RestoredNames,
  restoredNameStem,
  stepOf,
  type FileMoves,
  type FileResult,
  type FolderPath,
} from '@back-office/media';
import type { Postgres } from '../../connection/postgres.js';
import type { Sql } from '../../connection/sql.js';
import { addRepublication } from '../processing/media-jobs.js';
import { idsOf, lockById, resultsOf, type LockedFile } from '../files/named-files.js';
import { searchText } from '../files/sql-media-files.js';
import { lockFolders, makeFolders } from './sql-media-folders.js';

const FIND_NAMES = `
  select folder, filename from cdn_files
  where app_id = $1 and state = 'active' and folder = any($2) and filename = any($3)`;

const FIND_NUMBERED_NAMES = `
  select f.folder, f.filename from unnest($3::text[]) as desired (stem)
  join cdn_files f on left(regexp_replace(f.filename, ' \\(\\d+\\)$', ''), ${MAX_STEM_LENGTH}) = desired.stem
  where f.app_id = $1 and f.state = 'active' and f.folder = any($2)`;

const MOVE_FILES = `update cdn_files set folder = $3 where app_id = $1 and id = any($2)`;

const RESTORE_FILES = `
  update cdn_files f set state = 'active', deleted_at = null, purge_at = null, deleted_by = null,
    filename = row.filename, search_text = row.search_text
  from json_to_recordset($2) as row (id bigint, filename text, search_text text)
  where f.app_id = $1 and f.id = row.id`;

type FilePath = Pick<LockedFile, 'folder' | 'filename'>;

export class SqlFileMoves implements FileMoves {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  move(appId: number, ids: readonly number[], folder: FolderPath): Promise<FileResult[]> {
    return this.database.transaction(async (transaction) => {
      await lockFolders(transaction, appId);
      const files = await lockById(transaction, appId, ids);
      const candidates = files.filter((file) => !isRefusal(stepOf('move', file.state)) && file.folder !== folder);
      const names = new Set(
        namesOf(await transaction.rows<FilePath>(FIND_NAMES, [appId, [folder], namesOf(candidates)])),
      );
      const refusals = new Map<number, Refusal>();
      for (const { id, filename } of candidates) {
        if (names.has(filename)) refusals.set(id, FILE_NAME_TAKEN);
        names.add(filename);
      }
      const movedFiles = candidates.filter(({ id }) => !refusals.has(id));
      if (movedFiles.length > 0) await makeFolders(transaction, appId, [folder], this.clock.now());
      await transaction.rows(MOVE_FILES, [appId, idsOf(movedFiles), folder]);
      transaction.record(appId, this.clock.now(), { events: fileEvents('file.moved', idsOf(movedFiles)) });
      return resultsOf('move', ids, files).map((outcome, index) => outcome ?? refusals.get(ids[index] ?? 0));
    });
  }

  restore(appId: number, ids: readonly number[]): Promise<FileResult[]> {
    return this.database.transaction(async (transaction) => {
      await lockFolders(transaction, appId);
      const files = await lockById(transaction, appId, ids);
      const restoredFiles = files.filter(({ state }) => stepOf('restore', state) === 'active');
      await makeFolders(transaction, appId, foldersOf(restoredFiles), this.clock.now());
      const names = await findAvailableNames(transaction, appId, restoredFiles);
      const rows = restoredFiles.map((file) => {
        const filename = names.get(file.folder)?.assign(file.filename) ?? file.filename;
        return { id: file.id, filename, search_text: searchText({ ...file, filename }) };
      });
      await transaction.rows(RESTORE_FILES, [appId, JSON.stringify(rows)]);
      transaction.record(appId, this.clock.now(), { events: fileEvents('file.restored', idsOf(restoredFiles)) });
      // Publishes the files again, because their public copies are missing if the app does not serve its Trash.
      await addRepublication(transaction, appId, idsOf(restoredFiles));
      return resultsOf('restore', ids, files);
    });
  }
}

async function findAvailableNames(
  sql: Sql,
  appId: number,
  files: readonly LockedFile[],
): Promise<Map<string, RestoredNames>> {
  const folders = foldersOf(files);
  const existingPaths = await sql.rows<FilePath>(FIND_NAMES, [appId, folders, namesOf(files)]);
  const takenPaths = new Set(existingPaths.map(pathOf));
  const clashingFiles = files.filter((file) => takenPaths.size === takenPaths.add(pathOf(file)).size);
  const stems = [...new Set(namesOf(clashingFiles).map(restoredNameStem))];
  const numberedPaths =
    stems.length === 0 ? [] : await sql.rows<FilePath>(FIND_NUMBERED_NAMES, [appId, foldersOf(clashingFiles), stems]);
  const names = new Map(folders.map((folder) => [folder, new RestoredNames()]));
  for (const { folder, filename } of [...existingPaths, ...numberedPaths]) names.get(folder)?.addTakenName(filename);
  return names;
}

function namesOf(files: readonly FilePath[]): string[] {
  return files.map(({ filename }) => filename);
}

function foldersOf(files: readonly FilePath[]): FolderPath[] {
  return [...new Set(files.map(({ folder }) => folder))];
}

function pathOf({ folder, filename }: FilePath): string {
  return `${folder}/${filename}`;
}
