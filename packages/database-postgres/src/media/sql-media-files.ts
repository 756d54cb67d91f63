import { isRefusal, escapeLike, refuse, type Clock, type Refusal } from '@back-office/kernel';
import {
  FILE_NAME_TAKEN,
  FILE_NOT_FOUND,
  fileKey,
  freeName,
  keyCandidate,
  freeNamePrefix,
  searchedText,
  stepOf,
  unusedSince,
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
import { asciiOf, foldForSearch } from '@back-office/database-search';
import { addProcessing } from './media-jobs.js';
import type { Postgres } from '../postgres.js';
import type { Sql, Transaction } from '../client-transaction.js';
import { violates } from '../failures.js';
import { WriteOnce } from '../write-once.js';
import { fileJsonSql, findFileJson, IS_USED_SQL } from './file-columns.js';
import { stateBeforeSql } from './file-states.js';
import { lockFolders, makeFolders } from './sql-media-folders.js';

const FIRST_KEY_CANDIDATES = 20;

const PRESET = `
  select id from cdn_upload_presets where app_id = $1 and case when $2::bigint is null then is_default else id = $2 end`;

const NAMES = `
  select filename from cdn_files
  where app_id = $1 and folder = $2 and state = 'active' and (filename = $3 or filename like $4)`;

const TAKEN_KEYS = `select key from cdn_files where app_id = $1 and key = any($2)`;

const STORE = `
  update cdn_files f set state = 'active', key = $3, folder = $4, filename = $5, kind = $6, mime = $7, size = $8,
    checksum = $9, width = $10, height = $11, preset_id = $12, processing = $13, alt = $14, caption = $15,
    description = $16, tags = $17, source = $18, search_text = $19, last_modified = $20, inserted_at = $20
  where f.app_id = $1 and f.id = $2 and ${stateBeforeSql('store', 'active', 'f.state')}
  returning f.id, f.key, ${fileJsonSql('$21')}::text as data`;

const LOCK = `
  select id, state, filename, alt, caption, tags from cdn_files f
  where f.app_id = $1 and f.id = $2 and f.state <> 'receiving' for update`;

const EDIT = `
  update cdn_files f set filename = $3, alt = $4, caption = $5, tags = $6, search_text = $7,
    hidden = coalesce($8, hidden), stays_visible = case when $8 is null then stays_visible else not $8 end,
    hidden_by = case when coalesce($8, hidden) then coalesce(hidden_by, 'app') end,
    hidden_at = case when coalesce($8, hidden) then coalesce(hidden_at, $9) end,
    hidden_note = case when coalesce($8, hidden) then case when $10 then $11 else hidden_note end end
  where f.app_id = $1 and f.id = $2
  returning ${fileJsonSql('$12', { withUrl: false })}::text as data`;

const HIDING_APPS = `
  select id, (settings -> 'media' ->> 'auto_hide_unused_days')::int as days from apps
  where settings -> 'media' ->> 'auto_hide_unused_days' is not null order by id`;

const HIDE_UNUSED = `
  update cdn_files f set hidden = true, hidden_by = 'auto', hidden_at = $2
  where f.app_id = $1 and f.state = 'active' and not f.hidden and not f.stays_visible and f.last_modified <= $3
    and not ${IS_USED_SQL}
  returning 1`;

interface LockedFile {
  readonly id: number;
  readonly state: FileState;
  readonly filename: string;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly tags: readonly string[];
}

/** Records of library files. The lock of an app's folders guards names and keys. */
export class SqlMediaFiles implements MediaFiles {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
    private readonly library: PublicLibrary,
  ) {}

  async store(app: MediaApp, file: ReceivedContent, more: NewFile): Promise<StoredFile | Refusal> {
    const stored = await this.database.transaction(async (transaction) => {
      await lockFolders(transaction, app.id);
      const [preset] = await transaction.rows<{ id: number }>(PRESET, [app.id, more.presetId ?? null]);
      if (preset === undefined && more.presetId !== undefined) return refuse('is invalid', 'preset_id');
      const name = await nameFor(transaction, app.id, more);
      if (isRefusal(name)) return name;
      const now = this.clock.now();
      await makeFolders(transaction, app.id, more.folder, now);
      const key = await freeKey(transaction, app.id, fileKey(app.prefix, more.folder, name, asciiOf));
      const isPending = isInitiallyPending(this.library, file.mime);
      if (isPending)
        await addProcessing(transaction, 'content', { appId: app.id, fileId: file.receipt.id, version: 1 });
      const { width = null, height = null } = file.size ?? {};
      const identity = [app.id, file.receipt.id, key, more.folder, name];
      const content = [file.kind, file.mime, file.bytes, file.checksum, width, height];
      const work = [preset?.id ?? null, isPending ? 'pending' : 'done'];
      const words = [more.alt, more.caption, more.description, more.tags, more.source];
      const values = [...identity, ...content, ...work, ...words, searchText({ filename: name, ...more }), now];
      // Not `last`: without a receipt, folders and job must be rolled back.
      const [row] = await transaction.rows<StoredFile>(STORE, [...values, this.library.base]);
      if (row === undefined) throw new Error('The upload took so long that its receipt was swept away');
      return row;
    });
    if (isRefusal(stored) || !WriteOnce.isResumed()) return stored;
    // A resumed call returns the current file.
    return { ...stored, data: (await findFileJson(this.database, app.id, stored.id, this.library.base)) ?? 'null' };
  }

  async edit(appId: number, id: number, edit: FileEdit): Promise<string | Refusal> {
    try {
      return await this.database.transaction(async (transaction) => {
        // Names are checked and given under this lock.
        if (edit.name !== undefined) await lockFolders(transaction, appId);
        transaction.locks('file');
        const [file] = await transaction.rows<LockedFile>(LOCK, [appId, id]);
        const step = file && stepOf('edit', file.state);
        if (file === undefined || isRefusal(step)) return FILE_NOT_FOUND;
        const filename = edit.name ?? file.filename;
        const { alt = file.alt, caption = file.caption, tags = file.tags, hidden = null, hiddenNote } = edit;
        const values = [appId, id, filename, alt, caption, tags, searchText({ filename, alt, caption, tags }), hidden];
        const more = [this.clock.now(), hiddenNote !== undefined, hiddenNote ?? null, this.library.base];
        const [edited] = await transaction.last<{ data: string }>(EDIT, [...values, ...more]);
        return (edited as { data: string }).data;
      });
    } catch (error) {
      if (violates(error, 'cdn_files_name_key')) return FILE_NAME_TAKEN;
      throw error;
    }
  }

  async hideUnused(): Promise<number> {
    const now = this.clock.now();
    let hidden = 0;
    for (const { id, days } of await this.database.rows<{ id: number; days: number }>(HIDING_APPS)) {
      const rows = await this.database.rows(HIDE_UNUSED, [id, now, unusedSince(now, days)]);
      hidden += rows.length;
    }
    return hidden;
  }
}

export function searchText(file: Parameters<typeof searchedText>[0]): string {
  return foldForSearch(searchedText(file));
}

async function nameFor(sql: Sql, appId: number, { name, folder, onConflict }: NewFile): Promise<string | Refusal> {
  const taken = await namesIn(sql, appId, folder, name);
  if (!taken.has(name) || onConflict === 'rename') return freeName(name, taken);
  return FILE_NAME_TAKEN;
}

/** Names in a folder that collide with this one, or with this one and a number. */
export async function namesIn(sql: Sql, appId: number, folder: string, name: string): Promise<Set<string>> {
  const values = [appId, folder, name, `${escapeLike(freeNamePrefix(name))}%`];
  const rows = await sql.rows<{ filename: string }>(NAMES, values);
  return new Set(rows.map(({ filename }) => filename));
}

/** The desired key, or with the first free number. Requires the lock of the app's folders. */
async function freeKey(transaction: Transaction, appId: number, desired: string): Promise<string> {
  // Doubling keeps the search for the ten-thousandth number short.
  for (let [from, count] = [1, FIRST_KEY_CANDIDATES]; ; [from, count] = [from + count, count * 2]) {
    const candidates = Array.from({ length: count }, (_, index) => keyCandidate(desired, from + index));
    const rows = await transaction.rows<{ key: string }>(TAKEN_KEYS, [appId, candidates]);
    const taken = new Set(rows.map(({ key }) => key));
    const free = candidates.find((key) => !taken.has(key));
    if (free !== undefined) return free;
  }
}
