import { isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import {
  FILE_NAME_TAKEN,
  MAX_STEM_LENGTH,
  RestoredNames,
  restoredNamePrefix,
  stepOf,
  type FileMoves,
  type FileResult,
  type FolderPath,
} from '@back-office/media';
import type { Postgres } from '../postgres.js';
import type { Sql } from '../client-transaction.js';
import { idsOf, lockById, resultsOf, type NamedFile } from './named-files.js';
import { searchText } from './sql-media-files.js';
import { lockFolders, makeFoldersOf } from './sql-media-folders.js';

const NAMES = `
  select folder, filename from cdn_files
  where app_id = $1 and state = 'active' and folder = any($2) and filename = any($3)`;

const NUMBERED = `
  select f.folder, f.filename from unnest($3::text[]) as desired (stem)
  join cdn_files f on left(regexp_replace(f.filename, ' \\(\\d+\\)$', ''), ${MAX_STEM_LENGTH}) = desired.stem
  where f.app_id = $1 and f.state = 'active' and f.folder = any($2)`;

const MOVE = `update cdn_files set folder = $3 where app_id = $1 and id = any($2)`;

const RESTORE = `
  update cdn_files f set state = 'active', deleted_at = null, purge_at = null, deleted_by = null,
    filename = row.filename, search_text = row.search_text
  from json_to_recordset($2) as row (id bigint, filename text, search_text text)
  where f.app_id = $1 and f.id = row.id`;

type FilePath = Pick<NamedFile, 'folder' | 'filename'>;

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
      const names = new Set(namesOf(await transaction.rows<FilePath>(NAMES, [appId, [folder], namesOf(candidates)])));
      const refused = new Map<number, Refusal>();
      for (const { id, filename } of candidates) {
        if (names.has(filename)) refused.set(id, FILE_NAME_TAKEN);
        names.add(filename);
      }
      const moving = candidates.filter(({ id }) => !refused.has(id));
      if (moving.length > 0) await makeFoldersOf(transaction, appId, [folder], this.clock.now());
      await transaction.rows(MOVE, [appId, idsOf(moving), folder]);
      return resultsOf('move', ids, files).map((outcome, index) => outcome ?? refused.get(ids[index] ?? 0));
    });
  }

  restore(appId: number, ids: readonly number[]): Promise<FileResult[]> {
    return this.database.transaction(async (transaction) => {
      await lockFolders(transaction, appId);
      const files = await lockById(transaction, appId, ids);
      const back = files.filter(({ state }) => stepOf('restore', state) === 'active');
      await makeFoldersOf(transaction, appId, foldersOf(back), this.clock.now());
      const names = await availableNames(transaction, appId, back);
      const rows = back.map((file) => {
        const filename = names.get(file.folder)?.assign(file.filename) ?? file.filename;
        return { id: file.id, filename, search_text: searchText({ ...file, filename }) };
      });
      await transaction.rows(RESTORE, [appId, JSON.stringify(rows)]);
      return resultsOf('restore', ids, files);
    });
  }
}

/** Names available for these files, by folder. */
async function availableNames(
  sql: Sql,
  appId: number,
  files: readonly NamedFile[],
): Promise<Map<string, RestoredNames>> {
  const folders = foldersOf(files);
  const own = await sql.rows<FilePath>(NAMES, [appId, folders, namesOf(files)]);
  const seen = new Set(own.map(pathOf));
  const clashing = files.filter((file) => seen.size === seen.add(pathOf(file)).size);
  const stems = [...new Set(namesOf(clashing).map(restoredNamePrefix))];
  const numbered = stems.length === 0 ? [] : await sql.rows<FilePath>(NUMBERED, [appId, foldersOf(clashing), stems]);
  const names = new Map(folders.map((folder) => [folder, new RestoredNames()]));
  for (const { folder, filename } of [...own, ...numbered]) names.get(folder)?.reserve(filename);
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
