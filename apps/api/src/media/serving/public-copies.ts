import type { Library } from '../library.js';
import type { MediaObjectQueries } from '@back-office/media';

const MAX_CONCURRENT = 8;
const MAX_ROUNDS = 20;

/** Maintains the copies under public keys in a store that serves files directly. Other stores need no copies. */
export class PublicCopies {
  constructor(
    private readonly library: Library,
    private readonly objects: MediaObjectQueries,
  ) {}

  /**
   * Makes the public copies match the records. Calls may run concurrently, because each reads the record again after
   * writing.
   */
  async settle(appId: number, keys: readonly string[]): Promise<void> {
    if (!this.library.isPublished) return;
    const pendingKeys = [...keys];
    const settlePending = async (): Promise<void> => {
      for (let key = pendingKeys.shift(); key !== undefined; key = pendingKeys.shift())
        await this.settleKey(appId, key);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT, keys.length) }, settlePending));
  }

  /** Does the same as {@link settle} but ignores errors. The caller must have scheduled a job that settles the keys. */
  async trySettle(appId: number, keys: readonly string[]): Promise<void> {
    await this.settle(appId, keys).catch(() => {});
  }

  async removeOrphans(appId: number, keys: readonly string[]): Promise<number> {
    if (!this.library.isPublished) {
      for (const key of keys) await this.library.store.remove(key);
      return keys.length;
    }
    const orphans = await this.objects.unownedKeys(appId, keys);
    await this.settle(appId, orphans);
    return orphans.length;
  }

  /** Settles all keys of an app, for use after its store was copied. Returns the number of keys. */
  async settleAll(appId: number): Promise<number> {
    let settledCount = 0;
    for (let keys = await this.objects.keysAfter(appId, ''); keys.length > 0;) {
      await this.settle(appId, keys);
      settledCount += keys.length;
      keys = await this.objects.keysAfter(appId, keys.at(-1) ?? '');
    }
    return settledCount;
  }

  private async settleKey(appId: number, key: string): Promise<void> {
    const { store } = this.library;
    let content = await this.contentOf(appId, key);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (content === undefined) await store.remove(key);
      else await store.copy(content, key);
      const currentContent = await this.contentOf(appId, key);
      if (currentContent === content) return;
      content = currentContent;
    }
    throw new Error('A public key changes faster than it can be written');
  }

  private async contentOf(appId: number, key: string): Promise<string | undefined> {
    return (await this.objects.findObject(appId, key))?.content;
  }
}
