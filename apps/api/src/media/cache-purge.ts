import { publicUrl, type CdnPurger } from '@back-office/media';
import type { PurgeOrder } from './media-jobs.query.js';
import type { PublicCopies } from './public-copies.js';
import type { TypeOrmProcessedFiles } from './typeorm-processed-files.js';

/** Makes caches forget what a file was before. */
export class CachePurge {
  constructor(
    private readonly purger: CdnPurger,
    private readonly base: string,
    private readonly processed: TypeOrmProcessedFiles,
    private readonly copies: PublicCopies,
  ) {}

  get isConfigured(): boolean {
    return this.purger.isConfigured;
  }

  /** Whether every cache has forgotten these keys, bare and as the file's version and the one before it name them. */
  purge(keys: readonly string[], version: number): Promise<boolean> {
    const addresses = keys.flatMap((key) => [1, version - 1, version].map((each) => publicUrl(this.base, key, each)));
    return this.purger.purge([...new Set(addresses)]);
  }

  /** Purges once more, when the renditions are made anew: a cache may have asked for them in between. */
  async run({ appId, fileId, version, keys }: PurgeOrder): Promise<void> {
    if (!this.isConfigured) return;
    const file = await this.processed.find(appId, fileId);
    const present = file === undefined ? [] : [file.key, ...(await this.processed.derivedKeys(appId, fileId))];
    const all = [...new Set([...keys, ...present])];
    // What is purged before its copy is right would be cached again as it was.
    await this.copies.settle(appId, all);
    if (!(await this.purge(all, file?.version ?? version)))
      throw new Error('A cache has not forgotten a replaced file');
  }
}
