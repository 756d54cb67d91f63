import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addHours, formatDateTime, type Clock } from '@back-office/kernel';
import {
  type AccessTokenQueries,
  hasAnyScope,
  PLAIN_SPEECH,
  type TokenHolder,
  type TokenKey,
  type TokenKind,
} from '@back-office/apps';
import type { Rejection, TokenFailure } from './errors.js';
import { countHeader } from './raw-headers.js';
import { scopesOf, type Route } from './route.js';

export type AuthenticatedRoute = Pick<Route, 'caller' | 'scope' | 'acceptsUploadTokens'>;

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Returns a token with the id of its app and 256 random bits. Callers store only its hash. */
export function newToken(kind: TokenKind, appId: number): string {
  return `bo_${kind}_${appId}_${randomBytes(32).toString('base64url')}`;
}

const TOKEN = /^bo_(?:app|session|upload)_(?:([1-9]\d{0,14})_)?[\w-]{43}$/;

export interface HashedToken extends TokenKey {
  readonly hash: Buffer;
  /** The hash as the key of a map. */
  readonly mapKey: string;
}

/**
 * Returns what finds a token; earlier tokens do not name their app. Returns `undefined` for a text that was never a
 * token, because its look-up in all apps would find nothing.
 */
export function tokenKeyOf(token: string): HashedToken | undefined {
  const match = TOKEN.exec(token);
  if (match === null) return undefined;
  const tokenHash = hashToken(token);
  const [, appId] = match;
  return { hash: tokenHash, mapKey: mapKeyOf(tokenHash), appId: appId === undefined ? undefined : Number(appId) };
}

/** Returns a token's hash as the key of a map. */
export function mapKeyOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

/** What the `Authorization` header contains, before the token is looked up. */
export interface Credentials {
  readonly isMissing: boolean;
  /** Hash of the header's text; `undefined` unless it is exactly one bearer token. */
  readonly hash: Buffer | undefined;
  /** `undefined` without a token that can exist. */
  readonly key: HashedToken | undefined;
}

export function credentialsOf(request: IncomingMessage): Credentials {
  const token = parseBearerToken(request);
  if (token === undefined || token === '') return { isMissing: token === undefined, hash: undefined, key: undefined };
  const key = tokenKeyOf(token);
  return { isMissing: false, hash: key?.hash ?? hashToken(token), key };
}

const LOGGED_HASH_LENGTH = 8;

export async function authenticate(
  { isMissing, hash: tokenHash, key }: Credentials,
  route: AuthenticatedRoute,
  tokens: AccessTokenQueries,
  clock: Clock,
): Promise<TokenHolder | Rejection> {
  if (isMissing) return { failure: 'API.Tokens.Missing', speech: PLAIN_SPEECH };
  const holder = key && (await tokens.holderOf(key));
  const describeToken = () => ({
    tokenId: holder?.tokenId,
    appId: holder?.app.id,
    hashPrefix: tokenHash?.toString('hex').slice(0, LOGGED_HASH_LENGTH),
  });
  if (holder === undefined) return { failure: 'API.Tokens.Invalid', speech: PLAIN_SPEECH, token: describeToken() };
  const { app: speech, scopes } = holder;
  const failure = failureOf(holder, route, clock.now());
  if (failure !== undefined) return { failure, speech, token: describeToken() };
  const acceptedScopes = scopesOf(route);
  const [missingScope] = acceptedScopes;
  if (missingScope && !hasAnyScope(scopes, acceptedScopes)) return { missingScope, speech, token: describeToken() };
  return holder;
}

const EXPIRY_WARNING_DAYS = 30;

/**
 * Adds the header `Token-Expires` in the last 30 days of an app's token. Sessions get no warning, because apps start
 * them and know their end.
 */
export function warnOfExpiry(response: ServerResponse, { kind, expiresAt }: TokenHolder, clock: Clock): void {
  if (kind !== 'app' || expiresAt === null || expiresAt > addHours(clock.now(), EXPIRY_WARNING_DAYS * 24)) return;
  response.setHeader('Token-Expires', formatDateTime(expiresAt));
}

function failureOf(holder: TokenHolder, route: AuthenticatedRoute, now: Date): TokenFailure | undefined {
  if (holder.revokedAt !== null) return 'API.Tokens.Revoked';
  if (holder.expiresAt !== null && holder.expiresAt <= now) return 'API.Tokens.Expired';
  if (isIdle(holder, now)) return 'API.Tokens.Expired';
  return canCall(holder, route) ? undefined : 'API.Tokens.Invalid';
}

/** A session ends after an idle time, because a lost or sold phone must not stay signed in. */
function isIdle({ kind, insertedAt, lastUsedAt, app }: TokenHolder, now: Date): boolean {
  return kind === 'session' && addHours(lastUsedAt ?? insertedAt, app.settings.sessions.idleDays * 24) <= now;
}

function canCall({ kind, customerId }: TokenHolder, { caller, acceptsUploadTokens }: AuthenticatedRoute): boolean {
  if (kind === 'upload') return acceptsUploadTokens === true;
  if (caller === 'app') return kind === 'app';
  return kind === 'session' && (caller === 'session' || customerId !== null);
}

/** Returns `undefined` without the header, and `''` when the header is not exactly one bearer token. */
function parseBearerToken(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  const [, token = ''] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization) ?? [];
  return countHeader(request, 'authorization') === 1 ? token : '';
}
