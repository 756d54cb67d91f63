import { type Clock, RecentMisses } from '@back-office/kernel';
import type { MediaObjectQueries, PublicObject } from '@back-office/media';

const MISS_MS = 1_000;
const MAX_MISSES = 10_000;

/** A public file and its app. */
export type ServedObject = PublicObject & { readonly appId: number };

/** Finds public files by key. Remembers missing keys for a second. */
export class PublicObjectCache {
  private readonly misses: RecentMisses;
  private changes = 0;

  constructor(
    private readonly objects: Pick<MediaObjectQueries, 'findApp' | 'findObject'>,
    clock: Clock,
  ) {
    this.misses = new RecentMisses(MISS_MS, MAX_MISSES, clock);
  }

  async find(key: string): Promise<ServedObject | undefined> {
    const prefix = key.slice(0, key.indexOf('/'));
    if (this.misses.has(prefix) || this.misses.has(key)) return undefined;
    const { changes } = this;
    const appId = await this.objects.findApp(prefix);
    const object = appId === undefined ? undefined : await this.findObject(appId, key);
    // Remembers no miss if files have changed during the look-up, because a new file may have this key.
    if (object === undefined && changes === this.changes) this.misses.add(appId === undefined ? prefix : key);
    return object;
  }

  private async findObject(appId: number, key: string): Promise<ServedObject | undefined> {
    const object = await this.objects.findObject(appId, key);
    return object && { ...object, appId };
  }

  /** Must be called after every change of files. */
  forgetMisses(): void {
    this.changes += 1;
    this.misses.clear();
  }
}
