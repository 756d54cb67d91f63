import { WORKER_ACTOR, type Actor } from '@back-office/apps';
import type { AuditEntry } from '@back-office/kernel';

export const INSERT_AUDIT_ENTRIES = `
  insert into audit_log
    (app_id, at, actor, token_id, customer_id, address, request_id, service_request_id, action, subject_id, before, after)
  select $1, $2, $3, $4, $5, $6, $7, $8, e.action, e.subject_id, e.before, e.after
  from json_to_recordset($9) as e (ordinal int, action text, subject_id bigint, before jsonb, after jsonb)
  order by e.ordinal`;

/** Returns one statement that stores all entries of a transaction. */
export function auditStatement(appId: number, at: Date, entries: readonly AuditEntry[], actor: Actor = WORKER_ACTOR) {
  const { kind, tokenId, customerId, address, requestId, serviceRequestId } = actor;
  const rows = entries.map(({ action, subjectId, before, after }, ordinal) => ({
    ordinal,
    action,
    subject_id: subjectId ?? null,
    before: before ?? null,
    after: after ?? null,
  }));
  const origin = [kind, tokenId, customerId, address, requestId, serviceRequestId];
  const values = [appId, at, ...origin, JSON.stringify(rows)];
  return { text: INSERT_AUDIT_ENTRIES, values };
}
