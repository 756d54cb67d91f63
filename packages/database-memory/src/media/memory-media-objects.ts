import type { MediaObjectQueries, PublicObject } from '@back-office/media';
import { compare, sortedBy } from '../lists.js';
import { INSTALLATION } from '../apps/memory-apps.js';
import type { State } from '../state.js';
import { fileOf, filesOf } from './files.js';
import type { PageRecord, RenditionRecord } from './records.js';

const MAX_KEYS_PER_BATCH = 500;

export class MemoryMediaObjects implements MediaObjectQueries {
  constructor(private readonly state: State) {}

  async appOf(prefix: string): Promise<number | undefined> {
    return this.state.apps.find(INSTALLATION, (app) => app.media_prefix === prefix)?.id;
  }

  async ofKey(appId: number, key: string): Promise<PublicObject | undefined> {
    const file = filesOf(this.state, appId).find((each) => each.key === key);
    if (file) return objectOf(file, file.version, file.processing !== 'pending');
    const rendition = this.derivedObject(appId, key, this.state.renditions.all(appId));
    if (rendition) return rendition;
    const version = this.state.fileVersions.find(appId, (each) => each.key === key);
    if (version) return objectOf(version, version.version, true);
    return this.derivedObject(appId, key, this.state.pages.all(appId));
  }

  async keysAfter(appId: number, last: string): Promise<string[]> {
    const keys = [...this.publicKeys(appId)].filter((key) => compare(key, last) > 0);
    return sortedBy(keys, [(key) => key]).slice(0, MAX_KEYS_PER_BATCH);
  }

  async unreferenced(appId: number, blobs: readonly string[]): Promise<string[]> {
    const { files, fileVersions, renditions, pages } = this.state;
    const originals = [...files.all(appId), ...fileVersions.all(appId)];
    const all = [...originals, ...renditions.all(appId), ...pages.all(appId)];
    const known = new Set([...all.map(({ content }) => content), ...originals.map(({ original }) => original)]);
    return blobs.filter((blob) => !known.has(blob));
  }

  async unowned(appId: number, keys: readonly string[]): Promise<string[]> {
    const owned = this.publicKeys(appId);
    return keys.filter((key) => !owned.has(key));
  }

  private derivedObject(
    appId: number,
    key: string,
    all: readonly (RenditionRecord | PageRecord)[],
  ): PublicObject | undefined {
    const [latest] = sortedBy(
      all.filter((each) => each.key === key),
      [({ version }) => -version],
    );
    const file = latest && fileOf(this.state, appId, latest.file_id);
    return file && objectOf(latest, file.version, latest.version === file.version && latest.listed);
  }

  private publicKeys(appId: number): Set<string> {
    const { renditions, fileVersions, pages } = this.state;
    const all = [filesOf(this.state, appId), renditions.all(appId), fileVersions.all(appId), pages.all(appId)].flat();
    return new Set(all.map(({ key }) => key));
  }
}

function objectOf(
  { content, mime, size }: Pick<PublicObject, 'content' | 'mime' | 'size'>,
  version: number,
  isSettled: boolean,
): PublicObject {
  return { content, mime, size, version, isSettled };
}
