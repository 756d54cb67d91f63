import { formatDateTime, isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import {
  isInitiallyPending,
  isProcessed,
  kindOf,
  NO_VERSION_TO_REVERT,
  VERSION_NOT_FOUND,
  blobKeysOf,
  fileEvents,
  purgeAt,
  stepOf,
  versionKey,
  replaceEntry,
  versionPurgeEntry,
  versionToRevert,
  type ChangedFile,
  type ChangeTerms,
  type FileVersionQueries,
  type FileVersions,
  type PublicLibrary,
  type ReceivedContent,
} from '@back-office/media';
import { randomBytes } from 'node:crypto';
import { audit } from '../apps/audit-entries.js';
import { publish } from '../events/published-events.js';
import { MemoryKeyedWrite } from '../keyed-write.js';
import { sortBy } from '../lists.js';
import type { State } from '../state.js';
import { derivedKeys, dropDerivedFiles } from './derived-files.js';
import { fileJson, fileOf } from './files.js';
import { JobList } from './job-list.js';
import type { FileRecord, VersionRecord } from './records.js';

const MAX_EXPIRED_PER_BATCH = 500;
const SECRET_BYTES = 16;

type NextContent = Pick<FileRecord, 'content' | 'original' | 'mime' | 'kind' | 'size' | 'width' | 'height'>;

export class MemoryFileVersions implements FileVersions, FileVersionQueries {
  private readonly jobs: JobList;

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
    private readonly library: PublicLibrary,
  ) {
    this.jobs = new JobList(state, clock);
  }

  async list(appId: number, fileId: number): Promise<string | undefined> {
    if (fileOf(this.state, appId, fileId) === undefined) return undefined;
    const versions = sortBy(this.versionsOf(appId, fileId), [({ version }) => -version]);
    return JSON.stringify(
      versions.map(({ version, size, mime, key, inserted_at: insertedAt, purge_at: purge }) => ({
        version,
        size,
        mime,
        url: `${this.library.base}/${key}`,
        inserted_at: formatDateTime(insertedAt),
        purge_at: formatDateTime(purge),
      })),
    );
  }

  async checkReplaceable(appId: number, fileId: number): Promise<Refusal | true | undefined> {
    const file = this.findReplaceable(appId, fileId);
    return file === undefined || isRefusal(file) ? file : true;
  }

  async replace(
    appId: number,
    fileId: number,
    { receipt, ...upload }: ReceivedContent,
    terms: ChangeTerms,
  ): Promise<ChangedFile | Refusal | undefined> {
    return this.changeContent(appId, fileId, terms, (file) => {
      const receiptRecord = this.state.files.get(appId, receipt.id);
      if (receiptRecord?.state !== 'receiving')
        throw new Error('The upload took so long that its receipt was swept away');
      this.state.files.delete(appId, receipt.id);
      const { content, original } = receiptRecord;
      const { mime, kind, bytes, size } = upload;
      const { width = null, height = null } = size ?? {};
      const nextContent = { content, original, mime, kind, size: bytes, width, height };
      if (isInitiallyPending(this.library, mime)) {
        this.jobs.addProcessing('content', { appId, fileId, version: file.version + 1 });
      }
      return [nextContent, receipt.id];
    });
  }

  async revert(
    appId: number,
    fileId: number,
    requestedVersion: number | undefined,
    terms: ChangeTerms,
  ): Promise<ChangedFile | Refusal | undefined> {
    return this.changeContent(appId, fileId, terms, (file) => {
      const now = this.clock.now();
      const keptVersions = this.versionsOf(appId, fileId).filter(({ purge_at: purge }) => purge > now);
      const keptNumbers = keptVersions.map(({ version }) => version);
      const versionToRestore = keptVersions.find(
        ({ version }) => version === versionToRevert(keptNumbers, requestedVersion),
      );
      if (versionToRestore === undefined) return NO_VERSION_TO_REVERT;
      const { content, original, mime, size, width, height } = versionToRestore;
      const nextContent = { content, original, mime, kind: kindOf(mime) ?? file.kind, size, width, height };
      // Queues processing again, because a kept version has no renditions or pages.
      if (isInitiallyPending(this.library, mime)) {
        const payload = { appId, fileId, version: file.version + 1, widths: this.widthsOf(appId, file) };
        this.jobs.addProcessing('reverted', payload);
      }
      return [nextContent, undefined];
    });
  }

  async purge(appId: number, fileId: number, version: number): Promise<Refusal | true | undefined> {
    return this.state.memory.transaction(() => {
      const file = fileOf(this.state, appId, fileId);
      if (file === undefined) return undefined;
      const purged = this.versionsOf(appId, fileId).find((kept) => kept.version === version);
      if (purged === undefined) return VERSION_NOT_FOUND;
      this.state.fileVersions.delete(appId, purged.id);
      const keys = [file.key, ...derivedKeys(this.state, appId, fileId)];
      const withdrawn = [{ key: purged.key, version: 1 }, ...keys.map((key) => ({ key, version }))];
      audit(this.state, appId, this.clock.now(), [versionPurgeEntry(fileId, version)]);
      this.jobs.addTidying({ appId, blobs: blobKeysOf([purged]), keys: [], withdrawn });
      return true;
    });
  }

  async regenerate(
    appId: number,
    fileId: number,
    widths: readonly number[] | undefined,
  ): Promise<Refusal | true | undefined> {
    return this.state.memory.transaction(() => {
      const file = this.findReplaceable(appId, fileId);
      if (file === undefined || isRefusal(file)) return file;
      this.jobs.addProcessing('renditions', { appId, fileId, widths: widths ?? this.widthsOf(appId, file) });
      return true;
    });
  }

  async expire(): Promise<number> {
    const now = this.clock.now();
    let removedCount = 0;
    for (const appId of this.state.fileVersions.appIds()) {
      const hasExpired = ({ purge_at: purge }: VersionRecord) => purge <= now;
      const expiredVersions = sortBy(this.state.fileVersions.all(appId).filter(hasExpired), [
        (version) => version.file_id,
        (version) => version.version,
      ]).slice(0, MAX_EXPIRED_PER_BATCH);
      if (expiredVersions.length > 0) this.state.memory.transaction(() => this.remove(appId, expiredVersions));
      removedCount += expiredVersions.length;
    }
    return removedCount;
  }

  private async changeContent(
    appId: number,
    fileId: number,
    terms: ChangeTerms,
    change: (file: FileRecord) => readonly [next: NextContent, receiptId: number | undefined] | Refusal,
  ): Promise<ChangedFile | Refusal | undefined> {
    const changedFile = this.state.memory.transaction(() => {
      const file = this.findReplaceable(appId, fileId);
      if (file === undefined || isRefusal(file)) return file;
      const contentAndReceipt = change(file);
      if (isRefusal(contentAndReceipt)) return contentAndReceipt;
      const [nextContent, receiptId] = contentAndReceipt;
      const keptKey = versionKey(file.key, file.version, randomBytes(SECRET_BYTES).toString('hex'));
      const { key, mime, version } = this.put(appId, file, nextContent, keptKey, terms);
      audit(this.state, appId, this.clock.now(), [replaceEntry(fileId, version)]);
      publish(this.state, appId, this.clock.now(), fileEvents('file.replaced', [fileId]));
      const keys = this.tidyReplaced(appId, file, keptKey, mime);
      if (!isInitiallyPending(this.library, mime)) this.jobs.makePurgeDue(appId, fileId);
      else if (terms.isPurged) this.jobs.addPurge({ appId, fileId, version, keys });
      return { id: fileId, key, version, mime, keys, receiptId, data: this.json(appId, fileId) ?? '' };
    });
    if (changedFile === undefined || isRefusal(changedFile) || !MemoryKeyedWrite.isResumed()) return changedFile;
    // Reads the file again, because in a repeated keyed call it may have changed since the first run.
    const data = this.json(appId, fileId);
    return data === undefined ? undefined : { ...changedFile, data };
  }

  private put(
    appId: number,
    file: FileRecord,
    nextContent: NextContent,
    keptKey: string,
    { retentionDays }: ChangeTerms,
  ): FileRecord {
    const now = this.clock.now();
    const { id, version, content, original, mime, size, width, height, last_modified: writtenAt } = file;
    this.state.fileVersions.insert(appId, {
      file_id: id,
      version,
      key: keptKey,
      content,
      original,
      mime,
      size,
      width,
      height,
      inserted_at: writtenAt,
      purge_at: purgeAt(now, retentionDays),
    });
    const processing = isInitiallyPending(this.library, nextContent.mime) ? 'pending' : 'done';
    const changedFile: FileRecord = { ...file, ...nextContent, version: version + 1, processing, last_modified: now };
    this.state.files.put(appId, changedFile);
    return changedFile;
  }

  private tidyReplaced(appId: number, { id, key }: FileRecord, keptKey: string, mime: string): string[] {
    const keys = [key, keptKey, ...derivedKeys(this.state, appId, id)];
    // Processing replaces renditions and pages. A file that is not processed loses them here.
    const droppedFiles = isProcessed(mime) ? [] : dropDerivedFiles(this.state, appId, id);
    this.jobs.addTidying({ appId, blobs: droppedFiles.map(({ content }) => content), keys });
    return keys;
  }

  private findReplaceable(appId: number, fileId: number): FileRecord | Refusal | undefined {
    const file = fileOf(this.state, appId, fileId);
    const step = file && stepOf('replace', file.state);
    return isRefusal(step) ? step : file;
  }

  private remove(appId: number, versions: readonly VersionRecord[]): void {
    for (const { id } of versions) this.state.fileVersions.delete(appId, id);
    this.jobs.addTidying({ appId, blobs: blobKeysOf(versions), keys: versions.map(({ key }) => key) });
  }

  private versionsOf(appId: number, fileId: number): VersionRecord[] {
    return this.state.fileVersions.all(appId).filter((version) => version.file_id === fileId);
  }

  private widthsOf(appId: number, { preset_id: presetId }: FileRecord): readonly number[] {
    return this.state.uploadPresets.get(appId, presetId ?? 0)?.rendition_widths ?? [];
  }

  private json(appId: number, fileId: number): string | undefined {
    return fileJson(this.state, appId, fileId, this.library.base);
  }
}
