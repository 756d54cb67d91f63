export interface BasketLine {
  readonly variantId: number;
  readonly code: string | null;
  readonly qty: number;
  /** Unit price with VAT, in minor units. */
  readonly price: number;
  readonly vatRate: number | null;
}

/** Lines that differ only in their quantity. */
export interface LineGroup {
  readonly variantId: number;
  readonly code: string | null;
  readonly price: number;
  readonly qty: number;
  readonly indexes: readonly number[];
}

/** Groups equal lines, so that the amounts of a variant are rounded once even if several lines contain it. */
export function groupEqualLines(lines: readonly BasketLine[]): LineGroup[] {
  const groups: (LineGroup & { qty: number; readonly vatRate: number | null; readonly indexes: number[] })[] = [];
  for (const [index, { variantId, code, price, vatRate, qty }] of lines.entries()) {
    const group = groups.at(-1);
    if (group?.variantId === variantId && group.price === price && group.vatRate === vatRate) {
      group.indexes.push(index);
      group.qty += qty;
    } else groups.push({ variantId, code, price, vatRate, qty, indexes: [index] });
  }
  return groups.sort((a, b) => a.price - b.price);
}

/** Sorts lines by content, so that the allocation of remainders does not depend on the order of the basket. */
export function byContent(a: BasketLine, b: BasketLine): number {
  return (
    compare(a.code ?? '', b.code ?? '') ||
    a.variantId - b.variantId ||
    a.price - b.price ||
    (a.vatRate ?? -1) - (b.vatRate ?? -1) ||
    a.qty - b.qty
  );
}

export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
