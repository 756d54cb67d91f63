import { randomBytes } from 'node:crypto';
import { isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import {
  isProcessed,
  kindOf,
  NO_VERSION_TO_REVERT,
  VERSION_NOT_FOUND,
  blobKeysOf,
  fileEvents,
  purgeAt,
  replaceEntry,
  stepOf,
  versionKey,
  versionPurgeEntry,
  versionToRevert,
  type Blobs,
  type ChangedFile,
  type ChangeTerms,
  type FileState,
  type FileVersionQueries,
  type FileVersions,
  isInitiallyPending,
  type PublicLibrary,
  type ReceivedContent,
} from '@back-office/media';
import { addProcessing, addPurge, addTidying, schedulePurgeNow } from '../processing/media-jobs.js';
import type { Postgres } from '../../connection/postgres.js';
import type { Transaction } from '../../connection/transaction.js';
import { WriteOnce } from '../../connection/write-once.js';
import { DERIVED_KEYS, findFileJson } from './file-columns.js';
import * as sql from './file-version-statements.js';

const SECRET_BYTES = 16;

type ChangedRow = Pick<ChangedFile, 'id' | 'key' | 'version'>;
type ContentChange = Omit<ChangedFile, 'keys' | 'data'>;

interface LockedFile extends Blobs {
  readonly id: number;
  readonly key: string;
  readonly state: FileState;
  readonly version: number;
  readonly kind: string;
  readonly widths: readonly number[];
}

export class SqlFileVersions implements FileVersions, FileVersionQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
    private readonly library: PublicLibrary,
  ) {}

  async list(appId: number, fileId: number): Promise<string | undefined> {
    const [row] = await this.database.rows<{ data: string }>(sql.LIST_VERSIONS, [appId, fileId, this.library.base]);
    return row?.data;
  }

  async checkReplaceable(appId: number, fileId: number): Promise<Refusal | undefined | true> {
    const [file] = await this.database.rows<LockedFile>(sql.FIND_FILE, [appId, fileId]);
    if (file === undefined) return undefined;
    const step = stepOf('replace', file.state);
    return isRefusal(step) ? step : true;
  }

  replace(
    appId: number,
    fileId: number,
    content: ReceivedContent,
    terms: ChangeTerms,
  ): Promise<ChangedFile | Refusal | undefined> {
    return this.changeFile(appId, fileId, 'replace', terms, async (transaction, file, keptKey) => {
      await this.keepVersion(transaction, appId, file, keptKey, terms);
      const { mime, kind, bytes, checksum, size, receipt } = content;
      const isPending = isInitiallyPending(this.library, mime);
      if (isPending) await addProcessing(transaction, 'content', { appId, fileId, version: file.version + 1 });
      const values = [mime, kind, bytes, checksum, size?.width ?? null, size?.height ?? null];
      const parameters = [appId, file.id, receipt.id, ...values, isPending ? 'pending' : 'done', this.clock.now()];
      const [row] = await transaction.rows<ChangedRow>(sql.REPLACE_CONTENT, parameters);
      if (row === undefined) throw new Error('The upload took so long that its receipt was swept away');
      return { ...row, mime, receiptId: receipt.id };
    });
  }

  revert(
    appId: number,
    fileId: number,
    desiredVersion: number | undefined,
    terms: ChangeTerms,
  ): Promise<ChangedFile | Refusal | undefined> {
    return this.changeFile(appId, fileId, 'revert', terms, async (transaction, file, keptKey) => {
      const values = [appId, fileId, this.clock.now()];
      const keptVersions = await transaction.rows<{ version: number; mime: string }>(sql.LOCK_VERSIONS, values);
      const numbers = keptVersions.map(({ version }) => version);
      const chosenVersion = keptVersions.find(({ version }) => version === versionToRevert(numbers, desiredVersion));
      if (chosenVersion === undefined) return NO_VERSION_TO_REVERT;
      await this.keepVersion(transaction, appId, file, keptKey, terms);
      const { version, mime } = chosenVersion;
      const [nextVersion, isPending] = [file.version + 1, isInitiallyPending(this.library, mime)];
      // Processing only makes the derived files again, because the content of a kept version is already processed.
      if (isPending)
        await addProcessing(transaction, 'reverted', { appId, fileId, version: nextVersion, widths: file.widths });
      const state = isPending ? 'pending' : 'done';
      const parameters = [appId, fileId, version, kindOf(mime) ?? file.kind, state, this.clock.now()];
      const [row] = await transaction.rows<ChangedRow>(sql.REVERT_CONTENT, parameters);
      return { ...(row as ChangedRow), mime, receiptId: undefined };
    });
  }

  purge(appId: number, fileId: number, version: number): Promise<Refusal | true | undefined> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const [file] = await transaction.rows<LockedFile>(sql.LOCK_FILE, [appId, fileId]);
      if (file === undefined) return undefined;
      const [purged] = await transaction.rows<Blobs & { readonly key: string }>(sql.PURGE_VERSION, [
        appId,
        fileId,
        version,
      ]);
      if (purged === undefined) return VERSION_NOT_FOUND;
      const derivedFiles = await transaction.rows<{ key: string }>(DERIVED_KEYS, [appId, fileId]);
      const withdrawn = [
        { key: purged.key, version: 1 },
        ...[file, ...derivedFiles].map(({ key }) => ({ key, version })),
      ];
      transaction.record(appId, this.clock.now(), { entries: [versionPurgeEntry(fileId, version)] });
      await addTidying(transaction, { appId, blobs: blobKeysOf([purged]), keys: [], withdrawn });
      return true;
    });
  }

  regenerate(
    appId: number,
    fileId: number,
    widths: readonly number[] | undefined,
  ): Promise<Refusal | true | undefined> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const [file] = await transaction.rows<LockedFile>(sql.LOCK_FILE, [appId, fileId]);
      if (file === undefined) return undefined;
      const step = stepOf('replace', file.state);
      if (isRefusal(step)) return step;
      await addProcessing(transaction, 'renditions', { appId, fileId, widths: widths ?? file.widths });
      return true;
    });
  }

  async expire(): Promise<number> {
    const now = this.clock.now();
    let removedCount = 0;
    for (const { appId } of await this.database.rows<{ appId: number }>(sql.FIND_APPS_WITH_EXPIRED, [now])) {
      removedCount += await this.database.transaction((transaction) => expireVersions(transaction, appId, now));
    }
    return removedCount;
  }

  private async changeFile(
    appId: number,
    fileId: number,
    action: 'replace' | 'revert',
    { isPurged }: ChangeTerms,
    change: (transaction: Transaction, file: LockedFile, keptKey: string) => Promise<ContentChange | Refusal>,
  ): Promise<ChangedFile | Refusal | undefined> {
    const result = await this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const [file] = await transaction.rows<LockedFile>(sql.LOCK_FILE, [appId, fileId]);
      if (file === undefined) return undefined;
      const step = stepOf(action, file.state);
      if (isRefusal(step)) return step;
      const keptKey = versionKey(file.key, file.version, randomSecret());
      const contentChange = await change(transaction, file, keptKey);
      if (isRefusal(contentChange)) return contentChange;
      const { mime, version } = contentChange;
      transaction.record(appId, this.clock.now(), {
        entries: [replaceEntry(fileId, version)],
        events: fileEvents('file.replaced', [fileId]),
      });
      const derivedFiles = await transaction.rows<{ key: string }>(DERIVED_KEYS, [appId, fileId]);
      const keys = [file.key, keptKey, ...derivedFiles.map(({ key }) => key)];
      // Processing replaces renditions and pages. A file that is not processed loses them here.
      const droppedFiles = isProcessed(mime)
        ? []
        : await transaction.rows<{ content: string }>(sql.DROP_DERIVED, [appId, fileId]);
      await addTidying(transaction, { appId, blobs: droppedFiles.map(({ content }) => content), keys });
      // A purge that an earlier change has queued waits for processing, but this content is not processed.
      if (!isInitiallyPending(this.library, mime)) await schedulePurgeNow(transaction, appId, fileId);
      else if (isPurged) await addPurge(transaction, { appId, fileId, version, keys });
      const data = await findFileJson(transaction, appId, fileId, this.library.base);
      return { ...contentChange, keys, data: data as string };
    });
    if (result === undefined || isRefusal(result) || !WriteOnce.isResumed()) return result;
    const data = await findFileJson(this.database, appId, fileId, this.library.base);
    return data === undefined ? undefined : { ...result, data };
  }

  private async keepVersion(
    transaction: Transaction,
    appId: number,
    file: LockedFile,
    keptKey: string,
    { retentionDays }: ChangeTerms,
  ): Promise<void> {
    const purgedAt = purgeAt(this.clock.now(), retentionDays);
    await transaction.rows(sql.KEEP_VERSION, [appId, file.id, keptKey, purgedAt]);
  }
}

function randomSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

async function expireVersions(transaction: Transaction, appId: number, now: Date): Promise<number> {
  const expiredVersions = await transaction.rows<Blobs & { readonly key: string }>(sql.EXPIRE_VERSIONS, [appId, now]);
  await addTidying(transaction, {
    appId,
    blobs: blobKeysOf(expiredVersions),
    keys: expiredVersions.map(({ key }) => key),
  });
  return expiredVersions.length;
}
