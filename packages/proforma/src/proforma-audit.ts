import type { AuditAction, AuditEntry } from '@back-office/kernel';
import type { ProformaChange } from './changes.js';
import { paymentEntries } from './payment-audit.js';

/** Returns the entries of confirmations, conversions and cancellations, and those of payments and refunds. */
export function proformaEntries(changes: readonly ProformaChange[]): AuditEntry[] {
  const steps = changes.flatMap((change): AuditEntry[] => {
    const { before, after } = change;
    const action = actionOf(change);
    if (action === undefined) return [];
    return [{ action, subjectId: after.id, before: { status: before.status }, after: { status: after.status } }];
  });
  return [...steps, ...paymentEntries(changes)];
}

function actionOf({ before, after }: ProformaChange): AuditAction | undefined {
  if (after.warehouseConfirmedAt !== before.warehouseConfirmedAt) return 'proforma.confirm';
  if (after.status === before.status) return undefined;
  if (after.status === 'converted') return 'proforma.convert';
  return after.status === 'canceled' ? 'proforma.cancel' : undefined;
}
