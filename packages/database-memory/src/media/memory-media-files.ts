import { asciiOf } from '@back-office/database';
import { isRefusal, refuse, type Clock, type Refusal } from '@back-office/kernel';
import {
  FILE_NAME_TAKEN,
  FILE_NOT_FOUND,
  fileEvents,
  fileKey,
  freeName,
  isInitiallyPending,
  keyCandidate,
  stepOf,
  unusedCutoff,
  type FileEdit,
  type MediaApp,
  type MediaFiles,
  type NewFile,
  type PublicLibrary,
  type ReceivedContent,
  type StoredFile,
} from '@back-office/media';
import { MemoryKeyedWrite } from '../keyed-write.js';
import { NO_APP_ID } from '../apps/memory-apps.js';
import { publish } from '../events/published-events.js';
import type { State } from '../state.js';
import { activeFiles, fileJson, fileOf, filesOf, keyHash, presentFile, isUsed, searchTextOf } from './files.js';
import { makeFolders } from './folders.js';
import { JobList } from './job-list.js';
import type { FileRecord, UploadPresetRecord } from './records.js';

export class MemoryMediaFiles implements MediaFiles {
  private readonly jobs: JobList;

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
    private readonly library: PublicLibrary,
  ) {
    this.jobs = new JobList(state, clock);
  }

  async store(app: MediaApp, content: ReceivedContent, file: NewFile): Promise<StoredFile | Refusal> {
    const storedFile = this.state.memory.transaction(() => {
      const preset = this.presetOf(app.id, file.presetId);
      if (preset === undefined && file.presetId !== undefined) return refuse('is invalid', 'preset_id');
      const filename = this.nameFor(app.id, file);
      if (isRefusal(filename)) return filename;
      makeFolders(this.state, app.id, [file.folder]);
      const key = this.freeKey(app.id, fileKey(app.prefix, file.folder, filename, asciiOf));
      const { id } = this.insert(app.id, content, file, { filename, key, preset_id: preset?.id ?? null });
      publish(this.state, app.id, this.clock.now(), fileEvents('file.created', [id]));
      return { id, key, data: this.json(app.id, id) };
    });
    if (isRefusal(storedFile) || !MemoryKeyedWrite.isResumed()) return storedFile;
    // Reads the file again, because in a repeated keyed call it may have changed since the first run.
    return { ...storedFile, data: this.json(app.id, storedFile.id) };
  }

  async edit(appId: number, id: number, edit: FileEdit): Promise<string | Refusal> {
    return this.state.memory.transaction(() => {
      const file = fileOf(this.state, appId, id);
      if (file === undefined || isRefusal(stepOf('edit', file.state))) return FILE_NOT_FOUND;
      const changedFile = applyEdit(file, edit, this.clock.now());
      const otherFiles = activeFiles(this.state, appId, file.folder).filter((otherFile) => otherFile.id !== id);
      if (otherFiles.some(({ filename }) => filename === changedFile.filename)) return FILE_NAME_TAKEN;
      this.state.files.put(appId, changedFile);
      publish(this.state, appId, this.clock.now(), fileEvents('file.updated', [id]));
      return JSON.stringify(presentFile(this.state, appId, changedFile, this.library.base, { hasUrl: false }));
    });
  }

  async hideUnused(): Promise<number> {
    const now = this.clock.now();
    let hiddenCount = 0;
    for (const { id, settings } of this.state.apps.all(NO_APP_ID)) {
      const days = settings.media?.auto_hide_unused_days ?? null;
      if (days !== null) hiddenCount += this.hideUnusedOf(id, days, now);
    }
    return hiddenCount;
  }

  private hideUnusedOf(appId: number, days: number, now: Date): number {
    const since = unusedCutoff(now, days);
    const unusedFiles = activeFiles(this.state, appId)
      .filter((file) => !file.hidden && !file.stays_visible)
      .filter((file) => file.last_modified <= since && !isUsed(this.state, appId, file.key));
    const hiddenFields = { hidden: true, hidden_by: 'auto', hidden_at: now };
    for (const file of unusedFiles) this.state.files.put(appId, { ...file, ...hiddenFields });
    publish(
      this.state,
      appId,
      now,
      fileEvents(
        'file.updated',
        unusedFiles.map(({ id }) => id),
      ),
    );
    return unusedFiles.length;
  }

  private insert(
    appId: number,
    { receipt, kind, mime, bytes, size }: ReceivedContent,
    { folder, alt, caption, description, tags, source }: NewFile,
    names: Pick<FileRecord, 'filename' | 'key' | 'preset_id'>,
  ): FileRecord {
    const receiptRecord = this.state.files.get(appId, receipt.id);
    if (receiptRecord === undefined || stepOf('store', receiptRecord.state) !== 'active')
      throw new Error('The upload took so long that its receipt was swept away');
    const now = this.clock.now();
    const isPending = isInitiallyPending(this.library, mime);
    if (isPending) this.jobs.addProcessing('content', { appId, fileId: receipt.id, version: 1 });
    const file: FileRecord = {
      ...NEW_FILE,
      ...names,
      id: receipt.id,
      content: receiptRecord.content,
      original: receiptRecord.original,
      folder,
      kind,
      mime,
      size: bytes,
      width: size?.width ?? null,
      height: size?.height ?? null,
      processing: isPending ? 'pending' : 'done',
      alt,
      caption,
      description,
      tags: [...tags],
      source,
      search_text: searchTextOf({ filename: names.filename, alt, caption, tags }),
      last_modified: now,
      inserted_at: now,
    };
    this.state.files.put(appId, file);
    return file;
  }

  private presetOf(appId: number, id: number | undefined): UploadPresetRecord | undefined {
    const { uploadPresets } = this.state;
    return id === undefined ? uploadPresets.find(appId, (preset) => preset.is_default) : uploadPresets.get(appId, id);
  }

  private nameFor(appId: number, { name, folder, onConflict }: NewFile): string | Refusal {
    const takenNames = new Set(activeFiles(this.state, appId, folder).map(({ filename }) => filename));
    return !takenNames.has(name) || onConflict === 'rename' ? freeName(name, takenNames) : FILE_NAME_TAKEN;
  }

  private freeKey(appId: number, preferredKey: string): string {
    const takenKeys = new Set(filesOf(this.state, appId).map(({ key }) => key));
    const purgedHashes = new Set(this.state.purgedKeys.all(appId).map(({ hash }) => hash));
    const isTaken = (key: string) => takenKeys.has(key) || purgedHashes.has(keyHash(key));
    let key = preferredKey;
    for (let attempt = 2; isTaken(key); attempt += 1) key = keyCandidate(preferredKey, attempt);
    return key;
  }

  private json(appId: number, id: number): string {
    return fileJson(this.state, appId, id, this.library.base) ?? 'null';
  }
}

const NEW_FILE = {
  state: 'active',
  version: 1,
  hidden: false,
  hidden_by: null,
  hidden_at: null,
  hidden_note: null,
  stays_visible: false,
  deleted_at: null,
  deleted_by: null,
  purge_at: null,
} as const;

function applyEdit(file: FileRecord, edit: FileEdit, now: Date): FileRecord {
  const { name: filename = file.filename, alt = file.alt, caption = file.caption, tags = file.tags } = edit;
  const { hidden = file.hidden, hiddenNote = file.hidden_note } = edit;
  const textFields = { filename, alt, caption, tags: [...tags] };
  return {
    ...file,
    ...textFields,
    search_text: searchTextOf(textFields),
    hidden,
    stays_visible: edit.hidden === undefined ? file.stays_visible : !edit.hidden,
    hidden_by: hidden ? (file.hidden_by ?? 'app') : null,
    hidden_at: hidden ? (file.hidden_at ?? now) : null,
    hidden_note: hidden ? hiddenNote : null,
  };
}
