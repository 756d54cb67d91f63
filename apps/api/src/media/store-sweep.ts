import { addHours, type Clock } from '@back-office/kernel';
import type { Library } from './library.js';
import type { PublicCopies } from './public-copies.js';
import type { TypeOrmMediaObjects } from './typeorm-media-objects.js';
import type { TypeOrmProcessedFiles } from './typeorm-processed-files.js';

/** Younger ones may belong to what is going on. */
const YOUNG_HOURS = 24;
const LOOKED_AT_ONCE = 500;
const BLOBS = '_blobs/';

/** Mends what crashes and long failures have left behind: jobs that gave up, and what no record knows of in the store. */
export class StoreSweep {
  constructor(
    private readonly library: Library,
    private readonly objects: TypeOrmMediaObjects,
    private readonly processed: TypeOrmProcessedFiles,
    private readonly copies: PublicCopies,
    private readonly clock: Clock,
  ) {}

  /** Answers how many objects were nobody's. */
  async run(): Promise<number> {
    const young = addHours(this.clock.now(), -YOUNG_HOURS);
    await this.processed.revive(young);
    let removed = 0;
    for await (const [prefix, keys] of this.objectsBefore(young)) {
      const appId = await this.objects.appOf(prefix);
      // An installation may share its store with others; what has another one's prefix is none of its business.
      if (appId === undefined) continue;
      const blobs = keys.filter((key) => key.startsWith(BLOBS));
      const publicKeys = keys.filter((key) => !key.startsWith(BLOBS));
      const lost = await this.objects.unreferenced(appId, blobs);
      for (const blob of lost) await this.library.store.remove(blob);
      removed += lost.length + (await this.copies.removeStrays(appId, publicKeys));
    }
    return removed;
  }

  /** In runs of one app's keys. */
  private async *objectsBefore(young: Date): AsyncGenerator<[prefix: string, keys: string[]]> {
    const waiting = new Map<string, string[]>();
    for await (const { key, writtenAt } of this.library.store.list('')) {
      if (writtenAt > young) continue;
      const prefix = prefixOf(key);
      const keys = waiting.get(prefix) ?? [];
      waiting.set(prefix, keys);
      keys.push(key);
      if (keys.length < LOOKED_AT_ONCE) continue;
      waiting.delete(prefix);
      yield [prefix, keys];
    }
    yield* waiting;
  }
}

function prefixOf(key: string): string {
  const [first = '', second = ''] = key.split('/');
  return key.startsWith(BLOBS) ? second : first;
}
