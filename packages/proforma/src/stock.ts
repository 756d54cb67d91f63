import type { Proforma, ProformaLine } from './proforma.js';
import { reservedQty } from './proforma.js';

export interface StockRow {
  readonly variantId: number;
  readonly warehouseId: number;
  readonly warehouseCode: string | null;
  readonly onHand: number;
  readonly reserved: number;
}

/** The preferred warehouse first, then the others by code and id. */
export function sortByPreference(stock: readonly StockRow[], preferred: string | null): StockRow[] {
  const code = ({ warehouseCode }: StockRow): string => warehouseCode ?? '';
  return [...stock].sort(
    (a, b) =>
      Number(b.warehouseCode === preferred) - Number(a.warehouseCode === preferred) ||
      (code(a) < code(b) ? -1 : code(a) > code(b) ? 1 : a.warehouseId - b.warehouseId),
  );
}

/** Keeps looking rows up fast for baskets of a thousand lines. */
function rowsByVariant(stock: readonly StockRow[]): Map<number, StockRow[]> {
  const rows = new Map<number, StockRow[]>();
  for (const row of stock) {
    const known = rows.get(row.variantId);
    if (known) known.push(row);
    else rows.set(row.variantId, [row]);
  }
  return rows;
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
 * Chooses for each line the first warehouse of `stock` that has all of it, after what the earlier lines took. Never
 * splits a line. Returns the first line without a warehouse as `missing`.
 */
export function chooseWarehouses(lines: readonly Demand[], stock: readonly StockRow[]): Source[] | { missing: Demand } {
  const left = new Map(stock.map((row) => [row, row.onHand - row.reserved]));
  const rows = rowsByVariant(stock);
  const sources: Source[] = [];
  for (const line of lines) {
    const row = rows.get(line.variantId)?.find((each) => (left.get(each) ?? 0) >= line.qty);
    if (row === undefined) return { missing: line };
    left.set(row, (left.get(row) ?? 0) - line.qty);
    sources.push({ warehouseId: row.warehouseId, warehouseCode: row.warehouseCode });
  }
  return sources;
}

/** Stock of a warehouse that no longer sells: reserved pieces stay, but no reservation can grow. */
export function withoutSales(row: StockRow): StockRow {
  return { ...row, onHand: Math.min(row.onHand, row.reserved) };
}

export interface ReservationChange {
  readonly lineId: number;
  readonly variantId: number;
  readonly warehouseId: number;
  /** Pieces reserved after the change; `null` for the warehouse that the line leaves. */
  readonly qty: number | null;
  readonly delta: number;
}

/** One entry for each line and warehouse whose reservation changes. */
export function reservationChanges(before: Proforma, after: Proforma): ReservationChange[] {
  return after.lines.flatMap((line, index) => {
    const old = before.lines[index];
    const kept = old === undefined ? 0 : reservedQty(before, old);
    const qty = reservedQty(after, line);
    const { id: lineId, variantId, warehouseId } = line;
    const changes: ReservationChange[] =
      old === undefined || old.warehouseId === warehouseId
        ? [{ lineId, variantId, warehouseId, qty, delta: qty - kept }]
        : [
            { lineId, variantId, warehouseId: old.warehouseId, qty: null, delta: -kept },
            { lineId, variantId, warehouseId, qty, delta: qty },
          ];
    return changes.filter(({ delta }) => delta !== 0);
  });
}

type Shelf = Pick<StockRow, 'variantId' | 'warehouseId'>;

/** Available stock, from which several changes take in turn. */
export class AvailableStock {
  private readonly left: Map<string, number>;

  constructor(private readonly stock: readonly StockRow[]) {
    this.left = new Map(stock.map((row) => [shelfKey(row), row.onHand - row.reserved]));
  }

  /**
   * Applies the reservation changes and returns the proforma with the warehouses of its lines. A line that outgrows its
   * warehouse moves to the first other one that has all of it. Without one, nothing is taken and the line is returned.
   */
  take(before: Proforma, after: Proforma, preferred: string | null): Proforma | { readonly missing: ProformaLine } {
    const withdrawal = new Withdrawal(this.left);
    const changes = reservationChanges(before, after);
    const lines = new Map(after.lines.map((line) => [line.id, line]));
    const rows = rowsByVariant(sortByPreference(this.stock, preferred));
    for (const change of changes) if (change.delta < 0) withdrawal.take(change, change.delta);
    const moved = new Map<number, Source>();
    for (const change of changes.filter(({ delta }) => delta > 0)) {
      const { lineId, delta, qty } = change;
      if (withdrawal.has(change, delta)) {
        withdrawal.take(change, delta);
        continue;
      }
      const line = lines.get(lineId) as ProformaLine;
      const others = (rows.get(line.variantId) ?? []).filter((row) => row.warehouseId !== line.warehouseId);
      const source = others.find((row) => withdrawal.has(row, Number(qty)));
      if (source === undefined) return { missing: line };
      withdrawal.take(change, delta - Number(qty));
      withdrawal.take({ variantId: line.variantId, warehouseId: source.warehouseId }, Number(qty));
      moved.set(lineId, { warehouseId: source.warehouseId, warehouseCode: source.warehouseCode });
    }
    withdrawal.commit();
    return moved.size === 0
      ? after
      : { ...after, lines: after.lines.map((line) => ({ ...line, ...moved.get(line.id) })) };
  }
}

/** What one change takes; nothing is taken until `commit`. */
class Withdrawal {
  private readonly taken = new Map<string, number>();

  constructor(private readonly left: Map<string, number>) {}

  /** Pieces that the change itself releases stay usable where more is reserved than on hand. */
  has(shelf: Shelf, qty: number): boolean {
    return qty <= Math.max(this.left.get(shelfKey(shelf)) ?? 0, 0) - (this.taken.get(shelfKey(shelf)) ?? 0);
  }

  take(shelf: Shelf, qty: number): void {
    this.taken.set(shelfKey(shelf), (this.taken.get(shelfKey(shelf)) ?? 0) + qty);
  }

  commit(): void {
    for (const [shelf, qty] of this.taken) this.left.set(shelf, (this.left.get(shelf) ?? 0) - qty);
  }
}

function shelfKey({ variantId, warehouseId }: Shelf): string {
  return `${variantId}/${warehouseId}`;
}
