import { type Clock, Memory } from '@back-office/kernel';
import type { MediaObjectQueries, PublicObject } from '@back-office/media';

const MISS_MS = 1_000;

/** A public file and its app. */
export type ServedObject = PublicObject & { readonly appId: number };

/** Finds public files by key. Remembers missing keys for a second. */
export class PublicObjectCache {
  private readonly misses: Memory<true>;
  private changes = 0;

  constructor(
    private readonly objects: Pick<MediaObjectQueries, 'findApp' | 'findObject'>,
    clock: Clock,
  ) {
    this.misses = new Memory(MISS_MS, clock);
  }

  async find(key: string): Promise<ServedObject | undefined> {
    const prefix = key.slice(0, key.indexOf('/'));
    if (this.misses.get(prefix) || this.misses.get(key)) return undefined;
    const { changes } = this;
    const appId = await this.objects.findApp(prefix);
    const object = appId === undefined ? undefined : await this.findObject(appId, key);
    // Remembers no miss if files have changed during the look-up, because a new file may have this key.
    if (object === undefined && changes === this.changes) this.misses.set(appId === undefined ? prefix : key, true);
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
