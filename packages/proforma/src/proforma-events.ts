import { stockEvents, type DomainEvent, type EventType } from '@back-office/kernel';
import { addedVoucherRefunds, earnedPoints, releasedVouchers } from './benefits.js';
import type { ProformaChange } from './changes.js';
import type { Payment, Proforma } from './proforma.js';
import type { ProformaStatus } from './statuses.js';
import { reservationChanges } from './stock.js';

const TYPE_OF_STATUS: Partial<Record<ProformaStatus, EventType>> = {
  paid: 'proforma.paid',
  converted: 'proforma.converted',
  canceled: 'proforma.canceled',
  expired: 'proforma.expired',
};

/** Returns the events of a new proforma. The adapter adds its id. */
export function createdProformaEvents(proforma: Proforma): DomainEvent[] {
  const shelves = proforma.lines.map((line) => ({ variantId: line.variantId, warehouseId: line.warehouseId }));
  const created = { type: 'proforma.created', recordId: null } as const;
  const paid = { type: 'proforma.paid', recordId: null } as const;
  const voucherIds = proforma.payments.flatMap(({ voucherId }) => voucherId ?? []);
  return [
    created,
    ...(proforma.status === 'paid' ? [paid] : []),
    ...voucherEvents('voucher.updated', voucherIds),
    ...stockEvents(shelves),
  ];
}

/**
 * Returns the events of stored changes, in the order of the changes. A shelf has one event, even if several changes
 * affect it. The adapter adds the id of an order that the change creates.
 */
export function proformaEvents(changes: readonly ProformaChange[]): DomainEvent[] {
  const reservations = changes.flatMap(({ before, after }) => reservationChanges(before, after));
  return [...changes.flatMap(eventsOf), ...stockEvents(reservations)];
}

export function takenPointsEvents(customerIds: readonly number[]): DomainEvent[] {
  return [...customerIds].sort((a, b) => a - b).map((recordId) => ({ type: 'customer.updated', recordId }));
}

function eventsOf(change: ProformaChange): DomainEvent[] {
  const { before, after } = change;
  if (before === after) return [];
  const ownEvents = [...paymentEvents(change), ...statusEvents(change), ...alertEvents(change)];
  return [
    ...ownEvents,
    ...(ownEvents.some(isOfProforma) ? [] : [{ type: 'proforma.updated', recordId: after.id } as const]),
    ...changedVoucherEvents(change),
    ...[earnedPoints(before, after) ?? []].flat().map(({ customerId }): DomainEvent => ({
      type: 'customer.updated',
      recordId: customerId,
    })),
  ];
}

/** Returns false only for events of orders. Events of refunds also belong to the proforma. */
function isOfProforma({ type }: DomainEvent): boolean {
  return !type.startsWith('order.');
}

function changedVoucherEvents({ before, after }: ProformaChange): DomainEvent[] {
  const released = releasedVouchers(before, after);
  const idsWhere = (isUsed: boolean): number[] =>
    released.flatMap(({ voucherId, spent }) => (spent > 0 === isUsed ? [voucherId] : []));
  // Before the conversion, a refund does not change a voucher, because the proforma still reserves it.
  const refunds = before.status === 'converted' ? addedVoucherRefunds(before, after) : [];
  const refundedIds = refunds.map(({ voucherId }) => voucherId);
  return [
    ...voucherEvents('voucher.used', idsWhere(true)),
    ...voucherEvents('voucher.updated', [...idsWhere(false), ...refundedIds]),
  ];
}

function voucherEvents(type: 'voucher.used' | 'voucher.updated', ids: readonly number[]): DomainEvent[] {
  return [...new Set(ids)].map((recordId) => ({ type, recordId }));
}

function paymentEvents({ before, after }: ProformaChange): DomainEvent[] {
  if (before.payments === after.payments) return [];
  const statusBefore = new Map(before.payments.map((payment) => [payment.id, payment.status]));
  const hasBecome = (payment: Payment, status: Payment['status']): boolean =>
    payment.status === status && (payment.id === 0 || statusBefore.get(payment.id) !== status);
  const isReceived = after.payments.some((payment) => payment.amount > 0 && hasBecome(payment, 'settled'));
  const orderId = before.status === 'converted' ? after.orderId : null;
  const refunds = after.payments.filter(({ id, amount }) => id !== 0 && amount < 0);
  return [
    ...(isReceived && orderId === null ? [{ type: 'proforma.payment_received', recordId: after.id } as const] : []),
    ...(orderId === null
      ? []
      : [{ type: isReceived ? 'order.payment_received' : 'order.updated', recordId: orderId } as const]),
    ...refunds.flatMap((refund): DomainEvent[] => {
      if (hasBecome(refund, 'refunded')) return [{ type: 'refund.succeeded', recordId: after.id, partId: refund.id }];
      if (hasBecome(refund, 'refund_failed')) return [{ type: 'refund.failed', recordId: after.id, partId: refund.id }];
      return [];
    }),
  ];
}

function statusEvents({ before, after }: ProformaChange): DomainEvent[] {
  const type = before.status === after.status ? undefined : TYPE_OF_STATUS[after.status];
  const isConfirmed = before.warehouseConfirmedAt !== after.warehouseConfirmedAt;
  return [
    ...(isConfirmed ? [{ type: 'proforma.confirmed', recordId: after.id } as const] : []),
    ...(type ? [{ type, recordId: after.id }] : []),
    ...(type === 'proforma.converted' ? [{ type: 'order.created', recordId: after.orderId } as const] : []),
  ];
}

function alertEvents({ before, after }: ProformaChange): DomainEvent[] {
  if (before.alerts === after.alerts) return [];
  return after.alerts.flatMap((alert, index): DomainEvent[] => {
    const previous = before.alerts[index];
    const part = { recordId: after.id, partId: index };
    return [
      ...(previous === undefined ? [{ type: 'proforma.alert_raised', ...part } as const] : []),
      ...(alert.resolvedAt !== null && (previous?.resolvedAt ?? null) === null
        ? [{ type: 'proforma.alert_resolved', ...part } as const]
        : []),
    ];
  });
}
