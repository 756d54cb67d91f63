import type { Identifier } from './match.js';

/** The matching table of the interface: what each call tries, in this order, to find a record of each kind. */
export const MATCHING = {
  'POST /int/products': { product: ['id', 'code', 'external_ref'], variant: ['code', 'barcode', 'external_ref'] },
  'PUT /int/stocks': { variant: ['code', 'barcode', 'external_ref'], warehouse: ['code'] },
  'POST /order_processings': { variant: ['code', 'barcode', 'external_ref', 'id'] },
  'POST /int/orders': { variant: ['code', 'barcode', 'external_ref'] },
  'POST /int/cards': { card: ['barcode', 'external_ref'] },
  // Both must name the same warehouse when both are sent, so this call asks for each by itself.
  'PUT /warehouse': { warehouse: ['code', 'id'] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly Identifier[]>>>>;
