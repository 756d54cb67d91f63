import { isRefusal, escapeLike, refuse, type Clock, type Refusal } from '@back-office/kernel';
import {
  FILE_NAME_TAKEN,
  FILE_NOT_FOUND,
  fileEvents,
  fileKey,
  freeName,
  keyCandidate,
  numberedNamePrefix,
  searchedText,
  stepOf,
  unusedCutoff,
  type FileEdit,
  type FileState,
  isInitiallyPending,
  type MediaApp,
  type MediaFiles,
  type NewFile,
  type PublicLibrary,
  type ReceivedContent,
  type StoredFile,
} from '@back-office/media';
import { asciiOf, foldForSearch } from '@back-office/database';
import { addProcessing } from '../processing/media-jobs.js';
import type { Postgres } from '../../connection/postgres.js';
import type { Sql } from '../../connection/sql.js';
import type { Transaction } from '../../connection/transaction.js';
import { fileEventsSql } from '../../connection/event-statements.js';
import { violates } from '../../connection/failures.js';
import { WriteOnce } from '../../connection/write-once.js';
import { fileJsonSql, findFileJson, IS_USED_SQL, keyHashSql } from './file-columns.js';
import { stateBeforeSql } from './file-states.js';
import { lockFolders, makeFolder } from '../folders/sql-media-folders.js';

const FIRST_KEY_CANDIDATES = 20;

const FIND_PRESET = `
  select id from cdn_upload_presets where app_id = $1 and case when $2::bigint is null then is_default else id = $2 end`;

const FIND_NAMES = `
  select filename from cdn_files
  where app_id = $1 and folder = $2 and state = 'active' and (filename = $3 or filename like $4)`;

// One statement reads both tables, so a key that is purged meanwhile is in one of them.
const FIND_TAKEN_KEYS = `
  select key from cdn_files where app_id = $1 and key = any($2)
  union all
  select candidate.key from unnest($2::text[]) as candidate (key)
  join cdn_purged_keys p on p.app_id = $1 and p.key_hash = ${keyHashSql('candidate.key')}`;

// Reads the JSON from a CTE, because a cluster refuses subqueries in RETURNING.
const STORE_FILE = `
  with stored as (
  update cdn_files f set state = 'active', key = $3, folder = $4, filename = $5, kind = $6, mime = $7, size = $8,
    checksum = $9, width = $10, height = $11, preset_id = $12, processing = $13, alt = $14, caption = $15,
    description = $16, tags = $17, source = $18, search_text = $19, last_modified = $20, inserted_at = $20
  where f.app_id = $1 and f.id = $2 and ${stateBeforeSql('store', 'active', 'f.state')}
  returning f.*
  )
  select f.id, f.key, ${fileJsonSql('$21')}::text as data from stored f`;

const LOCK_FILE = `
  select id, state, filename, alt, caption, tags from cdn_files f
  where f.app_id = $1 and f.id = $2 and f.state <> 'receiving' for update`;

const EDIT_FILE = `
  with edited as (
  update cdn_files f set filename = $3, alt = $4, caption = $5, tags = $6, search_text = $7,
    hidden = coalesce($8, hidden), stays_visible = case when $8 is null then stays_visible else not $8 end,
    hidden_by = case when coalesce($8, hidden) then coalesce(hidden_by, 'app') end,
    hidden_at = case when coalesce($8, hidden) then coalesce(hidden_at, $9) end,
    hidden_note = case when coalesce($8, hidden) then case when $10 then $11 else hidden_note end end
  where f.app_id = $1 and f.id = $2
  returning f.*
  )
  select ${fileJsonSql('$12', { withUrl: false })}::text as data from edited f`;

const FIND_HIDING_APPS = `
  /* across apps: apps that hide unused files */
  select app_id as id, (settings -> 'media' ->> 'auto_hide_unused_days')::int as days from app_settings
  where settings -> 'media' ->> 'auto_hide_unused_days' is not null order by app_id`;

const HIDE_UNUSED = `
  with hidden as (
    update cdn_files f set hidden = true, hidden_by = 'auto', hidden_at = $2
    where f.app_id = $1 and f.state = 'active' and not f.hidden and not f.stays_visible and f.last_modified <= $3
      and not ${IS_USED_SQL}
    returning f.id
  ), ${fileEventsSql('file.updated', 'hidden', '$2')}
  select id from hidden`;

interface LockedFile {
  readonly id: number;
  readonly state: FileState;
  readonly filename: string;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly tags: readonly string[];
}

/** Concurrent calls cannot take the same name or key, because every call locks the app's folders. */
export class SqlMediaFiles implements MediaFiles {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
    private readonly library: PublicLibrary,
  ) {}

  async store(app: MediaApp, content: ReceivedContent, newFile: NewFile): Promise<StoredFile | Refusal> {
    const result = await this.database.transaction(async (transaction) => {
      await lockFolders(transaction, app.id);
      const [preset] = await transaction.rows<{ id: number }>(FIND_PRESET, [app.id, newFile.presetId ?? null]);
      if (preset === undefined && newFile.presetId !== undefined) return refuse('is invalid', 'preset_id');
      const name = await chooseName(transaction, app.id, newFile);
      if (isRefusal(name)) return name;
      const now = this.clock.now();
      await makeFolder(transaction, app.id, newFile.folder, now);
      const key = await findFreeKey(transaction, app.id, fileKey(app.prefix, newFile.folder, name, asciiOf));
      const isPending = isInitiallyPending(this.library, content.mime);
      if (isPending)
        await addProcessing(transaction, 'content', { appId: app.id, fileId: content.receipt.id, version: 1 });
      const { width = null, height = null } = content.size ?? {};
      const identityValues = [app.id, content.receipt.id, key, newFile.folder, name];
      const contentValues = [content.kind, content.mime, content.bytes, content.checksum, width, height];
      const processingValues = [preset?.id ?? null, isPending ? 'pending' : 'done'];
      const textValues = [newFile.alt, newFile.caption, newFile.description, newFile.tags, newFile.source];
      const values = [
        ...identityValues,
        ...contentValues,
        ...processingValues,
        ...textValues,
        searchText({ filename: name, ...newFile }),
        now,
      ];
      // Does not use `runLast`, which would commit the folders and the job even if the receipt is missing.
      const [row] = await transaction.rows<StoredFile>(STORE_FILE, [...values, this.library.base]);
      if (row === undefined) throw new Error('The upload took so long that its receipt was swept away');
      transaction.record(app.id, now, { events: fileEvents('file.created', [row.id]) });
      return row;
    });
    if (isRefusal(result) || !WriteOnce.isResumed()) return result;
    return { ...result, data: (await findFileJson(this.database, app.id, result.id, this.library.base)) ?? 'null' };
  }

  async edit(appId: number, id: number, edit: FileEdit): Promise<string | Refusal> {
    try {
      return await this.database.transaction(async (transaction) => {
        if (edit.name !== undefined) await lockFolders(transaction, appId);
        transaction.locks('file');
        const [file] = await transaction.rows<LockedFile>(LOCK_FILE, [appId, id]);
        const step = file && stepOf('edit', file.state);
        if (file === undefined || isRefusal(step)) return FILE_NOT_FOUND;
        const filename = edit.name ?? file.filename;
        const { alt = file.alt, caption = file.caption, tags = file.tags, hidden = null, hiddenNote } = edit;
        const values = [appId, id, filename, alt, caption, tags, searchText({ filename, alt, caption, tags }), hidden];
        const now = this.clock.now();
        const extraValues = [now, hiddenNote !== undefined, hiddenNote ?? null, this.library.base];
        transaction.record(appId, now, { events: fileEvents('file.updated', [id]) });
        const [row] = await transaction.runLast<{ data: string }>(EDIT_FILE, [...values, ...extraValues]);
        return (row as { data: string }).data;
      });
    } catch (error) {
      if (violates(error, 'cdn_files_name_key')) return FILE_NAME_TAKEN;
      throw error;
    }
  }

  async hideUnused(): Promise<number> {
    const now = this.clock.now();
    let hiddenCount = 0;
    for (const { id, days } of await this.database.rows<{ id: number; days: number }>(FIND_HIDING_APPS)) {
      const rows = await this.database.rows(HIDE_UNUSED, [id, now, unusedCutoff(now, days)]);
      hiddenCount += rows.length;
    }
    return hiddenCount;
  }
}

export function searchText(file: Parameters<typeof searchedText>[0]): string {
  return foldForSearch(searchedText(file));
}

async function chooseName(sql: Sql, appId: number, { name, folder, onConflict }: NewFile): Promise<string | Refusal> {
  const takenNames = await findCollidingNames(sql, appId, folder, name);
  if (!takenNames.has(name) || onConflict === 'rename') return freeName(name, takenNames);
  return FILE_NAME_TAKEN;
}

/** Returns the taken names in the folder that equal `name` or consist of it and a number. */
export async function findCollidingNames(sql: Sql, appId: number, folder: string, name: string): Promise<Set<string>> {
  const values = [appId, folder, name, `${escapeLike(numberedNamePrefix(name))}%`];
  const rows = await sql.rows<{ filename: string }>(FIND_NAMES, values);
  return new Set(rows.map(({ filename }) => filename));
}

/** The caller must hold the lock of the app's folders. */
async function findFreeKey(transaction: Transaction, appId: number, desiredKey: string): Promise<string> {
  // Doubling the number of candidates keeps the search short even beyond ten thousand files.
  for (
    let [firstNumber, count] = [1, FIRST_KEY_CANDIDATES];
    ;
    [firstNumber, count] = [firstNumber + count, count * 2]
  ) {
    const candidates = Array.from({ length: count }, (_, index) => keyCandidate(desiredKey, firstNumber + index));
    const rows = await transaction.rows<{ key: string }>(FIND_TAKEN_KEYS, [appId, candidates]);
    const takenKeys = new Set(rows.map(({ key }) => key));
    const freeKey = candidates.find((key) => !takenKeys.has(key));
    if (freeKey !== undefined) return freeKey;
  }
}
