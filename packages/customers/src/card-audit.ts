import type { AuditEntry } from '@back-office/kernel';
import type { Card } from './cards.js';

/** Returns the entry of a new or changed card; none when nothing has changed. Its codes may be personal data. */
export function cardEntries(before: Card | undefined, after: Card): AuditEntry[] {
  const fields = ['customer_id', 'barcode', 'external_ref'] as const;
  const changed = fields.filter((field) => before?.[field] !== after[field]);
  if (changed.length === 0) return [];
  return [
    {
      action: 'card.put',
      subjectId: after.id,
      ...(before && { before: { customer_id: before.customer_id } }),
      after: { customer_id: after.customer_id, changed },
    },
  ];
}
