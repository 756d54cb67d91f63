import {
  DEFAULT_OVERLAP_HOURS,
  DEFAULT_TOKEN_LIFETIME_DAYS,
  MAX_OVERLAP_DAYS,
  MAX_TOKEN_LIFETIME_DAYS,
  SCOPES,
  type AppToken,
  type Scope,
} from '@back-office/apps';
import { formatDateTime, formatOptional } from '@back-office/kernel';
import type { WebhookEndpoint } from '@back-office/events';
import { LANGUAGE_TAG } from '../apps/index.js';
import { DAY_SECONDS, Duration, parseDuration } from '../http/duration.js';
import {
  IsBoolean,
  IsListOf,
  IsOptional,
  Length,
  Matches,
  MaxLength,
  Type,
  ValidateNested,
  Wrapper,
} from '../http/request-fields.js';
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

const MAX_LIFETIME_SECONDS = MAX_TOKEN_LIFETIME_DAYS * DAY_SECONDS;
const MAX_OVERLAP_SECONDS = MAX_OVERLAP_DAYS * DAY_SECONDS;
const LIFETIME_LIMITS = `default ${DEFAULT_TOKEN_LIFETIME_DAYS} days, at most ten years`;
const OVERLAP_LIMITS = `default ${DEFAULT_OVERLAP_HOURS} hours, at most ${MAX_OVERLAP_DAYS} days`;

class AccessTokenFields {
  @Length(1, 255) name!: string;
  @IsOptional() @IsListOf(SCOPES) scopes?: Scope[] | null;
  @IsOptional() @MaxLength(35) @Matches(LANGUAGE_TAG) language?: string | null;
  @IsOptional() @Duration(MAX_LIFETIME_SECONDS, LIFETIME_LIMITS) expires_in?: number | string | null;
}

export class PostAccessToken {
  @Wrapper() @ValidateNested() @Type(() => AccessTokenFields) access_token!: AccessTokenFields;
}

class ChangedFields {
  @IsOptional() @Length(1, 255) name?: string;
  @IsOptional() @IsListOf(SCOPES) scopes?: Scope[] | null;
  @IsOptional() @Duration(MAX_LIFETIME_SECONDS, 'from now, at most ten years') expires_in?: number | string | null;
}

export class PatchAccessToken {
  @Wrapper() @ValidateNested() @Type(() => ChangedFields) access_token!: ChangedFields;
}

class RotationFields {
  @IsOptional() @Duration(MAX_OVERLAP_SECONDS, OVERLAP_LIMITS) overlap?: number | string | null;
  @IsOptional() @Duration(MAX_LIFETIME_SECONDS, LIFETIME_LIMITS) expires_in?: number | string | null;
}

export class RotateAccessToken {
  @IsOptional() @Wrapper() @ValidateNested() @Type(() => RotationFields) access_token?: RotationFields | null;
}

export class RevokeAccessToken {
  @IsOptional() @IsBoolean() end_endpoints?: boolean | null;
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
