import { activeSecrets, EVENT_AREAS, type WebhookEndpoint } from '@back-office/events';
import { EVENT_TYPES, formatDateTime, formatOptional } from '@back-office/kernel';
import { component, dateTime, described, integer, listOf, nullable, oneOf, text, type TypeOf } from '../http/shapes.js';

export const ENDPOINT_FIELDS = {
  id: integer,
  url: text,
  description: nullable(text),
  types: nullable(listOf(oneOf(EVENT_TYPES))),
  subject: nullable(text),
  areas: described(
    nullable(listOf(oneOf(EVENT_AREAS))),
    'only events of these areas, which the token of the creator could read; null for all',
  ),
  created_by: described(nullable(integer), 'id of the token that made it; of the new token after a rotation'),
  status: oneOf(['active', 'paused', 'switched_off']),
  status_reason: nullable(text),
  failing_since: nullable(dateTime),
  old_secrets_expire_at: nullable(dateTime),
  inserted_at: dateTime,
  updated_at: dateTime,
};

export const WebhookEndpointShape = component('WebhookEndpoint', ENDPOINT_FIELDS);

export function presentEndpoint(endpoint: WebhookEndpoint, now: Date): TypeOf<typeof WebhookEndpointShape> {
  const expiries = activeSecrets(endpoint.secrets, now).flatMap(({ expiresAt }) => expiresAt ?? []);
  const lastExpiry = expiries.reduce<Date | null>((last, at) => (last === null || at > last ? at : last), null);
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    types: endpoint.types && [...endpoint.types],
    subject: endpoint.subject,
    areas: endpoint.areas && [...endpoint.areas],
    created_by: endpoint.createdBy,
    status: endpoint.status,
    status_reason: endpoint.statusReason,
    failing_since: formatOptional(endpoint.failingSince),
    old_secrets_expire_at: formatOptional(lastExpiry),
    inserted_at: formatDateTime(endpoint.insertedAt),
    updated_at: formatDateTime(endpoint.updatedAt),
  };
}
