import type { Proforma, ProformaLine } from './proforma.js';
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

interface Place {
  readonly variantId: number;
  readonly warehouseId: number;
}

/** What is neither reserved nor sold of some stock rows, while several changes take from it one after the other. */
export class FreeStock {
  private readonly left: Map<string, number>;

  constructor(stock: readonly StockRow[]) {
    this.left = new Map(stock.map((row) => [placeOf(row), row.onHand - row.reserved]));
  }

  /**
   * Takes what the change asks for, summed per place, and gives back what it lets go of. When a place cannot give what
   * is asked, nothing is taken, and the first line that finds too little is the answer.
   */
  take(before: Proforma, after: Proforma): ProformaLine | undefined {
    const changes = reservationChanges(before, after);
    const wanted = new Map<string, number>();
    for (const change of changes) wanted.set(placeOf(change), (wanted.get(placeOf(change)) ?? 0) + change.delta);
    const short = changes.find((change) => this.lacks(placeOf(change), wanted.get(placeOf(change)) ?? 0));
    if (short) return after.lines.find((line) => line.id === short.lineId);
    for (const [place, delta] of wanted) this.left.set(place, (this.left.get(place) ?? 0) - delta);
    return undefined;
  }

  /** Giving back is possible also where more is reserved than there is. */
  private lacks(place: string, delta: number): boolean {
    return delta > 0 && delta > (this.left.get(place) ?? 0);
  }
}

function placeOf({ variantId, warehouseId }: Place): string {
  return `${variantId}/${warehouseId}`;
}
