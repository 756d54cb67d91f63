import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '@back-office/kernel';
import { type AccessTokenQueries, PLAIN_SPEECH, type TokenHolder, type TokenKind } from '@back-office/apps';
import type { Rejection, TokenFailure } from './errors.js';
import type { Caller } from './route.js';

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The token holds 256 random bits; only its hash is stored. */
export function newToken(kind: TokenKind): string {
  return `bo_${kind}_${randomBytes(32).toString('base64url')}`;
}

export async function authenticate(
  request: IncomingMessage,
  caller: Exclude<Caller, 'public'>,
  tokens: AccessTokenQueries,
  clock: Clock,
): Promise<TokenHolder | Rejection> {
  const token = parseBearerToken(request);
  if (token === undefined) return { failure: 'API.Tokens.Missing', speech: PLAIN_SPEECH };
  const holder = token === '' ? undefined : await tokens.holderOf(hashToken(token));
  if (holder === undefined) return { failure: 'API.Tokens.Invalid', speech: PLAIN_SPEECH };
  const failure = failureOf(holder, caller, clock.now());
  return failure === undefined ? holder : { failure, speech: holder.app };
}

function failureOf(holder: TokenHolder, caller: Exclude<Caller, 'public'>, now: Date): TokenFailure | undefined {
  if (holder.revokedAt !== null) return 'API.Tokens.Revoked';
  if (holder.expiresAt !== null && holder.expiresAt <= now) return 'API.Tokens.Expired';
  return canCall(holder, caller) ? undefined : 'API.Tokens.Invalid';
}

function canCall({ kind, customerId }: TokenHolder, caller: Exclude<Caller, 'public'>): boolean {
  if (caller === 'app') return kind === 'app';
  return kind === 'session' && (caller === 'session' || customerId !== null);
}

/** Returns `''` for a header that is not a single bearer token, `undefined` without a header. */
function parseBearerToken({ headers, rawHeaders }: IncomingMessage): string | undefined {
  if (headers.authorization === undefined) return undefined;
  // Node silently drops a second Authorization header.
  const headerCount = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  ).length;
  const [, token = ''] = /^Bearer +([\x21-\x7e]+) *$/i.exec(headers.authorization) ?? [];
  return headerCount === 1 ? token : '';
}
