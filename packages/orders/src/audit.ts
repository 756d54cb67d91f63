import { changedRecords, type AuditEntry } from '@back-office/kernel';
import type { PricedImport } from './imported-order.js';
import type { ChangeableOrder } from './order-changes.js';

/** Returns one entry for all orders whose status or payment status the call changes. */
export function orderEntries(before: readonly ChangeableOrder[], after: readonly ChangeableOrder[]): AuditEntry[] {
  const byId = (orders: readonly ChangeableOrder[]) =>
    new Map(orders.map((order) => [String(order.id), statusesOf(order)]));
  const previousStatuses = byId(before);
  const changes = changedRecords(previousStatuses, byId(after));
  if (changes === undefined) return [];
  const { changed, records } = changes.after as { readonly changed: number; readonly records: object };
  const [firstOrder, ...others] = after.filter(({ id }) => String(id) in records);
  const subjectId = others.length === 0 ? firstOrder?.id : undefined;
  return [{ action: 'order.change', subjectId, before: changes.before, after: { changed, records } }];
}

function statusesOf({ status, paymentStatus }: ChangeableOrder): object {
  return { order_status: status, payment_status: paymentStatus };
}

/**
 * Returns an entry for an import with payments, because every change of money is audited. Returns none for other
 * imports. Amounts are in minor units.
 */
export function importEntries(number: string, { payments }: PricedImport): AuditEntry[] {
  if (payments.length === 0) return [];
  const auditedPayments = payments.map(({ method, amount }) => ({ method: method.name, amount }));
  return [{ action: 'imported_order.create', after: { order_number: number, payments: auditedPayments } }];
}
