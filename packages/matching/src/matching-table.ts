import type { Identifier } from './match.js';

export const MATCHING = {
  'POST /int/products': { product: ['id', 'code', 'external_ref'], variant: ['code', 'barcode', 'external_ref'] },
  'PUT /int/stocks': { variant: ['code', 'barcode', 'external_ref'], warehouse: ['code'] },
  'POST /int/orders': { variant: ['code', 'barcode', 'external_ref'] },
  'POST /int/cards': { card: ['barcode', 'external_ref'] },
  'POST /stock/reconcile': { variant: ['code'], warehouse: ['code'] },
  // The attributes belong to the variant's product. If the row contains the id of a definition, a definition with the
  // row's reference must have this id.
  'PUT /int/product_attributes': {
    variant: ['code', 'barcode', 'external_ref'],
    product_attribute_def: ['external_ref'],
  },
  // If a row has both code and id, both must match the same warehouse.
  'PUT /warehouse': { warehouse: ['code', 'id'] },
  // Unlike the other calls in this table, this call ignores case and surrounding spaces. It looks up a product only if
  // no variant matches.
  'POST /product/verify': { variant: ['code', 'barcode'], product: ['code', 'barcode'] },
  'POST /int/app_locations': { app_location: ['code', 'external_ref'] },
  // The order must also have the parts of the row.
  'PUT /orders/bulk_update': { order: ['id'] },
  'POST /order_processings': { variant: ['code', 'barcode', 'external_ref', 'id'] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly Identifier[]>>>>;

/** Identifiers that a call stores trimmed, so that a repeated call finds its own record. */
export const TRIMMED = {
  'POST /int/products': { product: ['external_ref'], variant: ['code', 'barcode', 'external_ref'] },
  'POST /int/cards': { card: ['barcode', 'external_ref'] },
  'PUT /int/product_attributes': { product_attribute_def: ['external_ref'] },
  'POST /int/app_locations': { app_location: ['external_ref'] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly Identifier[]>>>>;
