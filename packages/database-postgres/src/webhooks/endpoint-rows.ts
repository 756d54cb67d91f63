import type { WebhookEndpoint, WebhookSecret } from '@back-office/events';
import type { RowOf } from '../tables/define-table.js';
import { WEBHOOK_ENDPOINTS, type StoredSecret } from '../tables/webhooks.js';

export type EndpointRow = RowOf<typeof WEBHOOK_ENDPOINTS>;

export const ENDPOINT_COLUMNS = WEBHOOK_ENDPOINTS.columns.list;

export function toEndpoint(row: EndpointRow): WebhookEndpoint {
  const { id, url, description, types, subject, areas, status, secrets } = row;
  return {
    id,
    url,
    description,
    createdBy: row.created_by,
    types,
    subject,
    areas,
    status,
    statusReason: row.status_reason,
    secrets: secrets.map(toSecret),
    failingSince: row.failing_since,
    insertedAt: row.inserted_at,
    updatedAt: row.updated_at,
  };
}

function toSecret({ secret, expiresAt }: StoredSecret): WebhookSecret {
  return { secret, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
}
