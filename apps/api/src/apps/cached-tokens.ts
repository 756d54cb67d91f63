import type { AccessTokenQueries, TokenHolder } from '@back-office/apps';
import { type Clock, ExpiringCache } from '@back-office/kernel';

const CACHE_MS = 1_000;

/** Caches token holders for a second, so that every process notices a revocation within two seconds. */
export class CachedTokens implements AccessTokenQueries {
  private readonly holders: ExpiringCache<TokenHolder>;

  constructor(
    private readonly tokens: AccessTokenQueries,
    clock: Clock,
  ) {
    this.holders = new ExpiringCache(CACHE_MS, clock);
  }

  holderOf(hash: Uint8Array): Promise<TokenHolder | undefined> {
    return this.holders.find(keyOf(hash), () => this.tokens.holderOf(hash));
  }

  forget(hash: Uint8Array): void {
    this.holders.delete(keyOf(hash));
  }

  forgetAll(): void {
    this.holders.clear();
  }
}

function keyOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
