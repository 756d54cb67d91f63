import type { AccessTokenQueries, TokenHolder, TokenKey } from '@back-office/apps';
import { type Clock, findOrLoad, Memory } from '@back-office/kernel';
import { mapKeyOf } from '../http/authentication.js';

const CACHE_MS = 1_000;

/** Caches token holders and unknown tokens for a second. Other processes notice a change when their entry expires. */
export class CachedTokens implements AccessTokenQueries {
  private readonly holders: Memory<Promise<TokenHolder | undefined>>;
  private readonly misses: Memory<true>;

  constructor(
    private readonly tokens: AccessTokenQueries,
    clock: Clock,
  ) {
    this.holders = new Memory(CACHE_MS, clock);
    this.misses = new Memory(CACHE_MS, clock);
  }

  async holderOf(token: TokenKey): Promise<TokenHolder | undefined> {
    const key = mapKeyOf(token.hash);
    if (this.misses.get(key)) return undefined;
    const holder = await findOrLoad(this.holders, key, () => this.tokens.holderOf(token));
    if (holder === undefined) this.misses.set(key, true);
    return holder;
  }

  /** Removes the token from the cache; call it after a token is created, changed or revoked. */
  forget(hash: Uint8Array): void {
    this.misses.delete(mapKeyOf(hash));
    this.holders.delete(mapKeyOf(hash));
  }

  forgetAll(): void {
    this.misses.clear();
    this.holders.clear();
  }
}
