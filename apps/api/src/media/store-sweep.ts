import { addHours, type Clock } from '@back-office/kernel';
import type { Library } from './library.js';
import type { PublicCopies } from './public-copies.js';
import type { TypeOrmMediaObjects } from './typeorm-media-objects.js';

/** Younger ones may belong to what is going on. */
const YOUNG_HOURS = 24;
const LOOKED_AT_ONCE = 500;
const BLOBS = '_blobs/';

/** Removes from the store what no record knows: the remains of crashes at moments that left nobody to clean up. */
export class StoreSweep {
  constructor(
    private readonly library: Library,
    private readonly objects: TypeOrmMediaObjects,
    private readonly copies: PublicCopies,
    private readonly clock: Clock,
  ) {}

  /** Answers how many objects were nobody's. */
  async run(): Promise<number> {
    let removed = 0;
    for await (const [prefix, keys] of this.oldObjects()) {
      const appId = await this.objects.appOf(prefix);
      // An installation may share its store with others; what has another one's prefix is none of its business.
      if (appId === undefined) continue;
      const [blobs, publicKeys] = [
        keys.filter((key) => key.startsWith(BLOBS)),
        keys.filter((key) => !key.startsWith(BLOBS)),
      ];
      const lost = await this.objects.unreferenced(appId, blobs);
      for (const blob of lost) await this.library.store.remove(blob);
      const orphans = await this.objects.unowned(appId, publicKeys);
      await this.copies.settle(appId, orphans);
      removed += lost.length + orphans.length;
    }
    return removed;
  }

  /** In runs of one app's keys. */
  private async *oldObjects(): AsyncGenerator<[prefix: string, keys: string[]]> {
    const young = addHours(this.clock.now(), -YOUNG_HOURS);
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
