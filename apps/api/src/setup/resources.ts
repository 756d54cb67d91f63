import { RESOURCES, type Resource, type ResourceName } from '@back-office/checkout';
import { orNull, ValidatedByDomain } from '../http/request-fields.js';
import { integer, nullable, number } from '../http/shapes.js';
import type { BodyClass } from '../http/validate-body.js';
import { presentedField, type PresentedField } from './field-shapes.js';

/** A kind of record; its name is its path and also the wrapper of the body. */
export interface ServedResource {
  readonly name: ResourceName;
  readonly resource: Resource;
  readonly schemaName: string;
  readonly pluralNoun: string;
  /** Columns that responses contain but a PUT does not write. */
  readonly readOnly?: Readonly<Record<string, Pick<PresentedField, 'responseShape' | 'present'>>>;
  readonly body: BodyClass;
}

function rowsSchemaOf({ fields }: Resource) {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { requestSchema: schema } = presentedField(field);
      return [name, 'initial' in field ? orNull(schema) : schema];
    }),
  );
  return { type: 'array' as const, maxItems: 10_000, items: { type: 'object' as const, properties } };
}

class PutPaymentMethods {
  @ValidatedByDomain(rowsSchemaOf(RESOURCES.payment_methods)) payment_methods?: unknown;
}

class PutPromotions {
  @ValidatedByDomain(rowsSchemaOf(RESOURCES.promotions)) promotions?: unknown;
}

class PutShipmentMethods {
  @ValidatedByDomain(rowsSchemaOf(RESOURCES.shipment_methods)) shipment_methods?: unknown;
}

class PutVouchers {
  @ValidatedByDomain(rowsSchemaOf(RESOURCES.vouchers)) vouchers?: unknown;
}

export const VOUCHERS: ServedResource = {
  name: 'vouchers',
  resource: RESOURCES.vouchers,
  schemaName: 'Voucher',
  pluralNoun: 'vouchers',
  body: PutVouchers,
  readOnly: {
    spent: {
      responseShape: number,
      present: (value, context) => presentedField(RESOURCES.vouchers.fields.amount).present(value ?? 0, context),
    },
    proforma_order_id: { responseShape: nullable(integer), present: (_, { row }) => row['held_by'] ?? null },
  },
};

export const SERVED_RESOURCES: readonly ServedResource[] = [
  {
    name: 'payment_methods',
    resource: RESOURCES.payment_methods,
    schemaName: 'PaymentMethod',
    pluralNoun: 'payment methods',
    body: PutPaymentMethods,
  },
  {
    name: 'promotions',
    resource: RESOURCES.promotions,
    schemaName: 'Promotion',
    pluralNoun: 'promotions',
    body: PutPromotions,
  },
  {
    name: 'shipment_methods',
    resource: RESOURCES.shipment_methods,
    schemaName: 'ShipmentMethod',
    pluralNoun: 'shipment methods',
    body: PutShipmentMethods,
  },
  VOUCHERS,
];
