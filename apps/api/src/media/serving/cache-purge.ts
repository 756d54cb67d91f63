import { type CdnPurger, type ProcessedFileQueries, publicUrl, type PurgePayload } from '@back-office/media';
import type { PublicCopies } from './public-copies.js';

export class CachePurge {
  constructor(
    private readonly purger: CdnPurger,
    private readonly base: string,
    private readonly processed: ProcessedFileQueries,
    private readonly copies: PublicCopies,
  ) {}

  get isConfigured(): boolean {
    return this.purger.isConfigured;
  }

  /** Purges each key without a version, with the current and with the previous one; true when all are purged. */
  purge(keys: readonly string[], version: number): Promise<boolean> {
    const urls = keys.flatMap((key) => [1, version - 1, version].map((each) => publicUrl(this.base, key, each)));
    return this.purger.purge([...new Set(urls)]);
  }

  /** Purges again after renditions are made, since a cache may have fetched the old ones. */
  async run({ appId, fileId, version, keys }: PurgePayload): Promise<void> {
    if (!this.isConfigured) return;
    const file = await this.processed.find(appId, fileId);
    const current = file === undefined ? [] : [file.key, ...(await this.processed.derivedKeys(appId, fileId))];
    const all = [...new Set([...keys, ...current])];
    // Purging before the copies are current would cache the old ones again.
    await this.copies.settle(appId, all);
    if (!(await this.purge(all, file?.version ?? version)))
      throw new Error('A cache could not be purged of a replaced file');
  }
}
