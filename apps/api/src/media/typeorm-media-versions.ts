import { isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import {
  isProcessed,
  kindOf,
  NO_VERSION_TO_REVERT,
  purgeAt,
  stepOf,
  versionKey,
  versionToRevert,
  type FileState,
} from '@back-office/media';
import type { Database, Sql, Transaction } from '../database/database.js';
import { dateTimeSql } from '../database/json-sql.js';
import { WriteOnce } from '../database/write-once.js';
import type { TakenFile } from './content-intake.js';
import { FIND_FILE_JSON } from './file-columns.query.js';
import { addProcessing, addTidying } from './media-jobs.query.js';
import { namesOfBlobs, type Blobs } from './typeorm-media-receipts.js';

/** A file after its content has changed. */
export interface ChangedFile {
  readonly id: number;
  readonly key: string;
  readonly version: number;
  /** Public keys that stand for something else now. */
  readonly keys: readonly string[];
  /** The receipt that the content came with; none for one that was kept. */
  readonly receiptId: number | undefined;
  /** The file as this change left it, as JSON text. */
  readonly data: string;
}

type Named = Pick<ChangedFile, 'id' | 'key' | 'version'>;
/** Processing replaces what was made of the earlier content; where there is none, it goes at once. */
type Changed = Omit<ChangedFile, 'keys' | 'data'> & { readonly inBackground: boolean };

interface LockedFile extends Blobs {
  readonly id: number;
  readonly key: string;
  readonly state: FileState;
  readonly version: number;
  readonly kind: string;
  /** Of its preset. */
  readonly widths: readonly number[];
}

const EXPIRED_AT_ONCE = 500;

const FIND = `
  select f.id, f.key, f.state, f.version, f.kind, f.content, f.original, coalesce(p.rendition_widths, '{}') as widths
  from cdn_files f left join cdn_upload_presets p on p.app_id = $1 and p.id = f.preset_id
  where f.app_id = $1 and f.id = $2 and f.state <> 'receiving'`;
const LOCK = `${FIND} for update of f`;

const KEEP_VERSION = `
  insert into cdn_file_versions
    (app_id, cdn_file_id, version, key, content, original, mime, size, width, height, inserted_at, purge_at)
  select f.app_id, f.id, f.version, $3, f.content, f.original, f.mime, f.size, f.width, f.height, f.last_modified, $4
  from cdn_files f where f.app_id = $1 and f.id = $2`;

const REPLACE = `
  with receipt as (delete from cdn_files where app_id = $1 and id = $3 and state = 'receiving' returning content, original)
  update cdn_files f set version = f.version + 1, content = receipt.content, original = receipt.original, mime = $4,
    kind = $5, size = $6, checksum = $7, width = $8, height = $9, processing = $10, last_modified = $11
  from receipt where f.app_id = $1 and f.id = $2
  returning f.id, f.key, f.version`;

const VERSIONS = `
  select version, mime from cdn_file_versions where app_id = $1 and cdn_file_id = $2 and purge_at > $3 order by version for update`;

const REVERT = `
  update cdn_files f set version = f.version + 1, content = v.content, original = v.original, mime = v.mime, kind = $4,
    size = v.size, width = v.width, height = v.height, checksum = null, processing = $5, last_modified = $6
  from cdn_file_versions v
  where f.app_id = $1 and f.id = $2 and v.app_id = $1 and v.cdn_file_id = $2 and v.version = $3
  returning f.id, f.key, f.version, f.mime`;

const RENDITION_KEYS = `
  select key from cdn_renditions where app_id = $1 and cdn_file_id = $2
  union select key from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2`;

const DROP_DERIVED = `
  with renditions as (
    delete from cdn_renditions where app_id = $1 and cdn_file_id = $2 returning content
  ), pages as (
    delete from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2 returning content
  )
  select content from renditions union all select content from pages`;

const LIST = `
  select coalesce(json_agg(json_build_object(
    'version', v.version, 'size', v.size, 'mime', v.mime, 'url', $3 || '/' || v.key,
    'inserted_at', ${dateTimeSql('v.inserted_at')}, 'purge_at', ${dateTimeSql('v.purge_at')}
  ) order by v.version desc) filter (where v.version is not null), '[]')::text as data
  from cdn_files f left join cdn_file_versions v on v.app_id = $1 and v.cdn_file_id = f.id
  where f.app_id = $1 and f.id = $2 and f.state <> 'receiving' group by f.id`;

// Found without locks; it is then removed inside one app at a time.
const OVER = `
  /* across apps: apps with kept versions whose time is over */
  select distinct app_id as "appId" from cdn_file_versions where purge_at <= $1`;

const EXPIRE = `
  delete from cdn_file_versions where (app_id, cdn_file_id, version) in (
    select app_id, cdn_file_id, version from cdn_file_versions
    where app_id = $1 and purge_at <= $2 order by cdn_file_id, version limit ${EXPIRED_AT_ONCE} for update skip locked
  ) returning key, content, original`;

/** Contents that a file has had before. */
export class TypeOrmMediaVersions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly base: string,
  ) {}

  /** As JSON text, the latest first; `undefined` for a file that the app does not have. */
  async listJson(appId: number, fileId: number): Promise<string | undefined> {
    const [found] = await this.database.rows<{ data: string }>(LIST, [appId, fileId, this.base]);
    return found?.data;
  }

  /** Whether a file can be given another content: checked before its bytes are stored, and again with it. */
  async replaceable(appId: number, fileId: number): Promise<Refusal | undefined | true> {
    const [file] = await this.database.rows<LockedFile>(FIND, [appId, fileId]);
    if (file === undefined) return undefined;
    const step = stepOf('replace', file.state);
    return isRefusal(step) ? step : true;
  }

  /** Gives the file the content that was received, and keeps the one it had. */
  replace(
    appId: number,
    fileId: number,
    taken: TakenFile,
    retentionDays: number,
  ): Promise<ChangedFile | Refusal | undefined> {
    return this.changed(appId, fileId, 'replace', async (transaction, file) => {
      await this.keep(transaction, appId, file, retentionDays);
      const { mime, kind, bytes, checksum, size, receipt } = taken;
      const inBackground = isProcessed(mime);
      if (inBackground) await addProcessing(transaction, 'content', { appId, fileId, version: file.version + 1 });
      const values = [mime, kind, bytes, checksum, size?.width ?? null, size?.height ?? null];
      const state = inBackground ? 'pending' : 'done';
      const all = [appId, file.id, receipt.id, ...values, state, this.clock.now()];
      const [row] = await transaction.rows<Named>(REPLACE, all);
      if (row === undefined) throw new Error('The upload took so long that its receipt was swept away');
      return { ...row, receiptId: receipt.id, inBackground };
    });
  }

  /** Brings a kept content back as a new version; the latest one unless another is wanted. */
  revert(
    appId: number,
    fileId: number,
    wanted: number | undefined,
    retentionDays: number,
  ): Promise<ChangedFile | Refusal | undefined> {
    return this.changed(appId, fileId, 'revert', async (transaction, file) => {
      const values = [appId, fileId, this.clock.now()];
      const kept = await transaction.rows<{ version: number; mime: string }>(VERSIONS, values);
      const numbers = kept.map(({ version }) => version);
      const chosen = kept.find(({ version }) => version === versionToRevert(numbers, wanted));
      if (chosen === undefined) return NO_VERSION_TO_REVERT;
      await this.keep(transaction, appId, file, retentionDays);
      const { version, mime } = chosen;
      const [next, inBackground] = [file.version + 1, isProcessed(mime)];
      // The content is as it was made then; what is derived of it is made again.
      if (inBackground)
        await addProcessing(transaction, 'reverted', { appId, fileId, version: next, widths: file.widths });
      const state = inBackground ? 'pending' : 'done';
      const reverted = [appId, fileId, version, kindOf(mime) ?? file.kind, state, this.clock.now()];
      const [row] = await transaction.rows<Named>(REVERT, reverted);
      return { ...(row as Named), receiptId: undefined, inBackground };
    });
  }

  /** Has renditions made anew; `undefined` for a file that the app does not have. */
  regenerate(
    appId: number,
    fileId: number,
    widths: readonly number[] | undefined,
  ): Promise<Refusal | true | undefined> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const [file] = await transaction.rows<LockedFile>(LOCK, [appId, fileId]);
      if (file === undefined) return undefined;
      const step = stepOf('replace', file.state);
      if (isRefusal(step)) return step;
      await addProcessing(transaction, 'renditions', { appId, fileId, widths: widths ?? file.widths });
      return true;
    });
  }

  /** Removes kept versions whose time is over, some of each app; answers how many. */
  async expire(): Promise<number> {
    const now = this.clock.now();
    let gone = 0;
    for (const { appId } of await this.database.rows<{ appId: number }>(OVER, [now])) {
      gone += await this.database.transaction((transaction) => expired(transaction, appId, now));
    }
    return gone;
  }

  private async changed(
    appId: number,
    fileId: number,
    action: 'replace' | 'revert',
    change: (transaction: Transaction, file: LockedFile) => Promise<Changed | Refusal>,
  ): Promise<ChangedFile | Refusal | undefined> {
    const changed = await this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const [file] = await transaction.rows<LockedFile>(LOCK, [appId, fileId]);
      if (file === undefined) return undefined;
      const step = stepOf(action, file.state);
      if (isRefusal(step)) return step;
      const changedFile = await change(transaction, file);
      if (isRefusal(changedFile)) return changedFile;
      const { inBackground, ...rest } = changedFile;
      const others = await transaction.rows<{ key: string }>(RENDITION_KEYS, [appId, fileId]);
      const keys = [file.key, versionKey(file.key, file.version), ...others.map(({ key }) => key)];
      const gone = inBackground ? [] : await transaction.rows<{ content: string }>(DROP_DERIVED, [appId, fileId]);
      await addTidying(transaction, { appId, blobs: gone.map(({ content }) => content), keys });
      // Read before others can change the file again.
      const data = await this.findJson(transaction, appId, fileId);
      return { ...rest, keys, data: data as string };
    });
    if (changed === undefined || isRefusal(changed) || !WriteOnce.isResumed()) return changed;
    // An earlier run has made the change; a repeat is answered with what the file is now.
    const data = await this.findJson(this.database, appId, fileId);
    return data === undefined ? undefined : { ...changed, data };
  }

  private async findJson(sql: Sql, appId: number, fileId: number): Promise<string | undefined> {
    const [found] = await sql.rows<{ data: string }>(FIND_FILE_JSON, [appId, fileId, this.base]);
    return found?.data;
  }

  private async keep(sql: Sql, appId: number, file: LockedFile, retentionDays: number): Promise<void> {
    const until = purgeAt(this.clock.now(), retentionDays);
    await sql.rows(KEEP_VERSION, [appId, file.id, versionKey(file.key, file.version), until]);
  }
}

async function expired(transaction: Transaction, appId: number, now: Date): Promise<number> {
  const gone = await transaction.rows<Blobs & { readonly key: string }>(EXPIRE, [appId, now]);
  await addTidying(transaction, { appId, blobs: namesOfBlobs(gone), keys: gone.map(({ key }) => key) });
  return gone.length;
}
