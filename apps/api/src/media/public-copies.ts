import type { Library } from './library.js';
import type { TypeOrmMediaObjects } from './typeorm-media-objects.js';

/** Copies within a store are quick, but each is a request. */
const AT_ONCE = 8;
const MOST_ROUNDS = 20;

/** What the world finds under public keys, in stores that serve files themselves; other stores hold no copies. */
export class PublicCopies {
  constructor(
    private readonly library: Library,
    private readonly objects: TypeOrmMediaObjects,
  ) {}

  /**
   * Makes what stands under these keys what the records say, or takes it away. Any number may do so at once, in any
   * order: whoever comes last looks again, and sees what there is to be.
   */
  async settle(appId: number, keys: readonly string[]): Promise<void> {
    if (!this.library.isPublished) return;
    const waiting = [...keys];
    const work = async (): Promise<void> => {
      for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) await this.settleOne(appId, key);
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, keys.length) }, work));
  }

  /** As {@link settle}, where a job follows: should the store be gone, the job does it later. */
  async trySettle(appId: number, keys: readonly string[]): Promise<void> {
    await this.settle(appId, keys).catch(() => {});
  }

  /** Takes away what stands under public keys and belongs to no file; answers how much it was. */
  async removeStrays(appId: number, keys: readonly string[]): Promise<number> {
    if (!this.library.isPublished) {
      for (const key of keys) await this.library.store.remove(key);
      return keys.length;
    }
    const strays = await this.objects.unowned(appId, keys);
    await this.settle(appId, strays);
    return strays.length;
  }

  /** Settles everything that an app has: for a store whose contents were brought there from elsewhere. Answers how many keys. */
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
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      if (content === undefined) await store.remove(key);
      else await store.copy(content, key);
      const now = await this.contentOf(appId, key);
      if (now === content) return;
      content = now;
    }
    throw new Error('A public key changes faster than it can be written');
  }

  private async contentOf(appId: number, key: string): Promise<string | undefined> {
    return (await this.objects.ofKey(appId, key))?.content;
  }
}
