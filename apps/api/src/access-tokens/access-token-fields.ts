import {
  DEFAULT_OVERLAP_HOURS,
  DEFAULT_TOKEN_LIFETIME_DAYS,
  isScope,
  MAX_OVERLAP_DAYS,
  MAX_TOKEN_LIFETIME_DAYS,
  SCOPES,
  type AppToken,
  type Scope,
} from '@back-office/apps';
import {
  checkText,
  formatDateTime,
  formatOptional,
  IS_INVALID,
  MALFORMED,
  MAX_STRING_LENGTH,
} from '@back-office/kernel';
import type { WebhookEndpoint } from '@back-office/events';
import { LANGUAGE_TAG } from '../apps/index.js';
import { DAY_SECONDS, Duration, parseDuration } from '../http/duration.js';
import { Flag, Text, ValidatedBy, Wrapper, type Validator } from '../http/request-fields.js';
import {
  boolean,
  component,
  dateTime,
  integer,
  listOf,
  nullable,
  oneOf,
  record,
  text,
  type TypeOf,
} from '../http/shapes.js';

const optional = true;
const MAX_LIFETIME_SECONDS = MAX_TOKEN_LIFETIME_DAYS * DAY_SECONDS;
const MAX_OVERLAP_SECONDS = MAX_OVERLAP_DAYS * DAY_SECONDS;
const LIFETIME_LIMITS = `default ${DEFAULT_TOKEN_LIFETIME_DAYS} days, at most ten years`;
const OVERLAP_LIMITS = `default ${DEFAULT_OVERLAP_HOURS} hours, at most ${MAX_OVERLAP_DAYS} days`;

const validateScopes: Validator = (value) => {
  if (!Array.isArray(value) || value.some((scope) => typeof scope !== 'string')) return MALFORMED;
  return value.length > 0 && value.length <= SCOPES.length && value.every(isScope) ? undefined : IS_INVALID;
};

/** An empty list is refused, because a token without scopes could do nothing. */
const SCOPE_LIST_SCHEMA = {
  type: 'array' as const,
  items: { type: 'string' as const, enum: [...SCOPES] },
  minItems: 1,
  maxItems: SCOPES.length,
};

class AccessTokenFields {
  @Text() name!: string;
  @ValidatedBy(validateScopes, SCOPE_LIST_SCHEMA, { optional }) scopes?: Scope[] | null;
  @Text({ max: 35, pattern: LANGUAGE_TAG, optional }) language?: string | null;
  @Duration(MAX_LIFETIME_SECONDS, LIFETIME_LIMITS) expires_in?: number | string | null;
}

export class PostAccessToken {
  @Wrapper(() => AccessTokenFields) access_token!: AccessTokenFields;
}

const validateName: Validator = (value) => checkText(value, MAX_STRING_LENGTH, false);

class ChangedFields {
  @ValidatedBy(validateName, { type: 'string', maxLength: MAX_STRING_LENGTH }, { optional }) name?: string;
  @ValidatedBy(validateScopes, SCOPE_LIST_SCHEMA, { optional }) scopes?: Scope[] | null;
  @Duration(MAX_LIFETIME_SECONDS, 'from now, at most ten years') expires_in?: number | string | null;
}

export class PatchAccessToken {
  @Wrapper(() => ChangedFields) access_token!: ChangedFields;
}

class RotationFields {
  @Duration(MAX_OVERLAP_SECONDS, OVERLAP_LIMITS) overlap?: number | string | null;
  @Duration(MAX_LIFETIME_SECONDS, LIFETIME_LIMITS) expires_in?: number | string | null;
}

export class RotateAccessToken {
  @Wrapper(() => RotationFields, { optional }) access_token?: RotationFields | null;
}

export class RevokeAccessToken {
  @Flag({ optional }) end_endpoints?: boolean | null;
}

export const RevokedTokenShape = record({
  webhook_endpoints: listOf(record({ id: integer, url: text, status: text })),
});

export function presentMadeEndpoint({ id, url, status }: WebhookEndpoint): { id: number; url: string; status: string } {
  return { id, url, status };
}

export function lifetimeSeconds(duration: number | string | null | undefined): number {
  return parseDuration(duration, DEFAULT_TOKEN_LIFETIME_DAYS * DAY_SECONDS);
}

export function overlapSeconds(duration: number | string | null | undefined): number {
  return parseDuration(duration, DEFAULT_OVERLAP_HOURS * 3_600);
}

const TOKEN_FIELDS = {
  id: integer,
  name: nullable(text),
  scopes: nullable(listOf(oneOf(SCOPES))),
  language: nullable(text),
  inserted_at: dateTime,
  last_used_at: nullable(dateTime),
  expires_at: nullable(dateTime),
  revoked_at: nullable(dateTime),
  current: boolean,
};

export const AccessTokenShape = component('AccessToken', TOKEN_FIELDS);
export const NewAccessTokenShape = component('NewAccessToken', { ...TOKEN_FIELDS, access_token: text });

/** The field `current` is true for the token that makes the call. */
export function presentToken(token: AppToken, currentId: number): TypeOf<typeof AccessTokenShape> {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes && [...token.scopes],
    language: token.language,
    inserted_at: formatDateTime(token.insertedAt),
    last_used_at: formatOptional(token.lastUsedAt),
    expires_at: formatOptional(token.expiresAt),
    revoked_at: formatOptional(token.revokedAt),
    current: token.id === currentId,
  };
}
