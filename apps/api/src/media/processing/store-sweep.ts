import { addHours, type Clock } from '@back-office/kernel';
import type { MediaObjectQueries, ProcessedFiles } from '@back-office/media';
import type { Library } from '../library.js';
import type { PublicCopies } from '../serving/public-copies.js';

/** A newer object may belong to a running call. */
const MIN_AGE_HOURS = 24;
const BATCH_SIZE = 500;
const BLOB_FOLDER = '_blobs/';

export class StoreSweep {
  constructor(
    private readonly library: Library,
    private readonly objects: MediaObjectQueries,
    private readonly processedFiles: ProcessedFiles,
    private readonly copies: PublicCopies,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<number> {
    const writtenBefore = addHours(this.clock.now(), -MIN_AGE_HOURS);
    await this.processedFiles.revive(writtenBefore);
    let removedCount = 0;
    for await (const [prefix, keys] of this.objectsBefore(writtenBefore)) {
      const appId = await this.objects.findApp(prefix);
      // Skips a prefix without an app, because another installation may use the same store.
      if (appId === undefined) continue;
      const blobs = keys.filter((key) => key.startsWith(BLOB_FOLDER));
      const publicKeys = keys.filter((key) => !key.startsWith(BLOB_FOLDER));
      const orphans = await this.objects.unreferencedBlobs(appId, blobs);
      for (const blob of orphans) await this.library.store.remove(blob);
      removedCount += orphans.length + (await this.copies.removeOrphans(appId, publicKeys));
    }
    return removedCount;
  }

  private async *objectsBefore(writtenBefore: Date): AsyncGenerator<[prefix: string, keys: string[]]> {
    const batches = new Map<string, string[]>();
    for await (const { key, writtenAt } of this.library.store.list('')) {
      if (writtenAt > writtenBefore) continue;
      const prefix = prefixOf(key);
      const keys = batches.get(prefix) ?? [];
      batches.set(prefix, keys);
      keys.push(key);
      if (keys.length < BATCH_SIZE) continue;
      batches.delete(prefix);
      yield [prefix, keys];
    }
    yield* batches;
  }
}

function prefixOf(key: string): string {
  const [firstSegment = '', secondSegment = ''] = key.split('/');
  return key.startsWith(BLOB_FOLDER) ? secondSegment : firstSegment;
}
