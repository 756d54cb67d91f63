import type { AppContext } from './app-context.js';
import type { GrantedScopes } from './scopes.js';
import type { AppToken } from './token-administration.js';

export type TokenKind = 'app' | 'session' | 'upload';

/** What an upload token may do. */
export interface UploadGrant {
  /** `''` for the top level. */
  readonly folder: string;
  /** Null for the app's default preset. */
  readonly presetId: number | null;
}

export interface TokenHolder {
  readonly tokenId: number;
  readonly kind: TokenKind;
  /** Sessions have no scopes. */
  readonly scopes: GrantedScopes;
  readonly customerId: number | null;
  /** Null unless it is an upload token. */
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
  /** Makes an upload token, which no list shows. */
  readonly upload?: UploadGrant | undefined;
}

/** Access tokens are stored as SHA-256 hashes only. */
export interface AccessTokens {
  /** Returns `undefined` when there is no such app. */
  add(token: NewAccessToken): Promise<AppToken | undefined>;
  /** Revokes the token of an app or a session; returns false when it does not exist. A repeat keeps the time of the first call. */
  revoke(hash: Uint8Array): Promise<boolean>;
}

export interface AccessTokenQueries {
  /** Also returns holders of revoked and expired tokens; `undefined` when the token does not exist. */
  holderOf(hash: Uint8Array): Promise<TokenHolder | undefined>;
}
