import { isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import {
  FILE_NAME_TAKEN,
  LONGEST_STEM,
  RestoredNames,
  stemOfRestored,
  stepOf,
  type FolderPath,
} from '@back-office/media';
import type { Database, Sql } from '../database/database.js';
import { idsOf, lockedById, outcomesOf, type NamedFile, type Outcome } from './named-files.query.js';
import { searchText } from './typeorm-media-files.js';
import { lockFolders, makeFoldersOf } from './typeorm-media-folders.js';

const NAMES = `
  select folder, filename from cdn_files
  where app_id = $1 and state = 'active' and folder = any($2) and filename = any($3)`;

const NUMBERED = `
  select f.folder, f.filename from unnest($3::text[]) as wish (stem)
  join cdn_files f on left(regexp_replace(f.filename, ' \\(\\d+\\)$', ''), ${LONGEST_STEM}) = wish.stem
  where f.app_id = $1 and f.state = 'active' and f.folder = any($2)`;

const MOVE = `update cdn_files set folder = $3 where app_id = $1 and id = any($2)`;

const RESTORE = `
  update cdn_files f set state = 'active', deleted_at = null, purge_at = null, deleted_by = null,
    filename = row.filename, search_text = row.search_text
  from json_to_recordset($2) as row (id bigint, filename text, search_text text)
  where f.app_id = $1 and f.id = row.id`;

type Place = Pick<NamedFile, 'folder' | 'filename'>;

/** Files on their way into folders, where each name is there once. */
export class TypeOrmMediaPlaces {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Moves files into a folder; one whose name is taken there stays where it is. */
  move(appId: number, ids: readonly number[], folder: FolderPath): Promise<Outcome[]> {
    return this.database.transaction(async (transaction) => {
      await lockFolders(transaction, appId);
      const files = await lockedById(transaction, appId, ids);
      const wishes = files.filter((file) => !isRefusal(stepOf('move', file.state)) && file.folder !== folder);
      const names = new Set(namesOf(await transaction.rows<Place>(NAMES, [appId, [folder], namesOf(wishes)])));
      const refused = new Map<number, Refusal>();
      for (const { id, filename } of wishes) {
        if (names.has(filename)) refused.set(id, FILE_NAME_TAKEN);
        names.add(filename);
      }
      const moving = wishes.filter(({ id }) => !refused.has(id));
      if (moving.length > 0) await makeFoldersOf(transaction, appId, [folder], this.clock.now());
      await transaction.rows(MOVE, [appId, idsOf(moving), folder]);
      return outcomesOf('move', ids, files).map((outcome, index) => outcome ?? refused.get(ids[index] ?? 0));
    });
  }

  /** Brings files back from Trash into their folders, which are made again where they are gone. */
  restore(appId: number, ids: readonly number[]): Promise<Outcome[]> {
    return this.database.transaction(async (transaction) => {
      await lockFolders(transaction, appId);
      const files = await lockedById(transaction, appId, ids);
      const back = files.filter(({ state }) => stepOf('restore', state) === 'active');
      await makeFoldersOf(transaction, appId, foldersOf(back), this.clock.now());
      const names = await namesToCome(transaction, appId, back);
      const rows = back.map((file) => {
        const filename = names.get(file.folder)?.give(file.filename) ?? file.filename;
        return { id: file.id, filename, search_text: searchText({ ...file, filename }) };
      });
      await transaction.rows(RESTORE, [appId, JSON.stringify(rows)]);
      return outcomesOf('restore', ids, files);
    });
  }
}

/** By folder, the names that can still be given to these files. */
async function namesToCome(sql: Sql, appId: number, files: readonly NamedFile[]): Promise<Map<string, RestoredNames>> {
  const folders = foldersOf(files);
  const own = await sql.rows<Place>(NAMES, [appId, folders, namesOf(files)]);
  const seen = new Set(own.map(pathOf));
  const clashing = files.filter((file) => seen.size === seen.add(pathOf(file)).size);
  const stems = [...new Set(namesOf(clashing).map(stemOfRestored))];
  const numbered = stems.length === 0 ? [] : await sql.rows<Place>(NUMBERED, [appId, foldersOf(clashing), stems]);
  const names = new Map(folders.map((folder) => [folder, new RestoredNames()]));
  for (const { folder, filename } of [...own, ...numbered]) names.get(folder)?.take(filename);
  return names;
}

function namesOf(files: readonly Place[]): string[] {
  return files.map(({ filename }) => filename);
}

function foldersOf(files: readonly Place[]): FolderPath[] {
  return [...new Set(files.map(({ folder }) => folder))];
}

function pathOf({ folder, filename }: Place): string {
  return `${folder}/${filename}`;
}
