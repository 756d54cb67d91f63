import type { Identifier } from './match.js';

/** The matching table of the interface: what each call tries, in this order, to find a record of each kind. */
export const MATCHING = {
  'POST /int/products': { product: ['id', 'code', 'external_ref'], variant: ['code', 'barcode', 'external_ref'] },
  'PUT /int/stocks': { variant: ['code', 'barcode', 'external_ref'], warehouse: ['code'] },
  'POST /int/orders': { variant: ['code', 'barcode', 'external_ref'] },
  'POST /int/cards': { card: ['barcode', 'external_ref'] },
  'POST /stock/reconcile': { variant: ['code'], warehouse: ['code'] },
  // The product is that of the variant. A definition's id, when sent, must be that of its reference.
  'PUT /int/product_attributes': {
    variant: ['code', 'barcode', 'external_ref'],
    product_attribute_def: ['external_ref'],
  },
  // Both must name the same warehouse when both are sent, so this call asks for each by itself.
  'PUT /warehouse': { warehouse: ['code', 'id'] },
  // Loosely, unlike all others: case and surrounding spaces do not count. A product only where no variant is found.
  'POST /product/verify': { variant: ['code', 'barcode'], product: ['code'] },
  'POST /int/app_locations': { app_location: ['code', 'external_ref'] },
  // Both of its parts must be the order's, too.
  'PUT /orders/bulk_update': { order: ['id'] },
  'POST /order_processings': { variant: ['code', 'barcode', 'external_ref', 'id'] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly Identifier[]>>>>;
