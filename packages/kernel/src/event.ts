/** Event types: the kind of the record, then the change. */
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

/**
 * A change that other systems want to know. An event contains no personal data; clients that need it read the record.
 */
export interface DomainEvent {
  readonly type: EventType;
  /** Null if the same statement inserts the record. */
  readonly recordId: number | null;
  /** Present if stock has changed; the record is then the variant. */
  readonly warehouseId?: number | undefined;
  /** Id of the refund, or index of the alert. */
  readonly partId?: number | undefined;
  /** Identifiers of a record that no longer exists. */
  readonly removed?: object | undefined;
}

/** Returns one event per shelf, in the order of variants and warehouses. */
export function stockEvents(
  shelves: readonly { readonly variantId: number; readonly warehouseId: number }[],
): DomainEvent[] {
  const distinctShelves = new Map(shelves.map((shelf) => [`${shelf.variantId}/${shelf.warehouseId}`, shelf]));
  return [...distinctShelves.values()]
    .sort((a, b) => a.variantId - b.variantId || a.warehouseId - b.warehouseId)
    .map(({ variantId, warehouseId }) => ({ type: 'stock.changed', recordId: variantId, warehouseId }));
}
