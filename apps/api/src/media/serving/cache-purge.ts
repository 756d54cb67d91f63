import {
  type CdnPurger,
  type ProcessedFileQueries,
  publicUrl,
  type PurgePayload,
  type WithdrawnKey,
} from '@back-office/media';
import type { PublicCopies } from './public-copies.js';

export class CachePurge {
  constructor(
    private readonly purger: CdnPurger,
    private readonly base: string,
    private readonly files: ProcessedFileQueries,
    private readonly copies: PublicCopies,
  ) {}

  get isConfigured(): boolean {
    return this.purger.isConfigured;
  }

  purge(keys: readonly string[], version: number): Promise<boolean> {
    const urls = keys.flatMap((key) =>
      [1, version - 1, version].map((urlVersion) => publicUrl(this.base, key, urlVersion)),
    );
    return this.purger.purge([...new Set(urls)]);
  }

  /** Purges every URL under which a cache may have stored these files. Throws when the cache does not confirm the purge. */
  async withdraw(withdrawn: readonly WithdrawnKey[]): Promise<void> {
    if (!this.isConfigured || withdrawn.length === 0) return;
    const urls = withdrawn.flatMap(({ key, version }) =>
      Array.from({ length: version }, (_, index) => publicUrl(this.base, key, index + 1)),
    );
    if (!(await this.purger.purge(urls))) throw new Error('A withdrawn file could not be purged from the cache');
  }

  /** Purges once more after new renditions exist, because a cache may have fetched old ones in the meantime. */
  async run({ appId, fileId, version, keys }: PurgePayload): Promise<void> {
    if (!this.isConfigured) return;
    const file = await this.files.find(appId, fileId);
    const currentKeys = file === undefined ? [] : [file.key, ...(await this.files.derivedKeys(appId, fileId))];
    const allKeys = [...new Set([...keys, ...currentKeys])];
    // Public copies are updated first; otherwise the cache would fetch the old content again.
    await this.copies.sync(appId, allKeys);
    if (!(await this.purge(allKeys, file?.version ?? version)))
      throw new Error('A replaced file could not be purged from the cache');
  }
}
