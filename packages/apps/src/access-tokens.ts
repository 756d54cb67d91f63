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

/** Without a language, the token uses the app's default one. */
export interface NewAccessToken {
  readonly appId: number;
  readonly hash: Uint8Array;
  readonly language?: string | undefined;
  readonly expiresAt?: Date | undefined;
}

/** Access tokens are stored as SHA-256 hashes only. */
export interface AccessTokens {
  /** Adds a token of an app; false when there is no such app. */
  add(token: NewAccessToken): Promise<boolean>;
  /** Revokes the token of an app or a session; false when it does not exist. A repeat keeps the first time. */
  revoke(hash: Uint8Array): Promise<boolean>;
}

export interface AccessTokenQueries {
  /** The holder of a token, also of a revoked or expired one; `undefined` when it does not exist. */
  holderOf(hash: Uint8Array): Promise<TokenHolder | undefined>;
}
