import { NOW } from './a-proforma.js';
import { isRefusal, sum, type Refusal } from '@back-office/kernel';
import {
  EXTERNAL_REF_TAKEN,
  dueAt,
  AvailableStock,
  insufficientStock,
  isOpen,
  reservedQty,
  withKeyParts,
  type Decision,
  type DueProforma,
  type Evaluation,
  type CreationDecision,
  type EvaluationFacts,
  type Proforma,
  type ProformaOrders,
  type StockRow,
  type StoredChange,
} from '../index.js';
import { InMemoryVouchers } from './in-memory-vouchers.js';

type Shelf = Omit<StockRow, 'reserved'>;
type Reservation = Pick<Shelf, 'variantId' | 'warehouseId'> & { readonly lineId: number; readonly qty: number };
type OwnedByApp<Record> = { readonly appId: number } & Record;

export class InMemoryProformaOrders implements ProformaOrders {
  readonly lockedIds = new Set<number>();
  readonly appsExpiringPaid = new Set<number>();
  readonly vouchers = new InMemoryVouchers();
  private readonly shelves: OwnedByApp<Shelf>[] = [];
  private readonly evaluations = new Map<
    number,
    OwnedByApp<{ evaluation: Evaluation; warehouseCode: string | undefined }>
  >();
  private readonly proformas = new Map<number, OwnedByApp<{ proforma: Proforma }>>();
  private reservations: readonly Reservation[] = [];
  private lastId = 0;

  constructor(private readonly now: () => Date = () => NOW) {}

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  addStock(appId: number, shelf: Shelf): void {
    this.shelves.push({ appId, ...shelf });
  }

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

  async create(appId: number, evaluationId: number, decide: CreationDecision): Promise<Proforma | Refusal> {
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const draft = decide(this.factsOf(appId, evaluationId), this.now());
      if (isRefusal(draft)) return draft;
      if (!this.isNumberTaken(appId, draft.number)) return this.storeDraft(appId, evaluationId, draft);
    }
    throw new Error('All numbers were taken');
  }

  async find(appId: number, id: number): Promise<Proforma | undefined> {
    return this.findProforma(appId, id);
  }

  async change(appId: number, id: number, decide: Decision): Promise<StoredChange | undefined> {
    const before = this.findProforma(appId, id);
    return before && this.changeOne(appId, before, decide);
  }

  async changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly StoredChange[]> {
    const unlockedProformas = ids
      .filter((id) => !this.lockedIds.has(id))
      .flatMap((id) => this.findProforma(appId, id) ?? []);
    return unlockedProformas.map((before) => this.changeOne(appId, before, decide));
  }

  async due(now: Date, limits: Parameters<ProformaOrders['due']>[1]): Promise<readonly DueProforma[]> {
    const deadlines = [...this.proformas.values()].map(({ appId, proforma }) => ({
      appId,
      id: proforma.id,
      lines: proforma.lines.length,
      deadlineMs: this.dueAt(appId, proforma)?.getTime() ?? Infinity,
    }));
    const overdue = deadlines
      .filter(({ deadlineMs }) => deadlineMs <= now.getTime())
      .sort((a, b) => a.deadlineMs - b.deadlineMs);
    const rankedProformas = overdue.map(({ deadlineMs: _deadlineMs, ...due }, index) => ({
      due,
      rank: overdue.slice(0, index).filter(({ appId }) => appId === due.appId).length,
    }));
    const selectedProformas = rankedProformas
      .filter(({ rank }) => rank < limits.perApp)
      .sort((a, b) => a.rank - b.rank);
    return selectedProformas.slice(0, limits.overall).map(({ due }) => due);
  }

  private dueAt(appId: number, proforma: Proforma): Date | null {
    return isOpen(proforma) && this.appsExpiringPaid.has(appId) ? proforma.expiresAt : dueAt(proforma);
  }

  private findProforma(appId: number, id: number): Proforma | undefined {
    const ownedProforma = this.proformas.get(id);
    return ownedProforma?.appId === appId ? ownedProforma.proforma : undefined;
  }

  private isNumberTaken(appId: number, number: string): boolean {
    return [...this.proformas.values()].some(
      (ownedProforma) => ownedProforma.appId === appId && ownedProforma.proforma.number === number,
    );
  }

  private factsOf(appId: number, evaluationId: number): EvaluationFacts {
    const ownedEvaluation = this.evaluations.get(evaluationId);
    if (ownedEvaluation?.appId !== appId) return { evaluation: ownedEvaluation && 'of another app', stock: [] };
    const variants = [...new Set(ownedEvaluation.evaluation.lines.map((line) => line.variantId))];
    const stock = variants.flatMap((variantId) => this.stockOf(appId, variantId));
    const { warehouseCode = null } = ownedEvaluation;
    const vouchers = ownedEvaluation.evaluation.vouchers.map((voucher) =>
      this.vouchers.withCurrentAvailability(voucher),
    );
    const evaluation = { ...ownedEvaluation.evaluation, vouchers };
    return { evaluation, stock: stock.filter((row) => warehouseCode === null || row.warehouseCode === warehouseCode) };
  }

  private storeDraft(appId: number, evaluationId: number, draft: Proforma): Proforma {
    const lines = draft.lines.map((line) => ({ ...line, id: this.nextId() }));
    const fees = draft.fees.map((fee) => ({ ...fee, id: this.nextId() }));
    const ownedEvaluation = this.evaluations.get(evaluationId)!;
    this.evaluations.set(evaluationId, {
      ...ownedEvaluation,
      evaluation: { ...ownedEvaluation.evaluation, used: true },
    });
    const proforma = this.withIds({ ...draft, id: this.nextId(), lines, fees });
    this.reservations = this.reservationsWith(proforma);
    this.vouchers.hold(proforma);
    this.proformas.set(proforma.id, { appId, proforma });
    return proforma;
  }

  private changeOne(appId: number, before: Proforma, decide: Decision): StoredChange {
    const { next, refusal, preferredWarehouse = null } = decide(before, this.now());
    if (this.isReferenceTaken(appId, before, next)) return { before, proforma: before, refusal: EXTERNAL_REF_TAKEN };
    const result = new AvailableStock(this.sourcesOf(appId, next)).take(before, next, preferredWarehouse);
    if ('missing' in result)
      return { before, proforma: before, refusal: insufficientStock(result.missing.name, result.shortage) };
    const proforma = next === before ? before : this.withIds(result);
    this.reservations = this.reservationsWith(proforma);
    this.vouchers.settle(before, proforma);
    this.proformas.set(before.id, { appId, proforma });
    return { before, proforma, ...(refusal && { refusal }) };
  }

  private isReferenceTaken(appId: number, before: Proforma, next: Proforma): boolean {
    const added = next.payments.slice(before.payments.length).flatMap(({ externalRef }) => externalRef ?? []);
    const others = [...this.proformas.values()].filter(
      (owned) => owned.appId === appId && owned.proforma.id !== before.id,
    );
    return others.some(({ proforma }) =>
      proforma.payments.some(({ externalRef }) => externalRef !== null && added.includes(externalRef)),
    );
  }

  private reservationsWith(proforma: Proforma): Reservation[] {
    const lines = new Set(proforma.lines.map((line) => line.id));
    const ownReservations = proforma.lines.map((line) => ({
      ...line,
      lineId: line.id,
      qty: reservedQty(proforma, line),
    }));
    return [...this.reservations.filter(({ lineId }) => !lines.has(lineId)), ...ownReservations];
  }

  private sourcesOf(appId: number, { evaluationId, lines }: Proforma): StockRow[] {
    const variants = [...new Set(lines.map((line) => line.variantId))];
    const { warehouseCode } = this.evaluations.get(evaluationId) ?? {};
    return variants
      .flatMap((variantId) => this.stockOf(appId, variantId))
      .filter((row) => warehouseCode === undefined || row.warehouseCode === warehouseCode);
  }

  private withIds(proforma: Proforma): Proforma {
    const proformaWithKeys = withKeyParts(proforma, () => Math.random().toString(36).slice(2));
    const payments = proformaWithKeys.payments.map((payment) =>
      payment.id === 0 ? { ...payment, id: this.nextId() } : payment,
    );
    const orderId = proforma.status === 'converted' ? (proforma.orderId ?? this.nextId()) : null;
    return { ...proforma, payments, orderId };
  }
}

function reservedOn(shelf: Pick<Shelf, 'variantId' | 'warehouseId'>, reservations: readonly Reservation[]): number {
  const shelfReservations = reservations.filter(
    (reservation) => reservation.variantId === shelf.variantId && reservation.warehouseId === shelf.warehouseId,
  );
  return sum(shelfReservations.map((reservation) => reservation.qty));
}
