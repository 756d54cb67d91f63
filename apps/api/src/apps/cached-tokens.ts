import type { AccessTokenQueries, TokenHolder, TokenKey } from '@back-office/apps';
import { type Clock, ExpiringCache, RecentMisses } from '@back-office/kernel';
import { mapKeyOf } from '../http/authentication.js';

const CACHE_MS = 1_000;
const MAX_MISSES = 10_000;

/** Caches token holders and unknown tokens for a second. Other processes notice a change when their entry expires. */
export class CachedTokens implements AccessTokenQueries {
  private readonly holders: ExpiringCache<TokenHolder>;
  private readonly misses: RecentMisses;

  constructor(
    private readonly tokens: AccessTokenQueries,
    clock: Clock,
  ) {
    this.holders = new ExpiringCache(CACHE_MS, clock);
    this.misses = new RecentMisses(CACHE_MS, MAX_MISSES, clock);
  }

  async holderOf(token: TokenKey): Promise<TokenHolder | undefined> {
    const key = mapKeyOf(token.hash);
    if (this.misses.has(key)) return undefined;
    const holder = await this.holders.find(key, () => this.tokens.holderOf(token));
    if (holder === undefined) this.misses.add(key);
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
