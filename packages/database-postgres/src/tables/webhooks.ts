import type { DeliveryStatus, EventArea, WebhookSecret, WebhookStatus } from '@back-office/events';
import type { EventType } from '@back-office/kernel';
import { appId, bigint, identity, integer, jsonb, text, texts, timestamptz, uuid } from './columns.js';
import { defineTable } from './define-table.js';

/** The time is text, because the column is JSON. */
export type StoredSecret = Omit<WebhookSecret, 'expiresAt'> & { readonly expiresAt: string | null };

export const WEBHOOK_ENDPOINTS = defineTable({
  name: 'webhook_endpoints',
  columns: {
    app_id: appId(),
    id: identity(),
    url: text(),
    description: text().nullable(),
    types: texts<EventType>().nullable(),
    subject: text().nullable(),
    areas: texts<EventArea>().nullable(),
    created_by: bigint().nullable(),
    status: text<WebhookStatus>(),
    status_reason: text().nullable(),
    secrets: jsonb<readonly StoredSecret[]>(),
    position: bigint(),
    failures: integer().default(0),
    failing_since: timestamptz().nullable(),
    retry_at: timestamptz().nullable(),
    revision: integer().default(0),
    lease: uuid().nullable(),
    leased_until: timestamptz().nullable(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    webhook_endpoints_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  checks: {
    webhook_endpoints_status_check: "status in ('active', 'paused', 'switched_off')",
  },
});

export const WEBHOOK_DELIVERIES = defineTable({
  name: 'webhook_deliveries',
  columns: {
    app_id: appId(),
    endpoint_id: bigint().primary(),
    event_id: bigint().primary(),
    position: bigint(),
    at: timestamptz(),
    type: text<EventType>(),
    record_id: bigint(),
    warehouse_id: bigint().nullable(),
    part_id: bigint().nullable(),
    removed: jsonb<object>().nullable(),
    subject: text(),
    status: text<DeliveryStatus>(),
    attempts: integer(),
    first_attempt_at: timestamptz().nullable(),
    last_attempt_at: timestamptz().nullable(),
    next_attempt_at: timestamptz().nullable(),
    url: text().nullable(),
    request_bytes: integer().nullable(),
    latency_ms: integer().nullable(),
    response_status: integer().nullable(),
    error: text().nullable(),
    response_text: text().nullable(),
  },
  foreignKeys: {
    webhook_deliveries_endpoint_fkey: ['webhook_endpoints', { app_id: 'app_id', endpoint_id: 'id' }],
  },
  checks: {
    webhook_deliveries_status_check: "status in ('pending', 'delivered', 'failed')",
  },
  indexes: {
    webhook_deliveries_listed_idx: ['app_id', 'endpoint_id', 'position'],
    webhook_deliveries_position_idx: ['app_id', 'position'],
    webhook_deliveries_pending_idx: {
      columns: ['app_id', 'endpoint_id', 'subject', 'position'],
      where: "status = 'pending'",
    },
    webhook_deliveries_due_idx: {
      columns: ['app_id', 'endpoint_id', 'next_attempt_at'],
      where: 'next_attempt_at is not null',
    },
  },
});
