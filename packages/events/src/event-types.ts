import type { EventType } from '@back-office/kernel';

/** Kind of the record, as in API paths. */
export type SubjectKind =
  | 'proforma_orders'
  | 'orders'
  | 'stocks'
  | 'products'
  | 'customers'
  | 'consents'
  | 'files'
  | 'vouchers'
  | 'webhook_endpoints';

/** Areas of the scopes that allow clients to read the records of events. */
export const EVENT_AREAS = [
  'proformas',
  'orders',
  'stock',
  'catalogue',
  'customers',
  'media',
  'settings',
  'webhooks',
] as const;
export type EventArea = (typeof EVENT_AREAS)[number];

export interface EventKind {
  readonly subject: SubjectKind;
  readonly area: EventArea;
  readonly description: string;
}

const proforma = { subject: 'proforma_orders', area: 'proformas' } as const;
const order = { subject: 'orders', area: 'orders' } as const;
const product = { subject: 'products', area: 'catalogue' } as const;
const customer = { subject: 'customers', area: 'customers' } as const;
const voucher = { subject: 'vouchers', area: 'settings' } as const;
const file = { subject: 'files', area: 'media' } as const;

export const EVENT_KINDS: Readonly<Record<EventType, EventKind>> = {
  'proforma.created': { ...proforma, description: 'a proforma was made from an evaluation' },
  'proforma.payment_received': { ...proforma, description: 'a payment was settled, in part or in full' },
  'proforma.paid': { ...proforma, description: 'payments cover the total' },
  'proforma.confirmed': { ...proforma, description: 'the warehouse confirmed all or a part' },
  'proforma.converted': { ...proforma, description: 'the proforma became an order' },
  'proforma.canceled': { ...proforma, description: 'the proforma was cancelled by a call' },
  'proforma.expired': { ...proforma, description: 'the proforma was not finished in time' },
  'proforma.alert_raised': { ...proforma, description: 'a person has to look at the proforma; partid is the alert' },
  'proforma.alert_resolved': { ...proforma, description: 'an alert was resolved; partid is the alert' },
  'proforma.updated': {
    ...proforma,
    description: 'anything else changed, such as tags, a comment or a pending payment',
  },
  'order.created': { ...order, description: 'a proforma was converted, or another system sent an order' },
  'order.shipped': { ...order, description: 'the order left the warehouse' },
  'order.delivered': { ...order, description: 'the order reached the customer' },
  'order.canceled': { ...order, description: 'the order was cancelled' },
  'order.payment_received': { ...order, description: 'the order was marked as paid, or a card payment was settled' },
  'order.updated': { ...order, description: 'anything else changed, such as the invoice number or a refund' },
  'refund.succeeded': { ...proforma, description: 'a refund was paid; partid is the refund' },
  'refund.failed': { ...proforma, description: 'a refund failed for good; partid is the refund' },
  'stock.changed': {
    subject: 'stocks',
    area: 'stock',
    description: 'pieces on hand or reserved changed, once per call, variant and warehouse',
  },
  'product.created': { ...product, description: 'a product was added' },
  'product.updated': { ...product, description: 'a product, its variants or images changed' },
  'customer.created': { ...customer, description: 'a customer was added' },
  'customer.updated': { ...customer, description: 'loyalty points changed, or personal data was erased' },
  'consent.changed': { subject: 'consents', area: 'customers', description: 'a customer changed a marketing consent' },
  'file.created': { ...file, description: 'a file was uploaded' },
  'file.updated': { ...file, description: 'name, texts, tags or visibility changed' },
  'file.processed': { ...file, description: 'background processing ended, or failed' },
  'file.replaced': { ...file, description: 'the content was replaced or reverted' },
  'file.moved': { ...file, description: 'the file is in another folder' },
  'file.trashed': { ...file, description: 'the file was moved to Trash' },
  'file.restored': { ...file, description: 'the file was restored from Trash' },
  'file.purged': { ...file, description: 'the file was removed for good; data has its id and key only' },
  'voucher.used': { ...voucher, description: 'a voucher paid for an order' },
  'voucher.updated': {
    ...voucher,
    description: 'a proforma holds or releases the voucher, or a refund gives back an amount',
  },
  'webhook_endpoint.switched_off': {
    subject: 'webhook_endpoints',
    area: 'webhooks',
    description: 'an endpoint failed for three days, or answered 410; status_reason of data says why',
  },
};
