import { refuse, type Page, type Refusal } from '@back-office/kernel';
import { coversScopes, type GrantedScopes } from './scopes.js';

export interface AppToken {
  readonly id: number;
  readonly name: string | null;
  readonly scopes: GrantedScopes;
  readonly language: string | null;
  readonly insertedAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** An absent field does not change. */
export interface TokenChange {
  readonly name?: string | null | undefined;
  readonly scopes?: GrantedScopes | undefined;
  readonly expiresAt?: Date | undefined;
}

export interface TokenRotation {
  readonly hash: Uint8Array;
  readonly expiresAt: Date;
  /** The old token expires at this time or at its own expiry, whichever is earlier. */
  readonly overlapEndsAt: Date;
}

export interface TokenUse {
  readonly tokenId: number;
  readonly at: Date;
}

export const DEFAULT_TOKEN_LIFETIME_DAYS = 400;
export const MAX_TOKEN_LIFETIME_DAYS = 3_650;
export const DEFAULT_OVERLAP_HOURS = 24;
export const MAX_OVERLAP_DAYS = 30;
/** Minimum interval between two writes of a token's last use. */
export const MIN_USE_INTERVAL_MS = 60_000;

export const SCOPE_NOT_HELD = 'API.Tokens.ScopeNotHeld';
export const TOKEN_NOT_ACTIVE = 'API.Tokens.NotActive';
/** Refusal of a token that changes its own expiry. Otherwise a rotated token could stay valid after its overlap. */
export const OWN_EXPIRY = 'API.Tokens.OwnExpiry';

/** `granted` are the scopes of the caller. The caller can grant or remove only these scopes. */
export interface TokenAdministration {
  /** Lists the app's tokens in the order of their ids, without sessions. */
  list(appId: number, page: Page): Promise<AppToken[]>;
  /** Refused with `API.Tokens.ScopeNotHeld` or `API.Tokens.NotActive`; `undefined` when the token is missing. */
  change(
    appId: number,
    id: number,
    change: TokenChange,
    granted: GrantedScopes,
  ): Promise<AppToken | Refusal | undefined>;
  /**
   * Adds a token with the fields of the old token, and limits the lifetime of the old token. The new token takes over
   * the upload tokens and webhook endpoints that the old one has made. Refuses like {@link change}.
   */
  rotate(
    appId: number,
    id: number,
    rotation: TokenRotation,
    granted: GrantedScopes,
  ): Promise<AppToken | Refusal | undefined>;
  /**
   * Revokes a token of the app or an upload token, and returns the hash of the token. A repeated call keeps the first
   * revocation time. Refused with `API.Tokens.ScopeNotHeld`.
   */
  revoke(appId: number, id: number, granted: GrantedScopes): Promise<Uint8Array | Refusal | undefined>;
  /** Writes the last use of tokens. Skips a token whose stored use is less than a minute old. */
  recordUses(appId: number, uses: readonly TokenUse[]): Promise<void>;
}

type TokenState = Pick<AppToken, 'scopes' | 'expiresAt' | 'revokedAt'>;

/** Refuses scopes that the caller's token does not have. */
export function checkGranted(granted: GrantedScopes, scopes: GrantedScopes | undefined): Refusal | undefined {
  return scopes === undefined || coversScopes(granted, scopes) ? undefined : refuse(SCOPE_NOT_HELD);
}

export function checkChange(
  { scopes, expiresAt, revokedAt }: TokenState,
  change: Pick<TokenChange, 'scopes'>,
  granted: GrantedScopes,
  now: Date,
): Refusal | undefined {
  const refusal = checkGranted(granted, scopes) ?? checkGranted(granted, change.scopes);
  if (refusal) return refusal;
  const isActive = revokedAt === null && (expiresAt === null || expiresAt > now);
  return isActive ? undefined : refuse(TOKEN_NOT_ACTIVE);
}

/** Returns the end of the overlap, or the expiry of the old token if that is earlier. */
export function overlapEnd({ expiresAt }: Pick<AppToken, 'expiresAt'>, overlapEndsAt: Date): Date {
  return expiresAt !== null && expiresAt < overlapEndsAt ? expiresAt : overlapEndsAt;
}
