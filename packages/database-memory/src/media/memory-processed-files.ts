import type { Clock } from '@back-office/kernel';
import {
  WITHOUT_PRESET,
  type FileToProcess,
  type ProcessedFileQueries,
  type ProcessedFiles,
  type ProcessingResult,
  type PublicLibrary,
} from '@back-office/media';
import { INSTALLATION } from '../apps/memory-apps.js';
import type { State } from '../state.js';
import { derivedKeys, derivedOf, dropDerived, pagesOf, renditionsOf } from './derived-files.js';
import { fileJson, fileOf, filesOf } from './files.js';
import { JobList } from './job-list.js';
import type { FileRecord, PageRecord, RenditionRecord, UploadPresetRecord } from './records.js';

type Derived = RenditionRecord | PageRecord;

export class MemoryProcessedFiles implements ProcessedFiles, ProcessedFileQueries {
  private readonly jobs: JobList;

  constructor(
    private readonly state: State,
    clock: Clock,
    private readonly library: Pick<PublicLibrary, 'base'>,
  ) {
    this.jobs = new JobList(state, clock);
  }

  async find(appId: number, fileId: number): Promise<FileToProcess | undefined> {
    const file = fileOf(this.state, appId, fileId);
    const app = this.state.apps.get(INSTALLATION, appId);
    if (file === undefined || app === undefined) return undefined;
    const { id, key, mime, kind, size, version, content, original, processing } = file;
    const preset = this.state.uploadPresets.get(appId, file.preset_id ?? 0);
    const names = { id, key, prefix: app.media_prefix, mime, kind, size, version, content, original, processing };
    return { ...names, ...termsOf(preset) };
  }

  async derivedKeys(appId: number, fileId: number): Promise<string[]> {
    return derivedKeys(this.state, appId, fileId);
  }

  async record(appId: number, file: FileToProcess, made: ProcessingResult): Promise<readonly string[] | false> {
    return this.whileUnchanged(appId, file, file.content, (found) => {
      const { main, renditions, pages } = made;
      const replaced = derivedOf(this.state, appId, file.id).filter(isMade(made, file.version));
      this.putRenditions(appId, file, renditions);
      this.putPages(appId, file, pages);
      const keys = [file.key, ...[...renditions, ...pages].map(({ key }) => key)];
      const blobs = [...replaced.map(({ content }) => content), ...(main ? [file.content] : [])];
      this.jobs.addTidying({ appId, blobs, keys });
      this.state.files.put(appId, { ...found, ...contentOf(found, made) });
      return keys;
    });
  }

  async list(appId: number, file: FileToProcess, made: ProcessingResult): Promise<readonly string[] | false> {
    return this.whileUnchanged(appId, file, made.main?.content ?? file.content, (found) => {
      const isListed = isMade(made, file.version);
      const isReplaced = (each: Derived) => 'page' in each || made.replacesRenditions;
      const dropped = dropDerived(
        this.state,
        appId,
        file.id,
        (each) => each.version < file.version || (isReplaced(each) && !isNamed(made, each)),
      );
      const kept = new Set([...made.renditions, ...made.pages].map(({ key }) => key));
      const keys = dropped.map(({ key }) => key).filter((key) => !kept.has(key));
      this.jobs.addTidying({ appId, blobs: dropped.map(({ content }) => content), keys });
      this.jobs.makePurgeDue(appId, file.id);
      for (const each of renditionsOf(this.state, appId, file.id).filter(isListed)) {
        this.state.renditions.put(appId, { ...each, listed: true });
      }
      for (const each of pagesOf(this.state, appId, file.id).filter(isListed)) {
        this.state.pages.put(appId, { ...each, listed: true });
      }
      this.state.files.put(appId, { ...found, processing: 'done' });
      return keys;
    });
  }

  async fail(appId: number, id: number, version: number): Promise<void> {
    this.state.memory.transaction(() => {
      const file = this.pending(appId, id, version);
      if (file === undefined) return;
      this.state.files.put(appId, { ...file, processing: 'failed' });
      const dropped = dropDerived(this.state, appId, id, (each) => each.version < version || !each.listed);
      const blobs = dropped.map(({ content }) => content);
      this.jobs.addTidying({ appId, blobs, keys: dropped.map(({ key }) => key) });
      this.jobs.makePurgeDue(appId, id);
    });
  }

  async finish(appId: number, id: number, version: number): Promise<string | undefined> {
    // No transaction, since it would become the write of a keyed call.
    const file = this.pending(appId, id, version);
    if (file === undefined) return undefined;
    this.state.files.put(appId, { ...file, processing: 'done' });
    return fileJson(this.state, appId, id, this.library.base);
  }

  async revive(before: Date): Promise<void> {
    this.jobs.revive();
    for (const appId of this.state.files.appIds()) {
      const forgotten = filesOf(this.state, appId).filter(
        ({ id, processing, last_modified: since }) =>
          processing === 'pending' && since < before && !this.jobs.awaitsProcessing(appId, id),
      );
      for (const { id, version } of forgotten) await this.fail(appId, id, version);
    }
  }

  private pending(appId: number, id: number, version: number): FileRecord | undefined {
    const file = fileOf(this.state, appId, id);
    return file?.version === version && file.processing === 'pending' ? file : undefined;
  }

  private whileUnchanged<Result>(
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

  /** Listed objects stay listed, since their public copy exists. */
  private putRenditions(appId: number, { id, version }: FileToProcess, made: ProcessingResult['renditions']): void {
    const earlier = renditionsOf(this.state, appId, id).filter((each) => each.version === version);
    for (const rendition of made) {
      const same = earlier.find(({ label }) => label === rendition.label);
      if (same) this.state.renditions.put(appId, { ...same, ...rendition });
      else this.state.renditions.insert(appId, { ...rendition, file_id: id, version, listed: false });
    }
  }

  private putPages(appId: number, { id, version }: FileToProcess, made: ProcessingResult['pages']): void {
    const earlier = pagesOf(this.state, appId, id).filter((each) => each.version === version);
    for (const page of made) {
      const same = earlier.find((each) => each.page === page.page);
      if (same) this.state.pages.put(appId, { ...same, ...page });
      else this.state.pages.insert(appId, { ...page, file_id: id, version, listed: false });
    }
  }
}

function termsOf(preset: UploadPresetRecord | undefined) {
  return {
    outputFormat: preset?.output_format ?? WITHOUT_PRESET.outputFormat,
    maxWidth: preset?.max_width ?? WITHOUT_PRESET.maxWidth,
    quality: preset?.quality ?? WITHOUT_PRESET.quality,
    renditionWidths: preset?.rendition_widths ?? WITHOUT_PRESET.renditionWidths,
  };
}

/** Whether the result names a rendition of this label or this page. */
function isNamed({ renditions, pages }: ProcessingResult, derived: Derived): boolean {
  if ('page' in derived) return pages.some(({ page }) => page === derived.page);
  return renditions.some(({ label }) => label === derived.label);
}

/** Like {@link isNamed}, for this version. */
function isMade(made: ProcessingResult, version: number): (derived: Derived) => boolean {
  return (derived) => derived.version === version && isNamed(made, derived);
}

function contentOf(file: FileRecord, { main, width, height }: ProcessingResult): Partial<FileRecord> {
  if (main) return { content: main.content, mime: main.mime, size: main.size, width: main.width, height: main.height };
  return { width: width ?? file.width, height: height ?? file.height };
}
