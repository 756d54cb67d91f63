import { changedFields, type AuditEntry } from '@back-office/kernel';
import type { ProformaChange } from './changes.js';
import type { Payment } from './proforma.js';

/** Returns up to two entries per changed proforma: one for payments and one for refunds. */
export function paymentEntries(changes: readonly ProformaChange[]): AuditEntry[] {
  return changes.flatMap(({ before, after }) => {
    if (before.payments === after.payments) return [];
    const previousPayments = new Map(before.payments.map((payment) => [payment.id, payment]));
    const changed = after.payments.filter(
      (payment) => payment.id === 0 || hasChanged(previousPayments.get(payment.id), payment),
    );
    const entryOf = (action: 'payment.change' | 'refund.change', payments: readonly Payment[]): AuditEntry[] => {
      if (payments.length === 0) return [];
      const previous = payments.flatMap(({ id }) => (id === 0 ? [] : [previousPayments.get(id) as Payment]));
      return [
        {
          action,
          subjectId: after.id,
          ...(previous.length > 0 && { before: { payments: previous.map(auditedPayment) } }),
          after: { payments: payments.map(auditedPayment) },
        },
      ];
    };
    return [
      ...entryOf(
        'payment.change',
        changed.filter(({ amount }) => amount >= 0),
      ),
      ...entryOf(
        'refund.change',
        changed.filter(({ amount }) => amount < 0),
      ),
    ];
  });
}

function hasChanged(before: Payment | undefined, after: Payment): boolean {
  return (
    before === undefined || Object.keys(changedFields(auditedPayment(before), auditedPayment(after)).after).length > 0
  );
}

/** The amount is in minor units. A new payment has no id until it is stored. */
function auditedPayment({ id, method, amount, status, refundOf }: Payment): object {
  return { ...(id !== 0 && { id }), method, amount, status, refund_of_id: refundOf };
}
