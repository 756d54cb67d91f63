import { isRefusal, likeLiteral, refuse, type Clock, type Refusal } from '@back-office/kernel';
import {
  FILE_NAME_TAKEN,
  FILE_NOT_FOUND,
  fileKey,
  freeName,
  keyCandidate,
  purgeAt,
  startOfFree,
  stepOf,
  type FileState,
  type FolderPath,
} from '@back-office/media';
import type { Database, Sql, Transaction } from '../database/database.js';
import { violates } from '../database/failures.js';
import { WriteOnce } from '../database/write-once.js';
import { asciiOf, foldedForSearch } from '../database/search-text.js';
import type { TakenFile } from './content-intake.js';
import { fileJsonSql, FIND_FILE_JSON, IS_USED_SQL } from './file-columns.query.js';
import type { Library } from './library.js';
import { addProcessing } from './media-jobs.query.js';
import { isDoneLater } from './publication.js';
import { lockFolders, makeFolders } from './typeorm-media-folders.js';

/** What an upload says of its file. */
export interface NewFile {
  readonly name: string;
  readonly folder: FolderPath;
  readonly onConflict: 'error' | 'rename';
  readonly presetId: number | undefined;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly source: string | null;
}

/** `undefined` stays as it is. */
export interface FileEdit {
  readonly name?: string | undefined;
  readonly alt?: string | null | undefined;
  readonly caption?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly hidden?: boolean | undefined;
  readonly hiddenNote?: string | null | undefined;
}

export interface StoredFile {
  readonly id: number;
  readonly key: string;
  /** As JSON text. */
  readonly data: string;
}

const FIRST_KEYS = 20;

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
  where f.app_id = $1 and f.id = $2 and f.state = 'receiving'
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

/** Files of the library as records. Names and keys of one app's files are given in turns. */
export class TypeOrmMediaFiles {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly library: Pick<Library, 'base' | 'isPublished'>,
  ) {}

  /** As JSON text; also a file in Trash. */
  async findJson(appId: number, id: number): Promise<string | undefined> {
    const [found] = await this.database.rows<{ data: string }>(FIND_FILE_JSON, [appId, id, this.library.base]);
    return found?.data;
  }

  /** Makes a file of what was received: it gets its name and its key, and is there for everybody. */
  async store(
    app: { readonly id: number; readonly prefix: string },
    file: TakenFile,
    more: NewFile,
  ): Promise<StoredFile | Refusal> {
    const stored = await this.database.transaction(async (transaction) => {
      await lockFolders(transaction, app.id);
      const [preset] = await transaction.rows<{ id: number }>(PRESET, [app.id, more.presetId ?? null]);
      if (preset === undefined && more.presetId !== undefined) return refuse('is invalid', 'preset_id');
      const name = await nameFor(transaction, app.id, more);
      if (isRefusal(name)) return name;
      const now = this.clock.now();
      await makeFolders(transaction, app.id, more.folder, now);
      const key = await freeKey(transaction, app.id, fileKey(app.prefix, more.folder, name, asciiOf));
      const inBackground = isDoneLater(this.library, file.mime);
      if (inBackground)
        await addProcessing(transaction, 'content', { appId: app.id, fileId: file.receipt.id, version: 1 });
      const { width = null, height = null } = file.size ?? {};
      const place = [app.id, file.receipt.id, key, more.folder, name];
      const content = [file.kind, file.mime, file.bytes, file.checksum, width, height];
      const work = [preset?.id ?? null, inBackground ? 'pending' : 'done'];
      const words = [more.alt, more.caption, more.description, more.tags, more.source];
      const values = [...place, ...content, ...work, ...words, searchText({ filename: name, ...more }), now];
      const [row] = await transaction.last<StoredFile>(STORE, [...values, this.library.base]);
      if (row === undefined) throw new Error('The upload took so long that its receipt was swept away');
      return row;
    });
    if (isRefusal(stored) || !WriteOnce.isResumed()) return stored;
    // An earlier run has stored it; a repeat is answered with what the file is now.
    return { ...stored, data: (await this.findJson(app.id, stored.id)) ?? 'null' };
  }

  /** Answers the edited file as JSON text. */
  async edit(appId: number, id: number, edit: FileEdit): Promise<string | Refusal> {
    try {
      return await this.database.transaction(async (transaction) => {
        // Whoever gives a name has looked first whether it is free.
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
}

/** What a search looks through. */
export function searchText(file: {
  readonly filename: string;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly tags: readonly string[];
}): string {
  return foldedForSearch([file.filename, file.alt ?? '', file.caption ?? '', ...file.tags].join(' '));
}

async function nameFor(sql: Sql, appId: number, { name, folder, onConflict }: NewFile): Promise<string | Refusal> {
  const taken = await namesIn(sql, appId, folder, name);
  if (!taken.has(name) || onConflict === 'rename') return freeName(name, taken);
  return FILE_NAME_TAKEN;
}

/** The names in a folder that this one, or this one with a number, could meet. */
export async function namesIn(sql: Sql, appId: number, folder: string, name: string): Promise<Set<string>> {
  const values = [appId, folder, name, `${likeLiteral(startOfFree(name))}%`];
  const rows = await sql.rows<{ filename: string }>(NAMES, values);
  return new Set(rows.map(({ filename }) => filename));
}

/** The wished key, or with the first number that is free. Safe under the lock of the app's folders alone. */
async function freeKey(transaction: Transaction, appId: number, wished: string): Promise<string> {
  // Twice as many each time, so that the ten-thousandth of a name is found as quickly.
  for (let [from, count] = [1, FIRST_KEYS]; ; [from, count] = [from + count, count * 2]) {
    const candidates = Array.from({ length: count }, (_, index) => keyCandidate(wished, from + index));
    const rows = await transaction.rows<{ key: string }>(TAKEN_KEYS, [appId, candidates]);
    const taken = new Set(rows.map(({ key }) => key));
    const free = candidates.find((key) => !taken.has(key));
    if (free !== undefined) return free;
  }
}
