import { EVENT_AREAS, parseSubject, subjectOf, type Delivery, type EventArea } from '@back-office/events';
import {
  EVENT_TYPES,
  formatDateTime,
  formatOptional,
  IS_INVALID,
  MALFORMED,
  type EventType,
} from '@back-office/kernel';
import type { GrantedScopes, Scope } from '@back-office/apps';
import { ENDPOINT_FIELDS } from '../events/index.js';
import { DAY_SECONDS, Duration, parseDuration } from '../http/duration.js';
import {
  IsBoolean,
  IsDateTime,
  IsIn,
  IsListOf,
  IsOptional,
  Length,
  MaxLength,
  Type,
  ValidatedBy,
  ValidateNested,
  Wrapper,
} from '../http/request-fields.js';
import { boolean, component, dateTime, integer, nullable, oneOf, record, text, type TypeOf } from '../http/shapes.js';

const MAX_URL_LENGTH = 2_000;
const DEFAULT_OVERLAP_SECONDS = DAY_SECONDS;
const MAX_OVERLAP_SECONDS = 30 * DAY_SECONDS;
const MAX_EVENT_IDS = 1_000;

function validateSubject(value: unknown): string | undefined {
  if (typeof value !== 'string') return MALFORMED;
  return parseSubject(value) === undefined ? IS_INVALID : undefined;
}

const SUBJECT_SCHEMA = { type: 'string' as const, description: 'a record, such as `orders/5` or `stocks/5/2`' };

class WebhookEndpointFields {
  @Length(1, MAX_URL_LENGTH) url!: string;
  @IsOptional() @MaxLength(255) description?: string | null;
  @IsOptional() @IsListOf(EVENT_TYPES) types?: EventType[] | null;
  @IsOptional() @ValidatedBy(validateSubject, SUBJECT_SCHEMA) subject?: string | null;
}

export class PostWebhookEndpoint {
  @Wrapper() @ValidateNested() @Type(() => WebhookEndpointFields) webhook_endpoint!: WebhookEndpointFields;
}

class ChangedEndpointFields {
  @IsOptional() @MaxLength(MAX_URL_LENGTH) url?: string | null;
  @IsOptional() @MaxLength(255) description?: string | null;
  @IsOptional() @IsListOf(EVENT_TYPES) types?: EventType[] | null;
  @IsOptional() @ValidatedBy(validateSubject, SUBJECT_SCHEMA) subject?: string | null;
  @IsOptional() @IsIn(['active', 'paused']) status?: 'active' | 'paused' | null;
}

export class PatchWebhookEndpoint {
  @Wrapper() @ValidateNested() @Type(() => ChangedEndpointFields) webhook_endpoint!: ChangedEndpointFields;
}

class SecretRotationFields {
  @IsOptional() @Duration(MAX_OVERLAP_SECONDS, 'default 24 hours, at most 30 days') overlap?: number | string | null;
}

export class RotateWebhookSecret {
  @IsOptional()
  @Wrapper()
  @ValidateNested()
  @Type(() => SecretRotationFields)
  webhook_endpoint?: SecretRotationFields | null;
}

export function overlapSeconds(body: RotateWebhookSecret): number {
  return parseDuration(body.webhook_endpoint?.overlap, DEFAULT_OVERLAP_SECONDS);
}

function validateEventIds(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every((id) => typeof id === 'string')) return MALFORMED;
  const areIds = value.every((id) => /^\d{1,15}$/.test(id));
  return value.length > 0 && value.length <= MAX_EVENT_IDS && areIds ? undefined : IS_INVALID;
}

const EVENT_IDS_SCHEMA = {
  type: 'array' as const,
  items: { type: 'string' as const, pattern: '^\\d{1,15}$' },
  minItems: 1,
  maxItems: MAX_EVENT_IDS,
};

class ReplayFields {
  @IsOptional() @ValidatedBy(validateEventIds, EVENT_IDS_SCHEMA) event_ids?: string[] | null;
  @IsOptional() @IsBoolean() failed?: boolean | null;
  @IsOptional() @IsDateTime() from?: string | null;
  @IsOptional() @IsDateTime() until?: string | null;
}

export class ReplayDeliveries {
  @Wrapper() @ValidateNested() @Type(() => ReplayFields) replay!: ReplayFields;
}

export const WebhookEndpointWithSecretShape = component('WebhookEndpointWithSecret', {
  ...ENDPOINT_FIELDS,
  secret: text,
});

export const TestResultShape = record({
  delivered: boolean,
  status: nullable(integer),
  error: nullable(oneOf(['timeout', 'connection_failed', 'forbidden_target'])),
  latency_ms: integer,
  response: nullable(text),
});

export const DeliveryShape = component('WebhookDelivery', {
  event_id: text,
  type: oneOf(EVENT_TYPES),
  subject: text,
  time: dateTime,
  status: oneOf(['pending', 'delivered', 'failed']),
  attempts: integer,
  first_attempt_at: nullable(dateTime),
  last_attempt_at: nullable(dateTime),
  next_attempt_at: nullable(dateTime),
  request: record({ url: nullable(text), message_id: text, bytes: nullable(integer) }),
  response: record({
    status: nullable(integer),
    error: nullable(text),
    latency_ms: nullable(integer),
    body: nullable(text),
  }),
});

export function presentDelivery(delivery: Delivery, id: string): TypeOf<typeof DeliveryShape> {
  const { event, status, attempts } = delivery;
  return {
    event_id: String(event.id),
    type: event.type,
    subject: subjectOf(event),
    time: formatDateTime(event.at),
    status,
    attempts,
    first_attempt_at: formatOptional(delivery.firstAttemptAt),
    last_attempt_at: formatOptional(delivery.lastAttemptAt),
    next_attempt_at: formatOptional(delivery.nextAttemptAt),
    request: { url: delivery.url, message_id: id, bytes: delivery.requestBytes },
    response: {
      status: delivery.responseStatus,
      error: delivery.error,
      latency_ms: delivery.latencyMs,
      body: delivery.responseText,
    },
  };
}

/** Returns the areas that the token may read; null means all areas. */
export function readableAreas(scopes: GrantedScopes): EventArea[] | null {
  if (scopes === null) return null;
  return EVENT_AREAS.filter((area) => scopes.includes(`${area}:read`));
}

/**
 * Returns the scopes that a token needs to change an endpoint of these areas; null means a token with unrestricted
 * scopes.
 */
export function scopesOf(areas: readonly EventArea[] | null): readonly Scope[] | null {
  return areas && areas.map((area) => `${area}:read` as const);
}
