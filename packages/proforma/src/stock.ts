import type { Proforma } from './proforma.js';
import { reservedQty } from './proforma.js';

export interface StockRow {
  readonly variantId: number;
  readonly warehouseId: number;
  readonly warehouseCode: string | null;
  readonly onHand: number;
  readonly reserved: number;
}

/** The preferred warehouse first, then the others by code, so that the choice never depends on how rows were found. */
export function inOrderOfUse(stock: readonly StockRow[], preferred: string | null): StockRow[] {
  const rank = (row: StockRow): string => `${row.warehouseCode === preferred ? 0 : 1}${row.warehouseCode ?? ''}`;
  return [...stock].sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : a.warehouseId - b.warehouseId));
}

export interface Demand {
  readonly variantId: number;
  readonly qty: number;
  readonly name: string;
}

export interface Source {
  readonly warehouseId: number;
  readonly warehouseCode: string | null;
}

/**
 * Chooses a warehouse for each line: the first in the order of `stock` that holds the whole line, after what the
 * lines before it took. A line is never split. Answers the first line that finds none as `missing`.
 */
export function chooseWarehouses(lines: readonly Demand[], stock: readonly StockRow[]): Source[] | { missing: Demand } {
  const left = new Map(stock.map((row) => [row, row.onHand - row.reserved]));
  const sources: Source[] = [];
  for (const line of lines) {
    const row = stock.find((each) => each.variantId === line.variantId && (left.get(each) ?? 0) >= line.qty);
    if (row === undefined) return { missing: line };
    left.set(row, (left.get(row) ?? 0) - line.qty);
    sources.push({ warehouseId: row.warehouseId, warehouseCode: row.warehouseCode });
  }
  return sources;
}

export interface ReservationChange {
  readonly lineId: number;
  readonly variantId: number;
  readonly warehouseId: number;
  /** Pieces the line shall keep reserved from now on. */
  readonly qty: number;
  /** Difference to what it kept before. */
  readonly delta: number;
}

/** What a change of the proforma asks of the stock ledger, one entry per line whose reservation changes. */
export function reservationChanges(before: Proforma, after: Proforma): ReservationChange[] {
  return after.lines.flatMap((line, index) => {
    const old = before.lines[index];
    const qty = reservedQty(after, line);
    const delta = qty - (old === undefined ? 0 : reservedQty(before, old));
    return delta === 0
      ? []
      : [{ lineId: line.id, variantId: line.variantId, warehouseId: line.warehouseId, qty, delta }];
  });
}
