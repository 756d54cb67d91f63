import { isRefusal, sum, type Refusal } from '@back-office/kernel';
import {
  dueAt,
  AvailableStock,
  insufficientStock,
  isOpen,
  reservedQty,
  withKeyParts,
  type Decision,
  type DueProforma,
  type Evaluation,
  type EvaluationFacts,
  type Proforma,
  type ProformaOrders,
  type StockRow,
  type StoredChange,
} from '../index.js';
import { InMemoryVouchers } from './in-memory-vouchers.js';

type Shelf = Omit<StockRow, 'reserved'>;
type Reservation = Pick<Shelf, 'variantId' | 'warehouseId'> & { readonly lineId: number; readonly qty: number };
type Of<Record> = { readonly appId: number } & Record;

/** Ids are unique over all apps. */
export class InMemoryProformaOrders implements ProformaOrders {
  /** Ids of the proformas that are locked by another change. */
  readonly locked = new Set<number>();
  readonly expiringPaid = new Set<number>();
  readonly vouchers = new InMemoryVouchers();
  private readonly shelves: Of<Shelf>[] = [];
  private readonly evaluations = new Map<number, Of<{ evaluation: Evaluation; warehouseCode: string | undefined }>>();
  private readonly proformas = new Map<number, Of<{ proforma: Proforma }>>();
  private reservations: readonly Reservation[] = [];
  private lastId = 0;

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  addStock(appId: number, shelf: Shelf): void {
    this.shelves.push({ appId, ...shelf });
  }

  /** `warehouseCode` restricts the evaluation to one warehouse. */
  addEvaluation(appId: number, evaluation: Evaluation, warehouseCode?: string): number {
    const id = this.nextId();
    this.evaluations.set(id, { appId, evaluation: { ...evaluation, id }, warehouseCode });
    return id;
  }

  stockOf(appId: number, variantId: number): StockRow[] {
    return this.shelves
      .filter((shelf) => shelf.appId === appId && shelf.variantId === variantId)
      .map(({ appId: _appId, ...shelf }) => ({ ...shelf, reserved: reservedOn(shelf, this.reservations) }));
  }

  async create(
    appId: number,
    evaluationId: number,
    decide: (facts: EvaluationFacts) => Proforma | Refusal,
  ): Promise<Proforma | Refusal> {
    for (let tries = 1; tries <= 5; tries += 1) {
      const draft = decide(this.factsOf(appId, evaluationId));
      if (isRefusal(draft)) return draft;
      if (!this.isTaken(appId, draft.number)) return this.keepDraft(appId, evaluationId, draft);
    }
    throw new Error('All numbers were taken');
  }

  async find(appId: number, id: number): Promise<Proforma | undefined> {
    return this.get(appId, id);
  }

  async change(appId: number, id: number, decide: Decision): Promise<StoredChange | undefined> {
    const before = this.get(appId, id);
    return before && this.changeOne(appId, before, decide);
  }

  async changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly StoredChange[]> {
    const free = ids.filter((id) => !this.locked.has(id)).flatMap((id) => this.get(appId, id) ?? []);
    return free.map((before) => this.changeOne(appId, before, decide));
  }

  async due(now: Date, limits: Parameters<ProformaOrders['due']>[1]): Promise<readonly DueProforma[]> {
    const deadlines = [...this.proformas.values()].map(({ appId, proforma }) => ({
      appId,
      id: proforma.id,
      lines: proforma.lines.length,
      at: this.dueAt(appId, proforma)?.getTime() ?? Infinity,
    }));
    const overdue = deadlines.filter(({ at }) => at <= now.getTime()).sort((a, b) => a.at - b.at);
    const turns = overdue.map(({ at: _at, ...due }, index) => ({
      due,
      turn: overdue.slice(0, index).filter(({ appId }) => appId === due.appId).length,
    }));
    const chosen = turns.filter(({ turn }) => turn < limits.perApp).sort((a, b) => a.turn - b.turn);
    return chosen.slice(0, limits.overall).map(({ due }) => due);
  }

  private dueAt(appId: number, proforma: Proforma): Date | null {
    return isOpen(proforma) && this.expiringPaid.has(appId) ? proforma.expiresAt : dueAt(proforma);
  }

  private get(appId: number, id: number): Proforma | undefined {
    const kept = this.proformas.get(id);
    return kept?.appId === appId ? kept.proforma : undefined;
  }

  private isTaken(appId: number, number: string): boolean {
    return [...this.proformas.values()].some((kept) => kept.appId === appId && kept.proforma.number === number);
  }

  private factsOf(appId: number, evaluationId: number): EvaluationFacts {
    const kept = this.evaluations.get(evaluationId);
    if (kept?.appId !== appId) return { evaluation: kept && 'of another app', stock: [] };
    const variants = [...new Set(kept.evaluation.lines.map((line) => line.variantId))];
    const stock = variants.flatMap((variantId) => this.stockOf(appId, variantId));
    const { warehouseCode = null } = kept;
    const vouchers = kept.evaluation.vouchers.map((each) => this.vouchers.offeredNow(each));
    const evaluation = { ...kept.evaluation, vouchers };
    return { evaluation, stock: stock.filter((row) => warehouseCode === null || row.warehouseCode === warehouseCode) };
  }

  private keepDraft(appId: number, evaluationId: number, draft: Proforma): Proforma {
    const lines = draft.lines.map((line) => ({ ...line, id: this.nextId() }));
    const kept = this.evaluations.get(evaluationId)!;
    this.evaluations.set(evaluationId, { ...kept, evaluation: { ...kept.evaluation, used: true } });
    const proforma = this.withIds({ ...draft, id: this.nextId(), lines });
    this.reservations = this.reservationsWith(proforma);
    this.vouchers.hold(proforma);
    this.proformas.set(proforma.id, { appId, proforma });
    return proforma;
  }

  private changeOne(appId: number, before: Proforma, decide: Decision): StoredChange {
    const { next, refusal, preferredWarehouse = null } = decide(before);
    const placed = new AvailableStock(this.sourcesOf(appId, next)).take(before, next, preferredWarehouse);
    if ('missing' in placed) return { before, proforma: before, refusal: insufficientStock(placed.missing.name) };
    const proforma = next === before ? before : this.withIds(placed);
    this.reservations = this.reservationsWith(proforma);
    this.vouchers.settle(before, proforma);
    this.proformas.set(before.id, { appId, proforma });
    return { before, proforma, ...(refusal && { refusal }) };
  }

  private reservationsWith(proforma: Proforma): Reservation[] {
    const lines = new Set(proforma.lines.map((line) => line.id));
    const own = proforma.lines.map((line) => ({ ...line, lineId: line.id, qty: reservedQty(proforma, line) }));
    return [...this.reservations.filter(({ lineId }) => !lines.has(lineId)), ...own];
  }

  private sourcesOf(appId: number, { evaluationId, lines }: Proforma): StockRow[] {
    const variants = [...new Set(lines.map((line) => line.variantId))];
    const { warehouseCode } = this.evaluations.get(evaluationId) ?? {};
    return variants
      .flatMap((variantId) => this.stockOf(appId, variantId))
      .filter((row) => warehouseCode === undefined || row.warehouseCode === warehouseCode);
  }

  private withIds(proforma: Proforma): Proforma {
    const keyed = withKeyParts(proforma, () => Math.random().toString(36).slice(2));
    const payments = keyed.payments.map((each) => (each.id === 0 ? { ...each, id: this.nextId() } : each));
    const orderId = proforma.status === 'converted' ? (proforma.orderId ?? this.nextId()) : null;
    return { ...proforma, payments, orderId };
  }
}

function reservedOn(shelf: Pick<Shelf, 'variantId' | 'warehouseId'>, reservations: readonly Reservation[]): number {
  const here = reservations.filter(
    (each) => each.variantId === shelf.variantId && each.warehouseId === shelf.warehouseId,
  );
  return sum(here.map((each) => each.qty));
}
