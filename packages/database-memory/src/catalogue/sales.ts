import type { State } from '../state.js';

export interface SoldPieces {
  readonly productId: number;
  readonly qty: number;
}

/** Must run inside a transaction. */
export function countSold({ productSales }: State, appId: number, items: readonly SoldPieces[]): void {
  for (const { productId, qty } of items) {
    const quantity = (productSales.get(appId, productId)?.quantity ?? 0) + qty;
    productSales.put(appId, { id: productId, quantity });
  }
}

export function subtractSold({ productSales }: State, appId: number, items: readonly SoldPieces[]): void {
  for (const { productId, qty } of items) {
    const sales = productSales.get(appId, productId);
    if (sales === undefined) continue;
    if (sales.quantity < qty) throw new Error(`Product ${productId} would have sold less than nothing`);
    productSales.put(appId, { ...sales, quantity: sales.quantity - qty });
  }
}
