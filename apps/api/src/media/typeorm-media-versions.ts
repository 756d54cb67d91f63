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
import { WriteOnce } from '../database/write-once.js';
import type { TakenFile } from './content-intake.js';
import { DERIVED_KEYS, FIND_FILE_JSON } from './file-columns.query.js';
import * as sql from './file-versions.query.js';
import type { Library } from './library.js';
import { addProcessing, addPurge, addTidying, hastenPurge } from './media-jobs.query.js';
import { isDoneLater } from './publication.js';
import { namesOfBlobs, type Blobs } from './typeorm-media-receipts.js';

/** A file after its content has changed. */
export interface ChangedFile {
  readonly id: number;
  readonly key: string;
  readonly version: number;
  readonly mime: string;
  /** Public keys that stand for something else now. */
  readonly keys: readonly string[];
  /** The receipt that the content came with; none for one that was kept. */
  readonly receiptId: number | undefined;
  /** The file as this change left it, as JSON text. */
  readonly data: string;
}

/** What an app and a call want of a change. */
export interface ChangeTerms {
  /** How long the earlier content is kept. */
  readonly retentionDays: number;
  /** Whether caches forget the earlier content. */
  readonly isPurged: boolean;
}

type Named = Pick<ChangedFile, 'id' | 'key' | 'version'>;
type Changed = Omit<ChangedFile, 'keys' | 'data'>;

interface LockedFile extends Blobs {
  readonly id: number;
  readonly key: string;
  readonly state: FileState;
  readonly version: number;
  readonly kind: string;
  /** Of its preset. */
  readonly widths: readonly number[];
}

/** Contents that a file has had before. */
export class TypeOrmMediaVersions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly library: Pick<Library, 'base' | 'isPublished'>,
  ) {}

  /** As JSON text, the latest first; `undefined` for a file that the app does not have. */
  async listJson(appId: number, fileId: number): Promise<string | undefined> {
    const [found] = await this.database.rows<{ data: string }>(sql.LIST, [appId, fileId, this.library.base]);
    return found?.data;
  }

  /** Whether a file can be given another content: checked before its bytes are stored, and again with it. */
  async replaceable(appId: number, fileId: number): Promise<Refusal | undefined | true> {
    const [file] = await this.database.rows<LockedFile>(sql.FIND, [appId, fileId]);
    if (file === undefined) return undefined;
    const step = stepOf('replace', file.state);
    return isRefusal(step) ? step : true;
  }

  /** Gives the file the content that was received, and keeps the one it had. */
  replace(
    appId: number,
    fileId: number,
    taken: TakenFile,
    terms: ChangeTerms,
  ): Promise<ChangedFile | Refusal | undefined> {
    return this.changed(appId, fileId, 'replace', terms, async (transaction, file) => {
      await this.keep(transaction, appId, file, terms);
      const { mime, kind, bytes, checksum, size, receipt } = taken;
      const isLater = isDoneLater(this.library, mime);
      if (isLater) await addProcessing(transaction, 'content', { appId, fileId, version: file.version + 1 });
      const values = [mime, kind, bytes, checksum, size?.width ?? null, size?.height ?? null];
      const all = [appId, file.id, receipt.id, ...values, isLater ? 'pending' : 'done', this.clock.now()];
      const [row] = await transaction.rows<Named>(sql.REPLACE, all);
      if (row === undefined) throw new Error('The upload took so long that its receipt was swept away');
      return { ...row, mime, receiptId: receipt.id };
    });
  }

  /** Brings a kept content back as a new version; the latest one unless another is wanted. */
  revert(
    appId: number,
    fileId: number,
    wanted: number | undefined,
    terms: ChangeTerms,
  ): Promise<ChangedFile | Refusal | undefined> {
    return this.changed(appId, fileId, 'revert', terms, async (transaction, file) => {
      const values = [appId, fileId, this.clock.now()];
      const kept = await transaction.rows<{ version: number; mime: string }>(sql.VERSIONS, values);
      const numbers = kept.map(({ version }) => version);
      const chosen = kept.find(({ version }) => version === versionToRevert(numbers, wanted));
      if (chosen === undefined) return NO_VERSION_TO_REVERT;
      await this.keep(transaction, appId, file, terms);
      const { version, mime } = chosen;
      const [next, isLater] = [file.version + 1, isDoneLater(this.library, mime)];
      // The content is as it was made then; what is derived of it is made again.
      if (isLater) await addProcessing(transaction, 'reverted', { appId, fileId, version: next, widths: file.widths });
      const state = isLater ? 'pending' : 'done';
      const reverted = [appId, fileId, version, kindOf(mime) ?? file.kind, state, this.clock.now()];
      const [row] = await transaction.rows<Named>(sql.REVERT, reverted);
      return { ...(row as Named), mime, receiptId: undefined };
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
      const [file] = await transaction.rows<LockedFile>(sql.LOCK, [appId, fileId]);
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
    for (const { appId } of await this.database.rows<{ appId: number }>(sql.OVER, [now])) {
      gone += await this.database.transaction((transaction) => expired(transaction, appId, now));
    }
    return gone;
  }

  private async changed(
    appId: number,
    fileId: number,
    action: 'replace' | 'revert',
    { isPurged }: ChangeTerms,
    change: (transaction: Transaction, file: LockedFile) => Promise<Changed | Refusal>,
  ): Promise<ChangedFile | Refusal | undefined> {
    const changed = await this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const [file] = await transaction.rows<LockedFile>(sql.LOCK, [appId, fileId]);
      if (file === undefined) return undefined;
      const step = stepOf(action, file.state);
      if (isRefusal(step)) return step;
      const changedFile = await change(transaction, file);
      if (isRefusal(changedFile)) return changedFile;
      const { mime, version } = changedFile;
      const derived = await transaction.rows<{ key: string }>(DERIVED_KEYS, [appId, fileId]);
      const keys = [file.key, versionKey(file.key, file.version), ...derived.map(({ key }) => key)];
      // Processing replaces what was made of the earlier content; where there is none, it goes at once.
      const gone = isProcessed(mime)
        ? []
        : await transaction.rows<{ content: string }>(sql.DROP_DERIVED, [appId, fileId]);
      await addTidying(transaction, { appId, blobs: gone.map(({ content }) => content), keys });
      // What is done now is purged by the call; a purge that waits from before need not wait any longer.
      if (!isDoneLater(this.library, mime)) await hastenPurge(transaction, appId, fileId);
      else if (isPurged) await addPurge(transaction, { appId, fileId, version, keys });
      // Read before others can change the file again.
      const data = await this.findJson(transaction, appId, fileId);
      return { ...changedFile, keys, data: data as string };
    });
    if (changed === undefined || isRefusal(changed) || !WriteOnce.isResumed()) return changed;
    // An earlier run has made the change; a repeat is answered with what the file is now.
    const data = await this.findJson(this.database, appId, fileId);
    return data === undefined ? undefined : { ...changed, data };
  }

  private async findJson(reader: Sql, appId: number, fileId: number): Promise<string | undefined> {
    const [found] = await reader.rows<{ data: string }>(FIND_FILE_JSON, [appId, fileId, this.library.base]);
    return found?.data;
  }

  private async keep(
    transaction: Transaction,
    appId: number,
    file: LockedFile,
    { retentionDays }: ChangeTerms,
  ): Promise<void> {
    const until = purgeAt(this.clock.now(), retentionDays);
    await transaction.rows(sql.KEEP_VERSION, [appId, file.id, versionKey(file.key, file.version), until]);
  }
}

async function expired(transaction: Transaction, appId: number, now: Date): Promise<number> {
  const gone = await transaction.rows<Blobs & { readonly key: string }>(sql.EXPIRE, [appId, now]);
  await addTidying(transaction, { appId, blobs: namesOfBlobs(gone), keys: gone.map(({ key }) => key) });
  return gone.length;
}
