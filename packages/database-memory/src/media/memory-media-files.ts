import { asciiOf } from '@back-office/database-search';
import { isRefusal, refuse, type Clock, type Refusal } from '@back-office/kernel';
import {
  FILE_NAME_TAKEN,
  FILE_NOT_FOUND,
  fileKey,
  freeName,
  isInitiallyPending,
  keyCandidate,
  stepOf,
  unusedSince,
  type FileEdit,
  type MediaApp,
  type MediaFiles,
  type NewFile,
  type PublicLibrary,
  type ReceivedContent,
  type StoredFile,
} from '@back-office/media';
import { MemoryKeyedWrite } from '../keyed-write.js';
import { INSTALLATION } from '../apps/memory-apps.js';
import type { State } from '../state.js';
import { activeFiles, fileJson, fileOf, filesOf, presentFile, isUsed, searchTextOf } from './files.js';
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
    const stored = this.state.memory.transaction(() => {
      const preset = this.presetOf(app.id, file.presetId);
      if (preset === undefined && file.presetId !== undefined) return refuse('is invalid', 'preset_id');
      const filename = this.nameFor(app.id, file);
      if (isRefusal(filename)) return filename;
      makeFolders(this.state, app.id, [file.folder]);
      const key = this.freeKey(app.id, fileKey(app.prefix, file.folder, filename, asciiOf));
      const { id } = this.insert(app.id, content, file, { filename, key, preset_id: preset?.id ?? null });
      return { id, key, data: this.json(app.id, id) };
    });
    if (isRefusal(stored) || !MemoryKeyedWrite.isResumed()) return stored;
    // After an earlier run the file may have changed, so it is read again.
    return { ...stored, data: this.json(app.id, stored.id) };
  }

  async edit(appId: number, id: number, edit: FileEdit): Promise<string | Refusal> {
    return this.state.memory.transaction(() => {
      const file = fileOf(this.state, appId, id);
      if (file === undefined || isRefusal(stepOf('edit', file.state))) return FILE_NOT_FOUND;
      const edited = editedFile(file, edit, this.clock.now());
      const others = activeFiles(this.state, appId, file.folder).filter((other) => other.id !== id);
      if (others.some(({ filename }) => filename === edited.filename)) return FILE_NAME_TAKEN;
      this.state.files.put(appId, edited);
      return JSON.stringify(presentFile(this.state, appId, edited, this.library.base, { withUrl: false }));
    });
  }

  async hideUnused(): Promise<number> {
    const now = this.clock.now();
    let hidden = 0;
    for (const { id, settings } of this.state.apps.all(INSTALLATION)) {
      const days = settings.media?.auto_hide_unused_days ?? null;
      if (days !== null) hidden += this.hideUnusedOf(id, days, now);
    }
    return hidden;
  }

  private hideUnusedOf(appId: number, days: number, now: Date): number {
    const since = unusedSince(now, days);
    const unused = activeFiles(this.state, appId)
      .filter((file) => !file.hidden && !file.stays_visible)
      .filter((file) => file.last_modified <= since && !isUsed(this.state, appId, file.key));
    const hidden = { hidden: true, hidden_by: 'auto', hidden_at: now };
    for (const file of unused) this.state.files.put(appId, { ...file, ...hidden });
    return unused.length;
  }

  private insert(
    appId: number,
    { receipt, kind, mime, bytes, size }: ReceivedContent,
    { folder, alt, caption, description, tags, source }: NewFile,
    names: Pick<FileRecord, 'filename' | 'key' | 'preset_id'>,
  ): FileRecord {
    const received = this.state.files.get(appId, receipt.id);
    if (received === undefined || stepOf('store', received.state) !== 'active')
      throw new Error('The upload took so long that its receipt was swept away');
    const now = this.clock.now();
    const isLater = isInitiallyPending(this.library, mime);
    if (isLater) this.jobs.addProcessing('content', { appId, fileId: receipt.id, version: 1 });
    const file: FileRecord = {
      ...NEW_FILE,
      ...names,
      id: receipt.id,
      content: received.content,
      original: received.original,
      folder,
      kind,
      mime,
      size: bytes,
      width: size?.width ?? null,
      height: size?.height ?? null,
      processing: isLater ? 'pending' : 'done',
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
    const taken = new Set(activeFiles(this.state, appId, folder).map(({ filename }) => filename));
    return !taken.has(name) || onConflict === 'rename' ? freeName(name, taken) : FILE_NAME_TAKEN;
  }

  /** The wanted key, with a number if it is taken. */
  private freeKey(appId: number, wanted: string): string {
    const taken = new Set(filesOf(this.state, appId).map(({ key }) => key));
    let key = wanted;
    for (let attempt = 2; taken.has(key); attempt += 1) key = keyCandidate(wanted, attempt);
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

function editedFile(file: FileRecord, edit: FileEdit, now: Date): FileRecord {
  const { name: filename = file.filename, alt = file.alt, caption = file.caption, tags = file.tags } = edit;
  const { hidden = file.hidden, hiddenNote = file.hidden_note } = edit;
  const words = { filename, alt, caption, tags: [...tags] };
  return {
    ...file,
    ...words,
    search_text: searchTextOf(words),
    hidden,
    stays_visible: edit.hidden === undefined ? file.stays_visible : !edit.hidden,
    hidden_by: hidden ? (file.hidden_by ?? 'app') : null,
    hidden_at: hidden ? (file.hidden_at ?? now) : null,
    hidden_note: hidden ? hiddenNote : null,
  };
}
