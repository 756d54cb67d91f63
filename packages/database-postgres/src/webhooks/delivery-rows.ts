import { subjectOf, type Delivery } from '@back-office/events';
import type { RowOf } from '../tables/define-table.js';
import { WEBHOOK_DELIVERIES } from '../tables/webhooks.js';

export type DeliveryRow = RowOf<typeof WEBHOOK_DELIVERIES>;

export const DELIVERY_COLUMNS = WEBHOOK_DELIVERIES.columns.list;

export function toDelivery(row: DeliveryRow): Delivery {
  const { position, at, type, removed, status, attempts, url, error } = row;
  return {
    event: {
      id: row.event_id,
      position,
      at,
      type,
      removed,
      recordId: row.record_id,
      warehouseId: row.warehouse_id,
      partId: row.part_id,
    },
    status,
    attempts,
    url,
    error,
    firstAttemptAt: row.first_attempt_at,
    lastAttemptAt: row.last_attempt_at,
    nextAttemptAt: row.next_attempt_at,
    requestBytes: row.request_bytes,
    latencyMs: row.latency_ms,
    responseStatus: row.response_status,
    responseText: row.response_text,
  };
}

export function toDeliveryRow(appId: number, endpointId: number, delivery: Delivery): DeliveryRow {
  const { event, status, attempts, url, error } = delivery;
  const { position, at, type, removed } = event;
  return {
    app_id: appId,
    endpoint_id: endpointId,
    event_id: event.id,
    position,
    at,
    type,
    removed,
    status,
    attempts,
    url,
    error,
    record_id: event.recordId,
    warehouse_id: event.warehouseId,
    part_id: event.partId,
    subject: subjectOf(event),
    first_attempt_at: delivery.firstAttemptAt,
    last_attempt_at: delivery.lastAttemptAt,
    next_attempt_at: delivery.nextAttemptAt,
    request_bytes: delivery.requestBytes,
    latency_ms: delivery.latencyMs,
    response_status: delivery.responseStatus,
    response_text: delivery.responseText,
  };
}
