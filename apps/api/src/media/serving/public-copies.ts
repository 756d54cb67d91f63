import type { Library } from '../library.js';
import type { MediaObjectQueries } from '@back-office/media';

const MAX_CONCURRENT = 8;
const MAX_ROUNDS = 20;

/** Copies under public keys, in stores that serve files themselves; other stores hold none. */
export class PublicCopies {
  constructor(
    private readonly library: Library,
    private readonly objects: MediaObjectQueries,
  ) {}

  /**
   * Syncs public copies with the records. Safe to run concurrently: each run re-reads the record after writing.
   */
  async settle(appId: number, keys: readonly string[]): Promise<void> {
    if (!this.library.isPublished) return;
    const waiting = [...keys];
    const work = async (): Promise<void> => {
      for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) await this.settleOne(appId, key);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT, keys.length) }, work));
  }

  /** Like {@link settle}, but ignores errors; a job must follow. */
  async trySettle(appId: number, keys: readonly string[]): Promise<void> {
    await this.settle(appId, keys).catch(() => {});
  }

  /** Removes public copies that belong to no file; returns how many. */
  async removeOrphans(appId: number, keys: readonly string[]): Promise<number> {
    if (!this.library.isPublished) {
      for (const key of keys) await this.library.store.remove(key);
      return keys.length;
    }
    const orphans = await this.objects.unowned(appId, keys);
    await this.settle(appId, orphans);
    return orphans.length;
  }

  /** Settles all keys of an app, for a store that was copied from elsewhere; returns how many. */
  async publish(appId: number): Promise<number> {
    let published = 0;
    for (let keys = await this.objects.keysAfter(appId, ''); keys.length > 0;) {
      await this.settle(appId, keys);
      published += keys.length;
      keys = await this.objects.keysAfter(appId, keys.at(-1) ?? '');
    }
    return published;
  }

  private async settleOne(appId: number, key: string): Promise<void> {
    const { store } = this.library;
    let content = await this.contentOf(appId, key);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (content === undefined) await store.remove(key);
      else await store.copy(content, key);
      const current = await this.contentOf(appId, key);
      if (current === content) return;
      content = current;
    }
    throw new Error('A public key changes faster than it can be written');
  }

  private async contentOf(appId: number, key: string): Promise<string | undefined> {
    return (await this.objects.ofKey(appId, key))?.content;
  }
}
