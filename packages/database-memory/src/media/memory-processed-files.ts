import type { Clock } from '@back-office/kernel';
import {
  fileEvents,
  WITHOUT_PRESET,
  type FileToProcess,
  type ProcessedFileQueries,
  type ProcessedFiles,
  type ProcessingResult,
  type PublicLibrary,
} from '@back-office/media';
import { NO_APP_ID } from '../apps/memory-apps.js';
import { publish } from '../events/published-events.js';
import type { State } from '../state.js';
import {
  derivedKeys,
  derivedOf,
  dropDerivedFiles,
  keptWidths,
  pagesOf,
  renditionsOf,
  retiredOf,
} from './derived-files.js';
import { fileJson, fileOf, filesOf } from './files.js';
import { JobList } from './job-list.js';
import type { FileRecord, PageRecord, RenditionRecord, UploadPresetRecord } from './records.js';

type DerivedFile = RenditionRecord | PageRecord;

export class MemoryProcessedFiles implements ProcessedFiles, ProcessedFileQueries {
  private readonly jobs: JobList;

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
    private readonly library: Pick<PublicLibrary, 'base'>,
  ) {
    this.jobs = new JobList(state, clock);
  }

  async find(appId: number, fileId: number): Promise<FileToProcess | undefined> {
    const file = fileOf(this.state, appId, fileId);
    const app = this.state.apps.get(NO_APP_ID, appId);
    if (file === undefined || app === undefined) return undefined;
    const { id, key, mime, kind, size, version, content, original, processing } = file;
    const preset = this.state.uploadPresets.get(appId, file.preset_id ?? 0);
    const fileFields = { id, key, prefix: app.media_prefix, mime, kind, size, version, content, original, processing };
    const widths = { keptWidths: keptWidths(this.state, appId, id, version) };
    return { ...fileFields, ...presetFieldsOf(preset), ...widths };
  }

  async derivedKeys(appId: number, fileId: number): Promise<string[]> {
    return derivedKeys(this.state, appId, fileId);
  }

  async record(appId: number, file: FileToProcess, result: ProcessingResult): Promise<readonly string[] | false> {
    return this.ifUnchanged(appId, file, file.content, (currentFile) => {
      const { main, renditions, pages } = result;
      const replacedFiles = derivedOf(this.state, appId, file.id).filter(makeResultMatcher(result, file.version));
      this.putRenditions(appId, file, renditions);
      this.putPages(appId, file, pages);
      const retiredFiles = retiredOf(this.state, appId, file.id);
      const keys = [...new Set([file, ...renditions, ...pages, ...retiredFiles].map(({ key }) => key))];
      const blobs = [...replacedFiles.map(({ content }) => content), ...(main ? [file.content] : [])];
      this.jobs.addTidying({ appId, blobs, keys });
      this.state.files.put(appId, { ...currentFile, ...contentOf(currentFile, result) });
      return keys;
    });
  }

  async list(appId: number, file: FileToProcess, result: ProcessingResult): Promise<readonly string[] | false> {
    return this.ifUnchanged(appId, file, result.main?.content ?? file.content, (currentFile) => {
      const belongsToResult = makeResultMatcher(result, file.version);
      const isReplaced = (derived: DerivedFile) => 'page' in derived || result.replacesRenditions;
      const droppedFiles = dropDerivedFiles(
        this.state,
        appId,
        file.id,
        (derived) => derived.version < file.version || (isReplaced(derived) && !isInResult(result, derived)),
      );
      const keptKeys = new Set([...result.renditions, ...result.pages].map(({ key }) => key));
      const keys = droppedFiles.map(({ key }) => key).filter((key) => !keptKeys.has(key));
      this.jobs.addTidying({ appId, blobs: droppedFiles.map(({ content }) => content), keys });
      this.jobs.makePurgeDue(appId, file.id);
      for (const rendition of renditionsOf(this.state, appId, file.id).filter(belongsToResult)) {
        this.state.renditions.put(appId, { ...rendition, listed: true });
      }
      for (const page of pagesOf(this.state, appId, file.id).filter(belongsToResult)) {
        this.state.pages.put(appId, { ...page, listed: true });
      }
      this.state.files.put(appId, { ...currentFile, processing: 'done' });
      this.publishProcessed(appId, file.id);
      return keys;
    });
  }

  async fail(appId: number, id: number, version: number): Promise<void> {
    this.state.memory.transaction(() => {
      const file = this.findPending(appId, id, version);
      if (file === undefined) return;
      this.state.files.put(appId, { ...file, processing: 'failed' });
      this.publishProcessed(appId, id);
      const droppedFiles = dropDerivedFiles(
        this.state,
        appId,
        id,
        (derived) => derived.version < version || !derived.listed,
      );
      const blobs = droppedFiles.map(({ content }) => content);
      this.jobs.addTidying({ appId, blobs, keys: droppedFiles.map(({ key }) => key) });
      this.jobs.makePurgeDue(appId, id);
    });
  }

  async finish(appId: number, id: number, version: number): Promise<string | undefined> {
    // Uses no transaction, because a running keyed call would take the transaction for its own write.
    const file = this.findPending(appId, id, version);
    if (file === undefined) return undefined;
    this.state.files.put(appId, { ...file, processing: 'done' });
    this.publishProcessed(appId, id);
    return fileJson(this.state, appId, id, this.library.base);
  }

  async revive(before: Date): Promise<void> {
    this.jobs.revive();
    for (const appId of this.state.files.appIds()) {
      const filesWithoutJob = filesOf(this.state, appId).filter(
        ({ id, processing, last_modified: lastModified }) =>
          processing === 'pending' && lastModified < before && !this.jobs.hasPendingProcessing(appId, id),
      );
      for (const { id, version } of filesWithoutJob) await this.fail(appId, id, version);
    }
  }

  private publishProcessed(appId: number, id: number): void {
    publish(this.state, appId, this.clock.now(), fileEvents('file.processed', [id]));
  }

  private findPending(appId: number, id: number, version: number): FileRecord | undefined {
    const file = fileOf(this.state, appId, id);
    return file?.version === version && file.processing === 'pending' ? file : undefined;
  }

  private ifUnchanged<Result>(
    appId: number,
    { id, version }: FileToProcess,
    content: string,
    work: (file: FileRecord) => Result,
  ): Result | false {
    return this.state.memory.transaction(() => {
      const file = fileOf(this.state, appId, id);
      return file?.version === version && file.content === content ? work(file) : false;
    });
  }

  /** Keeps a listed rendition listed when it is stored again, because its public copy exists. */
  private putRenditions(
    appId: number,
    { id, version }: FileToProcess,
    renditions: ProcessingResult['renditions'],
  ): void {
    const existingRenditions = renditionsOf(this.state, appId, id).filter((rendition) => rendition.version === version);
    for (const rendition of renditions) {
      const existingRendition = existingRenditions.find(({ label }) => label === rendition.label);
      if (existingRendition) this.state.renditions.put(appId, { ...existingRendition, ...rendition });
      else this.state.renditions.insert(appId, { ...rendition, file_id: id, version, listed: false });
    }
  }

  private putPages(appId: number, { id, version }: FileToProcess, pages: ProcessingResult['pages']): void {
    const existingPages = pagesOf(this.state, appId, id).filter((page) => page.version === version);
    for (const page of pages) {
      const existingPage = existingPages.find((candidate) => candidate.page === page.page);
      if (existingPage) this.state.pages.put(appId, { ...existingPage, ...page });
      else this.state.pages.insert(appId, { ...page, file_id: id, version, listed: false });
    }
  }
}

function presetFieldsOf(preset: UploadPresetRecord | undefined) {
  return {
    outputFormat: preset?.output_format ?? WITHOUT_PRESET.outputFormat,
    maxWidth: preset?.max_width ?? WITHOUT_PRESET.maxWidth,
    quality: preset?.quality ?? WITHOUT_PRESET.quality,
    renditionWidths: preset?.rendition_widths ?? WITHOUT_PRESET.renditionWidths,
  };
}

function isInResult({ renditions, pages }: ProcessingResult, derived: DerivedFile): boolean {
  if ('page' in derived) return pages.some(({ page }) => page === derived.page);
  return renditions.some(({ label }) => label === derived.label);
}

function makeResultMatcher(result: ProcessingResult, version: number): (derived: DerivedFile) => boolean {
  return (derived) => derived.version === version && isInResult(result, derived);
}

function contentOf(file: FileRecord, { main, width, height }: ProcessingResult): Partial<FileRecord> {
  if (main) return { content: main.content, mime: main.mime, size: main.size, width: main.width, height: main.height };
  return { width: width ?? file.width, height: height ?? file.height };
}
