import type { MediaObjectQueries, PublicObject } from '@back-office/media';
import { compare, sortBy } from '../lists.js';
import { NO_APP_ID } from '../apps/memory-apps.js';
import type { State } from '../state.js';
import { fileOf, filesOf } from './files.js';
import type { FileRecord, PageRecord, RenditionRecord } from './records.js';

const MAX_KEYS_PER_BATCH = 500;

export class MemoryMediaObjects implements MediaObjectQueries {
  constructor(private readonly state: State) {}

  async findApp(prefix: string): Promise<number | undefined> {
    return this.state.apps.find(NO_APP_ID, (app) => app.media_prefix === prefix)?.id;
  }

  async findObject(appId: number, key: string): Promise<PublicObject | undefined> {
    const file = filesOf(this.state, appId).find((candidate) => candidate.key === key);
    if (file && !this.isServed(appId, file)) return undefined;
    if (file) return objectOf(file, file.version, file.processing !== 'pending');
    const rendition = this.derivedObject(appId, key, this.state.renditions.all(appId));
    if (rendition) return rendition;
    const version = this.state.fileVersions.find(appId, (candidate) => candidate.key === key);
    if (version)
      return this.isServed(appId, fileOf(this.state, appId, version.file_id))
        ? objectOf(version, version.version, true)
        : undefined;
    return this.derivedObject(appId, key, this.state.pages.all(appId)) ?? this.retiredObject(appId, key);
  }

  async keysAfter(appId: number, lastKey: string): Promise<string[]> {
    const keys = [...this.publicKeys(appId)].filter((key) => compare(key, lastKey) > 0);
    return sortBy(keys, [(key) => key]).slice(0, MAX_KEYS_PER_BATCH);
  }

  async unreferencedBlobs(appId: number, blobs: readonly string[]): Promise<string[]> {
    const { files, fileVersions, renditions, pages } = this.state;
    const filesAndVersions = [...files.all(appId), ...fileVersions.all(appId)];
    const objects = [...filesAndVersions, ...renditions.all(appId), ...pages.all(appId)];
    const referencedBlobs = new Set([
      ...objects.map(({ content }) => content),
      ...filesAndVersions.map(({ original }) => original),
    ]);
    return blobs.filter((blob) => !referencedBlobs.has(blob));
  }

  async unownedKeys(appId: number, keys: readonly string[]): Promise<string[]> {
    const ownedKeys = this.publicKeys(appId);
    return keys.filter((key) => !ownedKeys.has(key));
  }

  private derivedObject(
    appId: number,
    key: string,
    derivedFiles: readonly (RenditionRecord | PageRecord)[],
  ): PublicObject | undefined {
    const [latestFile] = sortBy(
      derivedFiles.filter((candidate) => candidate.key === key),
      [({ version }) => -version],
    );
    const file = latestFile && fileOf(this.state, appId, latestFile.file_id);
    return file && this.isServed(appId, file)
      ? objectOf(latestFile, file.version, latestFile.version === file.version && latestFile.listed)
      : undefined;
  }

  private retiredObject(appId: number, key: string): PublicObject | undefined {
    const retired = this.state.retiredRenditions.find(appId, (candidate) => candidate.key === key);
    const file = retired && fileOf(this.state, appId, retired.file_id);
    return file && this.isServed(appId, file) ? objectOf(file, file.version, false) : undefined;
  }

  private isServed(appId: number, file: FileRecord | undefined): boolean {
    const { media } = this.state.apps.get(NO_APP_ID, appId)?.settings ?? {};
    return file !== undefined && (file.state === 'active' || (media?.serve_trash ?? true));
  }

  private publicKeys(appId: number): Set<string> {
    const { renditions, retiredRenditions, fileVersions, pages } = this.state;
    const objects = [
      filesOf(this.state, appId),
      renditions.all(appId),
      retiredRenditions.all(appId),
      fileVersions.all(appId),
      pages.all(appId),
    ].flat();
    return new Set(objects.map(({ key }) => key));
  }
}

function objectOf(
  { content, mime, size }: Pick<PublicObject, 'content' | 'mime' | 'size'>,
  version: number,
  isImmutable: boolean,
): PublicObject {
  return { content, mime, size, version, isImmutable };
}
