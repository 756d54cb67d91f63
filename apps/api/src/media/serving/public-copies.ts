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
   * Makes the public copies match the records. Calls may run concurrently, because each call reads the record again
   * after it has written.
   */
  async sync(appId: number, keys: readonly string[]): Promise<void> {
    if (!this.library.isPublished) return;
    const pendingKeys = [...keys];
    const syncPending = async (): Promise<void> => {
      for (let key = pendingKeys.shift(); key !== undefined; key = pendingKeys.shift()) await this.syncKey(appId, key);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT, keys.length) }, syncPending));
  }

  /** Like {@link sync}, but ignores errors. The caller must have scheduled a job that calls `sync` with these keys. */
  async trySync(appId: number, keys: readonly string[]): Promise<void> {
    await this.sync(appId, keys).catch(() => {});
  }

  async removeOrphans(appId: number, keys: readonly string[]): Promise<number> {
    if (!this.library.isPublished) {
      for (const key of keys) await this.library.store.remove(key);
      return keys.length;
    }
    const orphans = await this.objects.unownedKeys(appId, keys);
    await this.sync(appId, orphans);
    return orphans.length;
  }

  /**
   * Makes all public copies of an app match the records. Run it after moving the files to another store. Returns the
   * number of keys.
   */
  async syncAll(appId: number): Promise<number> {
    let syncedCount = 0;
    for (let keys = await this.objects.keysAfter(appId, ''); keys.length > 0;) {
      await this.sync(appId, keys);
      syncedCount += keys.length;
      keys = await this.objects.keysAfter(appId, keys.at(-1) ?? '');
    }
    return syncedCount;
  }

  private async syncKey(appId: number, key: string): Promise<void> {
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
