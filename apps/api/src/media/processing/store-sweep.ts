import { addHours, type Clock } from '@back-office/kernel';
import type { MediaObjectQueries, ProcessedFiles } from '@back-office/media';
import type { Library } from '../library.js';
import type { PublicCopies } from '../serving/public-copies.js';

/** Newer objects may belong to a call in progress. */
const MIN_AGE_HOURS = 24;
const BATCH_SIZE = 500;
const BLOBS = '_blobs/';

/** Cleans up after crashes: retries jobs that gave up and removes objects without a record. */
export class StoreSweep {
  constructor(
    private readonly library: Library,
    private readonly objects: MediaObjectQueries,
    private readonly processed: ProcessedFiles,
    private readonly copies: PublicCopies,
    private readonly clock: Clock,
  ) {}

  /** Returns how many orphans were removed. */
  async run(): Promise<number> {
    const before = addHours(this.clock.now(), -MIN_AGE_HOURS);
    await this.processed.revive(before);
    let removed = 0;
    for await (const [prefix, keys] of this.objectsBefore(before)) {
      const appId = await this.objects.appOf(prefix);
      // Another installation that shares the store may own this prefix.
      if (appId === undefined) continue;
      const blobs = keys.filter((key) => key.startsWith(BLOBS));
      const publicKeys = keys.filter((key) => !key.startsWith(BLOBS));
      const orphans = await this.objects.unreferenced(appId, blobs);
      for (const blob of orphans) await this.library.store.remove(blob);
      removed += orphans.length + (await this.copies.removeOrphans(appId, publicKeys));
    }
    return removed;
  }

  /** Yields batches of keys with one prefix. */
  private async *objectsBefore(before: Date): AsyncGenerator<[prefix: string, keys: string[]]> {
    const batches = new Map<string, string[]>();
    for await (const { key, writtenAt } of this.library.store.list('')) {
      if (writtenAt > before) continue;
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
  const [first = '', second = ''] = key.split('/');
  return key.startsWith(BLOBS) ? second : first;
}
