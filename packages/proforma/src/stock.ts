import type { Proforma, ProformaLine } from './proforma.js';
import { reservedQty } from './proforma.js';
import type { Shortage } from './refusals.js';

export interface StockRow {
  readonly variantId: number;
  readonly warehouseId: number;
  readonly warehouseCode: string | null;
  readonly onHand: number;
  readonly reserved: number;
}

export function sortByPreference(stock: readonly StockRow[], preferredCode: string | null): StockRow[] {
  const code = ({ warehouseCode }: StockRow): string => warehouseCode ?? '';
  return [...stock].sort(
    (a, b) =>
      Number(b.warehouseCode === preferredCode) - Number(a.warehouseCode === preferredCode) ||
      (code(a) < code(b) ? -1 : code(a) > code(b) ? 1 : a.warehouseId - b.warehouseId),
  );
}

/** Indexes the rows, because a basket may have a thousand lines. */
function rowsByVariant(stock: readonly StockRow[]): Map<number, StockRow[]> {
  const rows = new Map<number, StockRow[]>();
  for (const row of stock) {
    const variantRows = rows.get(row.variantId);
    if (variantRows) variantRows.push(row);
    else rows.set(row.variantId, [row]);
  }
  return rows;
}

export interface Demand {
  readonly variantId: number;
  readonly code: string | null;
  readonly qty: number;
  readonly name: string;
}

export interface SourceWarehouse {
  readonly warehouseId: number;
  readonly warehouseCode: string | null;
}

export interface MissingStock<Line> {
  readonly missing: Line;
  readonly shortage: Shortage;
}

/**
 * Chooses for each line the first warehouse of `stock` that has all its pieces. Larger lines choose first, so that the
 * order of the lines does not matter. Never splits a line. Returns the first line without a warehouse as `missing`.
 */
export function chooseWarehouses(
  lines: readonly Demand[],
  stock: readonly StockRow[],
): SourceWarehouse[] | MissingStock<Demand> {
  const availableByRow = new Map(stock.map((row) => [row, row.onHand - row.reserved]));
  const rows = rowsByVariant(stock);
  const sources: SourceWarehouse[] = [];
  const shortages: (MissingStock<Demand> | undefined)[] = [];
  for (const [index, line] of largestFirst([...lines.entries()], ([, { qty }]) => qty)) {
    const row = rows.get(line.variantId)?.find((candidate) => (availableByRow.get(candidate) ?? 0) >= line.qty);
    if (row === undefined) {
      const available = (rows.get(line.variantId) ?? []).map((shelf) => toAvailable(shelf, availableByRow.get(shelf)));
      shortages[index] = { missing: line, shortage: { code: line.code, wanted: line.qty, available } };
      continue;
    }
    availableByRow.set(row, (availableByRow.get(row) ?? 0) - line.qty);
    sources[index] = { warehouseId: row.warehouseId, warehouseCode: row.warehouseCode };
  }
  return shortages.find((shortage) => shortage !== undefined) ?? sources;
}

/** Keeps the order of equal quantities. */
function largestFirst<Item>(items: readonly Item[], qtyOf: (item: Item) => number): Item[] {
  return [...items].sort((a, b) => qtyOf(b) - qtyOf(a));
}

function toAvailable({ warehouseCode }: StockRow, qty = 0): Shortage['available'][number] {
  return { warehouse_code: warehouseCode, qty: Math.max(qty, 0) };
}

/**
 * Leaves no available pieces, so that no reservation can grow in a warehouse that is no longer sellable. Reserved
 * pieces stay.
 */
export function withoutAvailableStock(row: StockRow): StockRow {
  return { ...row, onHand: Math.min(row.onHand, row.reserved) };
}

export interface ReservationChange {
  readonly lineId: number;
  readonly variantId: number;
  readonly warehouseId: number;
  /** Reserved pieces after the change; null for the warehouse that the line leaves. */
  readonly qty: number | null;
  readonly delta: number;
}

/** A changed reservation; the evaluation says from which warehouses it may take stock. */
export interface StockDemand extends ReservationChange {
  readonly evaluationId: number;
}

export interface BookedReservation extends ReservationChange {
  /** Number of the proforma. */
  readonly reference: string;
}

export function reservationChanges(before: Proforma, after: Proforma): ReservationChange[] {
  return after.lines.flatMap((line, index) => {
    const previousLine = before.lines[index];
    const previousQty = previousLine === undefined ? 0 : reservedQty(before, previousLine);
    const qty = reservedQty(after, line);
    const { id: lineId, variantId, warehouseId } = line;
    const changes: ReservationChange[] =
      previousLine === undefined || previousLine.warehouseId === warehouseId
        ? [{ lineId, variantId, warehouseId, qty, delta: qty - previousQty }]
        : [
            { lineId, variantId, warehouseId: previousLine.warehouseId, qty: null, delta: -previousQty },
            { lineId, variantId, warehouseId, qty, delta: qty },
          ];
    return changes.filter(({ delta }) => delta !== 0);
  });
}

type Shelf = Pick<StockRow, 'variantId' | 'warehouseId'>;

export class AvailableStock {
  private readonly available: Map<string, number>;

  constructor(private readonly stock: readonly StockRow[]) {
    this.available = new Map(stock.map((row) => [shelfKey(row), row.onHand - row.reserved]));
  }

  /**
   * Applies the reservation changes and returns the proforma with the warehouses of its lines. If a warehouse has too
   * few pieces for a line, the line moves to the first other warehouse that has all its pieces. If there is none, takes
   * no pieces and returns the line as `missing`.
   */
  take(before: Proforma, after: Proforma, preferredCode: string | null): Proforma | MissingStock<ProformaLine> {
    const withdrawal = new Withdrawal(this.available);
    const changes = reservationChanges(before, after);
    const lines = new Map(after.lines.map((line) => [line.id, line]));
    const rows = rowsByVariant(sortByPreference(this.stock, preferredCode));
    for (const change of changes) if (change.delta < 0) withdrawal.take(change, change.delta);
    const newSources = new Map<number, SourceWarehouse>();
    const growing = changes.filter(({ delta }) => delta > 0);
    for (const change of largestFirst(growing, ({ qty }) => Number(qty))) {
      const { lineId, delta, qty } = change;
      if (withdrawal.has(change, delta)) {
        withdrawal.take(change, delta);
        continue;
      }
      const line = lines.get(lineId) as ProformaLine;
      const otherRows = (rows.get(line.variantId) ?? []).filter((row) => row.warehouseId !== line.warehouseId);
      const source = otherRows.find((row) => withdrawal.has(row, Number(qty)));
      if (source === undefined) {
        const available = (rows.get(line.variantId) ?? []).map((row) => toAvailable(row, withdrawal.remaining(row)));
        return { missing: line, shortage: { code: line.code, wanted: Number(qty), available } };
      }
      withdrawal.take(change, delta - Number(qty));
      withdrawal.take({ variantId: line.variantId, warehouseId: source.warehouseId }, Number(qty));
      newSources.set(lineId, { warehouseId: source.warehouseId, warehouseCode: source.warehouseCode });
    }
    withdrawal.commit();
    return newSources.size === 0
      ? after
      : { ...after, lines: after.lines.map((line) => ({ ...line, ...newSources.get(line.id) })) };
  }
}

class Withdrawal {
  private readonly takenByShelf = new Map<string, number>();

  constructor(private readonly available: Map<string, number>) {}

  /** Pieces that this change releases are available, even if more pieces are reserved than on hand. */
  has(shelf: Shelf, qty: number): boolean {
    return qty <= this.remaining(shelf);
  }

  remaining(shelf: Shelf): number {
    return Math.max(this.available.get(shelfKey(shelf)) ?? 0, 0) - (this.takenByShelf.get(shelfKey(shelf)) ?? 0);
  }

  take(shelf: Shelf, qty: number): void {
    this.takenByShelf.set(shelfKey(shelf), (this.takenByShelf.get(shelfKey(shelf)) ?? 0) + qty);
  }

  commit(): void {
    for (const [shelf, qty] of this.takenByShelf) this.available.set(shelf, (this.available.get(shelf) ?? 0) - qty);
  }
}

function shelfKey({ variantId, warehouseId }: Shelf): string {
  return `${variantId}/${warehouseId}`;
}
