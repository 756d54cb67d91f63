import type { AppContext } from './app-context.js';

export type TokenKind = 'app' | 'session';

export interface TokenHolder {
  readonly tokenId: number;
  readonly kind: TokenKind;
  readonly customerId: number | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly app: AppContext;
}

export interface NewAccessToken {
  readonly appId: number;
  readonly hash: Uint8Array;
  readonly language?: string | undefined;
  readonly expiresAt?: Date | undefined;
}

/** Access tokens are stored as SHA-256 hashes only. */
export interface AccessTokens {
  /** Returns false when there is no such app. */
  add(token: NewAccessToken): Promise<boolean>;
  /** Revokes the token of an app or a session; returns false when it does not exist. A repeat keeps the time of the first call. */
  revoke(hash: Uint8Array): Promise<boolean>;
}

export interface AccessTokenQueries {
  /** Also returns holders of revoked and expired tokens; `undefined` when the token does not exist. */
  holderOf(hash: Uint8Array): Promise<TokenHolder | undefined>;
}
