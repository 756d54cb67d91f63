import type { Identifier } from './match.js';

export const MATCHING = {
  'POST /int/products': { product: ['id', 'code', 'external_ref'], variant: ['code', 'barcode', 'external_ref'] },
  'PUT /int/stocks': { variant: ['code', 'barcode', 'external_ref'], warehouse: ['code'] },
  'POST /int/orders': { variant: ['code', 'barcode', 'external_ref'] },
  'POST /int/cards': { card: ['barcode', 'external_ref'] },
  'POST /stock/reconcile': { variant: ['code'], warehouse: ['code'] },
  // The variant names its product. A definition's id, if sent, must belong to its reference.
  'PUT /int/product_attributes': {
    variant: ['code', 'barcode', 'external_ref'],
    product_attribute_def: ['external_ref'],
  },
  // If both are sent, they must name the same warehouse.
  'PUT /warehouse': { warehouse: ['code', 'id'] },
  // This call ignores case and surrounding spaces, unlike the others. It tries products when no variant is found.
  'POST /product/verify': { variant: ['code', 'barcode'], product: ['code'] },
  'POST /int/app_locations': { app_location: ['code', 'external_ref'] },
  // Both parts must match as well.
  'PUT /orders/bulk_update': { order: ['id'] },
  'POST /order_processings': { variant: ['code', 'barcode', 'external_ref', 'id'] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly Identifier[]>>>>;
