import {
  DEFAULT_TOKEN_LIFETIME_DAYS,
  isScope,
  MAX_OVERLAP_DAYS,
  MAX_TOKEN_LIFETIME_DAYS,
  SCOPES,
  type Scope,
} from '@back-office/apps';
import { addHours, isCurrency } from '@back-office/kernel';
import { InvalidArgumentError, Option } from 'commander';
import { quote } from './terminal-text.js';

export function parseName(text: string): string {
  if (text.trim() === '' || text.length > 255) throw new InvalidArgumentError('A name of 1 to 255 characters.');
  return text;
}

export function parseCurrency(text: string): string {
  if (!isCurrency(text)) throw new InvalidArgumentError('An ISO 4217 code such as RSD or EUR.');
  return text;
}

export function parseId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('A whole number.');
  return Number(text);
}

export function parseHours(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('A time such as 12h or 30d.');
  return Number(count) * (unit === 'd' ? 24 : 1);
}

const NEVER = 'never';

/** Hours, or `never` for a token without an expiry. */
export type Lifetime = number | typeof NEVER;

function parseLifetime(text: string): Lifetime {
  return text === NEVER ? NEVER : parseLimitedHours(text, MAX_TOKEN_LIFETIME_DAYS);
}

export function lifetimeOption(): Option {
  return new Option('--expires-in <time>', 'lifetime of the token, such as 12h or 30d, or never')
    .default(DEFAULT_TOKEN_LIFETIME_DAYS * 24, `${DEFAULT_TOKEN_LIFETIME_DAYS}d`)
    .argParser(parseLifetime);
}

export function expiryOf(lifetime: Lifetime, now: Date): Date | undefined {
  return lifetime === NEVER ? undefined : addHours(now, lifetime);
}

export const parseRotatedLifetime = (text: string): number => parseLimitedHours(text, MAX_TOKEN_LIFETIME_DAYS);
export const parseOverlap = (text: string): number => parseLimitedHours(text, MAX_OVERLAP_DAYS);

function parseLimitedHours(text: string, maxDays: number): number {
  const hours = parseHours(text);
  if (hours > maxDays * 24) throw new InvalidArgumentError(`At most ${maxDays}d.`);
  return hours;
}

export function parseScopes(text: string): Scope[] {
  const scopes = [...new Set(text.split(',').map((scope) => scope.trim()))];
  const unknownScope = scopes.find((scope) => !isScope(scope));
  if (unknownScope !== undefined)
    throw new InvalidArgumentError(`${quote(unknownScope)} is no scope. Scopes: ${SCOPES.join(', ')}.`);
  return scopes.filter(isScope);
}
