import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '@back-office/kernel';
import type { AppContext } from './app-context.js';
import type { Rejection, TokenFailure } from './errors.js';
import type { Caller } from './route.js';
import { PLAIN_SPEECH } from './speech.js';

export type TokenKind = 'app' | 'session';

export interface TokenHolder {
  readonly tokenId: number;
  readonly kind: TokenKind;
  /** The customer who is signed in to the session, if any. */
  readonly customerId: number | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly app: AppContext;
}

/** Where access tokens are looked up. */
export interface AccessTokens {
  /** The holder of the token with this SHA-256; `undefined` when nobody holds it. At most 1 s out of date. */
  holderOf(hash: Buffer): Promise<TokenHolder | undefined>;
}

export function hashOfToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** A new token with 256 random bits, to be shown once and stored as its hash alone. */
export function newToken(kind: TokenKind): string {
  return `bo_${kind}_${randomBytes(32).toString('base64url')}`;
}

/** Who calls, or why the token does not say so. */
export async function authenticate(
  request: IncomingMessage,
  caller: Exclude<Caller, 'public'>,
  tokens: AccessTokens,
  clock: Clock,
): Promise<TokenHolder | Rejection> {
  const token = bearerToken(request);
  if (token === undefined) return { failure: 'API.Tokens.Missing', speech: PLAIN_SPEECH };
  const holder = token === '' ? undefined : await tokens.holderOf(hashOfToken(token));
  if (holder === undefined) return { failure: 'API.Tokens.Invalid', speech: PLAIN_SPEECH };
  const failure = failureOf(holder, caller, clock.now());
  return failure === undefined ? holder : { failure, speech: holder.app };
}

function failureOf(holder: TokenHolder, caller: Exclude<Caller, 'public'>, now: Date): TokenFailure | undefined {
  if (holder.revokedAt !== null) return 'API.Tokens.Revoked';
  if (holder.expiresAt !== null && holder.expiresAt <= now) return 'API.Tokens.Expired';
  return mayCall(holder, caller) ? undefined : 'API.Tokens.Invalid';
}

function mayCall({ kind, customerId }: TokenHolder, caller: Exclude<Caller, 'public'>): boolean {
  if (caller === 'app') return kind === 'app';
  return kind === 'session' && (caller === 'session' || customerId !== null);
}

/** The token of the one Authorization header; `''` when there is something, but not a single bearer token. */
function bearerToken({ headers, rawHeaders }: IncomingMessage): string | undefined {
  if (headers.authorization === undefined) return undefined;
  // Node keeps the first of two Authorization headers and drops the other without a word.
  const given = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization').length;
  const [, token = ''] = /^Bearer +([\x21-\x7e]+) *$/i.exec(headers.authorization) ?? [];
  return given === 1 ? token : '';
}
