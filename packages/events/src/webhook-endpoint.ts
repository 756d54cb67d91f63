import {
  EVENT_TYPES,
  IS_INVALID,
  parseRecordId,
  refuse,
  type EventType,
  type Page,
  type Refusal,
} from '@back-office/kernel';
import { EVENT_KINDS, type EventArea } from './event-types.js';
import type { EventSelection } from './event-feed.js';

export const MAX_WEBHOOK_ENDPOINTS = 20;
export const TOO_MANY_ENDPOINTS = 'API.Webhooks.TooManyEndpoints';

/** A `switched_off` endpoint failed for three days, or answered 410. */
export type WebhookStatus = 'active' | 'paused' | 'switched_off';

export interface WebhookSecret {
  /** `whsec_` and 32 random bytes in base64. */
  readonly secret: string;
  /** End of the overlap of an old secret; null for the current secret. */
  readonly expiresAt: Date | null;
}

export interface WebhookFilter {
  /** Null means all types, including those of later versions. */
  readonly types: readonly EventType[] | null;
  /** The endpoint receives only events of this record, such as `stocks/5/2`; null means all records. */
  readonly subject: string | null;
  /** Areas that the creator's token was allowed to read; null means all areas. */
  readonly areas: readonly EventArea[] | null;
}

export interface WebhookEndpoint extends WebhookFilter {
  readonly id: number;
  readonly url: string;
  readonly description: string | null;
  /** The token that made the endpoint, or its successor; null if made by an earlier release. */
  readonly createdBy: number | null;
  readonly status: WebhookStatus;
  readonly statusReason: string | null;
  readonly secrets: readonly WebhookSecret[];
  readonly failingSince: Date | null;
  readonly insertedAt: Date;
  readonly updatedAt: Date;
}

export type NewWebhookEndpoint = WebhookFilter &
  Pick<WebhookEndpoint, 'url' | 'description' | 'createdBy'> & { readonly secret: string };

/** An absent field does not change. */
export interface WebhookChange {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  readonly types?: readonly EventType[] | null | undefined;
  readonly subject?: string | null | undefined;
  readonly status?: 'active' | 'paused' | undefined;
}

export interface WebhookEndpoints {
  /** Lists the app's endpoints in the order of their ids. */
  list(appId: number, page: Page): Promise<WebhookEndpoint[]>;
  find(appId: number, id: number): Promise<WebhookEndpoint | undefined>;
  /** Omits missing endpoints. */
  findAll(appId: number, ids: readonly number[]): Promise<WebhookEndpoint[]>;
  /** Adds an endpoint. It receives only events that happen later. Refused with `API.Webhooks.TooManyEndpoints`. */
  create(appId: number, endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint | Refusal>;
  /**
   * Returns `undefined` for a missing endpoint. Refuses a filter whose `types`, `subject` and areas exclude each other.
   * A paused or switched off endpoint that becomes active receives the events that it missed, unless they have expired.
   */
  change(appId: number, id: number, change: WebhookChange): Promise<WebhookEndpoint | Refusal | undefined>;
  /** Adds a secret. From now on, deliveries are signed with it, and until `overlapEndsAt` also with the old secrets. */
  rotateSecret(appId: number, id: number, secret: string, overlapEndsAt: Date): Promise<WebhookEndpoint | undefined>;
  /** Removes the endpoint with its log of deliveries; returns false for a missing endpoint. */
  remove(appId: number, id: number): Promise<boolean>;
}

/** Returns true when pending deliveries must be sent at once and retried for another three days. */
export function isRestart(endpoint: WebhookEndpoint, { url = endpoint.url, status }: WebhookChange): boolean {
  return status === 'active' || url !== endpoint.url;
}

/** Returns the endpoint after the change, as {@link WebhookEndpoints.change} describes. */
export function changedEndpoint(
  endpoint: WebhookEndpoint,
  change: WebhookChange,
  now: Date,
): WebhookEndpoint | Refusal {
  const { url = endpoint.url } = change;
  const isRestarted = endpoint.status === 'switched_off' && url !== endpoint.url;
  const status = change.status ?? (isRestarted ? 'active' : endpoint.status);
  const { description = endpoint.description, types = endpoint.types, subject = endpoint.subject } = change;
  const refusal = checkChangedFilter({ types, subject, areas: endpoint.areas }, change);
  if (refusal) return refusal;
  return {
    ...endpoint,
    url,
    description,
    types,
    subject,
    status,
    statusReason: status === 'switched_off' ? endpoint.statusReason : null,
    failingSince: isRestart(endpoint, change) ? null : endpoint.failingSince,
    updatedAt: now,
  };
}

function checkChangedFilter(filter: WebhookFilter, change: WebhookChange): Refusal | undefined {
  if (change.types === undefined && change.subject === undefined) return undefined;
  if (isContradictory(filter)) return refuse(IS_INVALID, change.subject === undefined ? 'types' : 'subject');
  return isReadable(filter) ? undefined : refuse(IS_INVALID, change.types === undefined ? 'subject' : 'types');
}

const MAX_SECRETS = 5;

/** Returns the secrets, newest first. Drops expired secrets, and keeps at most four old ones. */
export function rotatedSecrets(
  secrets: readonly WebhookSecret[],
  secret: string,
  overlapEndsAt: Date,
  now: Date,
): WebhookSecret[] {
  const oldSecrets = activeSecrets(secrets, now)
    .map((old) => ({
      ...old,
      expiresAt: old.expiresAt !== null && old.expiresAt < overlapEndsAt ? old.expiresAt : overlapEndsAt,
    }))
    .filter(({ expiresAt }) => expiresAt > now);
  return [{ secret, expiresAt: null }, ...oldSecrets].slice(0, MAX_SECRETS);
}

export function activeSecrets(secrets: readonly WebhookSecret[], now: Date): WebhookSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
}

export interface SubjectFilter {
  readonly types: readonly EventType[];
  readonly record: { readonly id: number; readonly warehouseId?: number };
}

/** Parses a subject such as `orders/5` or `stocks/5/2`; returns `undefined` when no event can have the subject. */
export function parseSubject(subject: string): SubjectFilter | undefined {
  const [kind, ...parts] = subject.split('/');
  const types = EVENT_TYPES.filter((type) => EVENT_KINDS[type].subject === kind);
  const ids = parts.map((part) => (/^[1-9]\d*$/.test(part) ? parseRecordId(part) : undefined));
  const [id, warehouseId] = ids;
  if (types.length === 0 || parts.length !== (kind === 'stocks' ? 2 : 1) || id === undefined) return undefined;
  if (parts.length === 1) return { types, record: { id } };
  return warehouseId === undefined ? undefined : { types, record: { id, warehouseId } };
}

export function selectionOf({ types, subject, areas }: WebhookFilter): Omit<EventSelection, 'limit'> {
  const filter = subject === null ? undefined : parseSubject(subject);
  const selectedTypes = EVENT_TYPES.filter(
    (type) =>
      (types === null || types.includes(type)) &&
      (areas === null || areas.includes(EVENT_KINDS[type].area)) &&
      (filter === undefined || filter.types.includes(type)),
  );
  return { types: selectedTypes, ...(filter && { record: filter.record }) };
}

/** Returns true when the subject excludes every selected type. */
export function isContradictory({ types, subject }: WebhookFilter): boolean {
  return selectionOf({ types, subject, areas: null }).types.length === 0;
}

/**
 * Returns true when the areas include every type of the filter. If the filter has no types, one readable type is
 * enough.
 */
export function isReadable({ types, subject, areas }: WebhookFilter): boolean {
  const readableCount = selectionOf({ types, subject, areas }).types.length;
  const selectedCount = selectionOf({ types, subject, areas: null }).types.length;
  return readableCount > 0 && (types === null || readableCount === selectedCount);
}
