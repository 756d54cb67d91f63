import { changedFields, type AuditEntry } from '@back-office/kernel';
import type { ReplaySelection } from './webhook-deliveries.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

/** Returns the entry of a new, changed or removed endpoint, without secrets; no entry when nothing has changed. */
export function endpointEntries(before: WebhookEndpoint | undefined, after: WebhookEndpoint | undefined): AuditEntry[] {
  const subjectId = (after ?? before)?.id;
  const fields = changedFields(before ? auditedEndpoint(before) : {}, after ? auditedEndpoint(after) : {});
  if (after === undefined) return [{ action: 'webhook_endpoint.remove', subjectId, before: fields.before }];
  if (before === undefined) return [{ action: 'webhook_endpoint.create', subjectId, after: fields.after }];
  if (Object.keys(fields.after).length === 0) return [];
  return [{ action: 'webhook_endpoint.change', subjectId, ...fields }];
}

export function secretRotationEntry(id: number, overlapEndsAt: Date): AuditEntry {
  return { action: 'webhook_endpoint.rotate_secret', subjectId: id, after: { overlap_ends_at: overlapEndsAt } };
}

export function replayEntry(subjectId: number, selection: ReplaySelection, count: number): AuditEntry {
  const chosen = 'eventIds' in selection ? { event_ids: selection.eventIds.length } : selection;
  return { action: 'webhook_endpoint.replay', subjectId, after: { ...chosen, events: count } };
}

function auditedEndpoint({ url, description, types, subject, areas, status }: WebhookEndpoint): object {
  return { url, description, types, subject, areas, status };
}
