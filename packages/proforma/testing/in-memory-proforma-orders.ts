import { isRefusal, type Refusal } from '@back-office/kernel';
import {
  insufficientStock,
  reservationChanges,
  reservedQty,
  type Decision,
  type Evaluation,
  type EvaluationFacts,
  type Proforma,
  type ProformaOrders,
  type StockRow,
  type Stored,
} from '../src/index.js';

type Place = Omit<StockRow, 'reserved'> & { readonly appId: number };
type Reservation = Pick<Place, 'variantId' | 'warehouseId'> & { readonly lineId: number; readonly qty: number };

interface KeptEvaluation {
  readonly appId: number;
  readonly evaluation: Evaluation;
  /** The only warehouse that may serve it, when it names one. */
  readonly warehouseCode: string | undefined;
}

/** Proformas and their stock in memory: one process, nothing kept. Ids are unique over all apps and kinds. */
export class InMemoryProformaOrders implements ProformaOrders {
  /** Ids of proformas that somebody else is changing. */
  readonly locked = new Set<number>();
  private readonly places: Place[] = [];
  private readonly evaluations = new Map<number, KeptEvaluation>();
  private readonly proformas = new Map<number, { readonly appId: number; readonly proforma: Proforma }>();
  private reservations: readonly Reservation[] = [];
  private lastId = 0;

  addStock(place: Place): void {
    this.places.push(place);
  }

  addEvaluation(appId: number, evaluation: Evaluation, warehouseCode?: string): number {
    const id = this.nextId();
    this.evaluations.set(id, { appId, evaluation: { ...evaluation, id }, warehouseCode });
    return id;
  }

  stockOf(appId: number, variantId: number): StockRow[] {
    return this.places.filter((place) => place.appId === appId && place.variantId === variantId).map(this.asRow);
  }

  async create(
    appId: number,
    evaluationId: number,
    decide: (facts: EvaluationFacts) => Proforma | Refusal,
  ): Promise<Proforma | Refusal> {
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const draft = decide(this.factsOf(appId, evaluationId));
      if (isRefusal(draft)) return draft;
      if (this.isNumberFree(appId, draft.number)) return this.keepNew(appId, draft);
    }
    throw new Error('Every number was taken');
  }

  async find(appId: number, id: number): Promise<Proforma | undefined> {
    const kept = this.proformas.get(id);
    return kept?.appId === appId ? kept.proforma : undefined;
  }

  async change(appId: number, id: number, decide: Decision): Promise<Stored | undefined> {
    const before = await this.find(appId, id);
    return before && this.changeOne(appId, before, decide);
  }

  async changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly Stored[]> {
    const free = ids.filter((id) => !this.locked.has(id));
    const stored = await Promise.all(free.map((id) => this.change(appId, id, decide)));
    return stored.filter((each) => each !== undefined);
  }

  async due(now: Date, limit: number): Promise<readonly { readonly appId: number; readonly id: number }[]> {
    return [...this.proformas.values()]
      .map(({ appId, proforma }) => ({ appId, id: proforma.id, at: dueAt(proforma) }))
      .filter(({ at }) => at !== null && at <= now)
      .sort((a, b) => Number(a.at) - Number(b.at))
      .slice(0, limit)
      .map(({ appId, id }) => ({ appId, id }));
  }
}
