import { changedFields, type AuditEntry } from '@back-office/kernel';
import type { Card } from './cards.js';

/** Returns the entry of a new or changed card, without its barcode, which pays like a password. */
export function cardEntries(before: Card | undefined, after: Card): AuditEntry[] {
  const fields = changedFields(before ? auditedCard(before) : {}, auditedCard(after));
  if (Object.keys(fields.after).length === 0 && before?.barcode === after.barcode) return [];
  return [{ action: 'card.put', subjectId: after.id, ...(before && { before: fields.before }), after: fields.after }];
}

function auditedCard({ customer_id, external_ref }: Card): object {
  return { customer_id, external_ref };
}
