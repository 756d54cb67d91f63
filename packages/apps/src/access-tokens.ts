import type { AppContext } from './app-context.js';
import type { GrantedScopes } from './scopes.js';
import type { AppToken } from './token-administration.js';

export type TokenKind = 'app' | 'session' | 'upload';

export interface UploadGrant {
  /** `''` means the top-level folder. */
  readonly folder: string;
  /** Null means the app's default preset. */
  readonly presetId: number | null;
}

export interface TokenHolder {
  readonly tokenId: number;
  readonly kind: TokenKind;
  /** Null means every scope. It is also null for a session, to which scopes do not apply. */
  readonly scopes: GrantedScopes;
  readonly customerId: number | null;
  /** Null unless the token is an upload token. */
  readonly upload: UploadGrant | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly insertedAt: Date;
  readonly lastUsedAt: Date | null;
  readonly app: AppContext;
}

export interface NewAccessToken {
  readonly appId: number;
  readonly hash: Uint8Array;
  readonly name?: string | undefined;
  /** Default: every scope. */
  readonly scopes?: GrantedScopes | undefined;
  readonly language?: string | undefined;
  readonly expiresAt?: Date | undefined;
  /** Makes the token an upload token. Lists of tokens omit upload tokens. */
  readonly upload?: UploadGrant | undefined;
  /** The app's token that makes this upload token, and whose revocation also ends it. */
  readonly createdBy?: number | undefined;
}

export interface TokenKey {
  /** SHA-256 of the token. */
  readonly hash: Uint8Array;
  /** App that the token names; `undefined` for a token in the earlier format, without an app. */
  readonly appId: number | undefined;
}

/** Stores only the SHA-256 hashes of access tokens. */
export interface AccessTokens {
  /** Returns `undefined` when the app does not exist. */
  add(token: NewAccessToken): Promise<AppToken | undefined>;
  /**
   * Revokes the token of an app or a session; returns false for a missing token. A repeated call keeps the first
   * revocation time.
   */
  revoke(token: TokenKey): Promise<boolean>;
}

export interface AccessTokenQueries {
  /**
   * Returns the holder of a token, even if the token is revoked or expired. An upload token is revoked with its
   * creator; `undefined` when the token does not exist.
   */
  holderOf(token: TokenKey): Promise<TokenHolder | undefined>;
}
