/** Types of events: the kind of the record, then what happened to it. */
export const EVENT_TYPES = [
  'proforma.created',
  'proforma.payment_received',
  'proforma.paid',
  'proforma.confirmed',
  'proforma.converted',
  'proforma.canceled',
  'proforma.expired',
  'proforma.alert_raised',
  'proforma.alert_resolved',
  'proforma.updated',
  'order.created',
  'order.shipped',
  'order.delivered',
  'order.canceled',
  'order.payment_received',
  'order.updated',
  'refund.succeeded',
  'refund.failed',
  'stock.changed',
  'product.created',
  'product.updated',
  'customer.created',
  'customer.updated',
  'consent.changed',
  'file.created',
  'file.updated',
  'file.processed',
  'file.replaced',
  'file.moved',
  'file.trashed',
  'file.restored',
  'file.purged',
  'voucher.used',
  'voucher.updated',
  'webhook_endpoint.switched_off',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** A change that other systems want to know. It contains no personal data, since records are read with the event. */
export interface DomainEvent {
  readonly type: EventType;
  /** `null` for the record that the same statement adds. */
  readonly recordId: number | null;
  /** The warehouse of changed stock, whose record is a variant. */
  readonly warehouseId?: number | undefined;
  /** The payment of a refund, or the index of an alert. */
  readonly partId?: number | undefined;
  /** What identifies a record that no longer exists. */
  readonly removed?: object | undefined;
}

/** One event for each shelf, in the order of variants and warehouses. */
export function stockEvents(
  shelves: readonly { readonly variantId: number; readonly warehouseId: number }[],
): DomainEvent[] {
  const distinctShelves = new Map(shelves.map((shelf) => [`${shelf.variantId}/${shelf.warehouseId}`, shelf]));
  return [...distinctShelves.values()]
    .sort((a, b) => a.variantId - b.variantId || a.warehouseId - b.warehouseId)
    .map(({ variantId, warehouseId }) => ({ type: 'stock.changed', recordId: variantId, warehouseId }));
}
