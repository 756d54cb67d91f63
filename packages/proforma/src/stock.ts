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
  const code = ({ warehouseCode }: StockRow): string => warehouseCode ?? '';
  return [...stock].sort(
    (a, b) =>
      Number(b.warehouseCode === preferred) - Number(a.warehouseCode === preferred) ||
      (code(a) < code(b) ? -1 : code(a) > code(b) ? 1 : a.warehouseId - b.warehouseId),
  );
}

/** The rows of each variant, in their order: a basket may have a thousand lines, and each looks its rows up. */
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
 * Chooses a warehouse for each line: the first in the order of `stock` that holds the whole line, after what the
 * lines before it took. A line is never split. Answers the first line that finds none as `missing`.
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

export interface ReservationChange {
  readonly lineId: number;
  readonly variantId: number;
  readonly warehouseId: number;
  /** Pieces the line keeps reserved from now on; `null` for the warehouse that it moves away from. */
  readonly qty: number | null;
  /** Difference to what it kept before. */
  readonly delta: number;
}

/** What a change of the proforma asks of the stock ledger: an entry for each line and warehouse whose reservation changes. */
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

/** What is neither reserved nor sold of some stock rows, while several changes take from it one after the other. */
export class FreeStock {
  private readonly left: Map<string, number>;

  constructor(private readonly stock: readonly StockRow[]) {
    this.left = new Map(stock.map((row) => [shelfOf(row), row.onHand - row.reserved]));
  }

  /**
   * Takes what the change asks for and gives back what it lets go of. A line that grows stays in its warehouse when
   * that has the pieces; otherwise it moves whole to the first other one that holds all of it. Answers the proforma
   * with the warehouses of its lines; when a line finds none, nothing is taken, and the line is the answer.
   */
  take(before: Proforma, after: Proforma, preferred: string | null): Proforma | { readonly missing: ProformaLine } {
    const taking = new Taking(this.left);
    const changes = reservationChanges(before, after);
    const lines = new Map(after.lines.map((line) => [line.id, line]));
    const rows = rowsByVariant(inOrderOfUse(this.stock, preferred));
    for (const change of changes) if (change.delta < 0) taking.take(change, change.delta);
    const moved = new Map<number, Source>();
    for (const change of changes.filter(({ delta }) => delta > 0)) {
      const { lineId, delta, qty } = change;
      if (taking.has(change, delta)) {
        taking.take(change, delta);
        continue;
      }
      const line = lines.get(lineId) as ProformaLine;
      const others = (rows.get(line.variantId) ?? []).filter((row) => row.warehouseId !== line.warehouseId);
      const source = others.find((row) => taking.has(row, Number(qty)));
      if (source === undefined) return { missing: line };
      taking.take(change, delta - Number(qty));
      taking.take({ variantId: line.variantId, warehouseId: source.warehouseId }, Number(qty));
      moved.set(lineId, { warehouseId: source.warehouseId, warehouseCode: source.warehouseCode });
    }
    taking.commit();
    return moved.size === 0
      ? after
      : { ...after, lines: after.lines.map((line) => ({ ...line, ...moved.get(line.id) })) };
  }
}

/** What one change takes, before it is certain that all of it can be taken. */
class Taking {
  private readonly taken = new Map<string, number>();

  constructor(private readonly left: Map<string, number>) {}

  /** Pieces that the change itself gives back can be taken again also where more is reserved than there is. */
  has(shelf: Shelf, qty: number): boolean {
    return qty <= Math.max(this.left.get(shelfOf(shelf)) ?? 0, 0) - (this.taken.get(shelfOf(shelf)) ?? 0);
  }

  take(shelf: Shelf, qty: number): void {
    this.taken.set(shelfOf(shelf), (this.taken.get(shelfOf(shelf)) ?? 0) + qty);
  }

  commit(): void {
    for (const [shelf, qty] of this.taken) this.left.set(shelf, (this.left.get(shelf) ?? 0) - qty);
  }
}

function shelfOf({ variantId, warehouseId }: Shelf): string {
  return `${variantId}/${warehouseId}`;
}
