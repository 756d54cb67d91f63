import { failedRows, type Clock, type Refusal } from '@back-office/kernel';
import { MATCHING, type BulkPlan } from '@back-office/matching';
import {
  contentOf,
  limitCall,
  planAdditions,
  planReconciliation,
  planStock,
  stockEntries,
  REFERENCE_TAKEN,
  stockChangeEvents,
  makeStockMatchers,
  type OnHand,
  type PlannedCall,
  type ShelfQuantity,
  type StockMatchers,
  type Stock,
  type StockCallKind,
  type StockCallOptions,
  type StockCallResult,
  type StockChange,
  type StockQuantity,
  type WarehouseIdentifiers,
} from '@back-office/stock';
import { audit } from '../apps/audit-entries.js';
import { publish } from '../events/published-events.js';
import type { State } from '../state.js';
import { bookMovements, changeStock } from './movements.js';
import type { StoredWarehouse } from './records.js';
import { shelfKey, stockByShelf } from './shelves.js';

type Rows = readonly (StockQuantity | string)[];

interface LocatedCall extends PlannedCall {
  readonly plan: BulkPlan<ShelfQuantity>;
}

export class MemoryStock implements Stock {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async add(appId: number, rows: Rows, options: StockCallOptions = {}): Promise<StockCallResult | Refusal> {
    return this.call(appId, 'adjust', rows, options, () => {
      const plan = planStock(
        rows,
        this.makeMatchers(appId, MATCHING['PUT /int/stocks'], () => true),
      );
      const { changes, outcomes } = planAdditions(plan.outcomes, this.onHand(appId));
      return { plan, changes, failed: failedRows(outcomes) };
    });
  }

  async reconcile(
    appId: number,
    warehouseCode: string,
    rows: Rows,
    options: StockCallOptions = {},
  ): Promise<StockCallResult | Refusal | undefined> {
    const isCounted = ({ code }: StoredWarehouse) => code === warehouseCode;
    return this.call(appId, 'reconcile', rows, options, () => {
      const { warehouses } = this.state;
      const warehouse = warehouses.find(appId, (candidate) => candidate.deleted_at === null && isCounted(candidate));
      if (warehouse === undefined) return undefined;
      const plan = planStock(rows, this.makeMatchers(appId, MATCHING['POST /stock/reconcile'], isCounted));
      return { plan, ...planReconciliation(plan.outcomes, this.onHand(appId)) };
    });
  }

  private call<Planned extends LocatedCall | undefined>(
    appId: number,
    kind: StockCallKind,
    rows: Rows,
    { explain, dryRun, reference = null, allOrNothing = false }: StockCallOptions,
    plan: () => Planned,
  ): StockCallResult | Refusal | Extract<Planned, undefined> {
    const work = (): StockCallResult | Refusal | Extract<Planned, undefined> => {
      const content = contentOf(kind, rows);
      const kept = this.state.stockReferences.find(appId, (row) => row.reference === reference);
      if (kept) return kept.content === content ? { ...kept.outcome, isRepeat: true } : REFERENCE_TAKEN;
      const planned = plan();
      if (planned === undefined) return planned as Extract<Planned, undefined>;
      const { changes, failed, updated } = limitCall(planned, rows.length, allOrNothing);
      const ids = this.bookChanges(appId, kind, changes, reference);
      const outcome = { updated, failed, movementIds: dryRun ? [] : ids };
      if (reference !== null && updated > 0) this.state.stockReferences.insert(appId, { reference, content, outcome });
      return { ...outcome, explain: explain ? planned.plan.explain() : undefined };
    };
    return this.state.memory.transaction(work, { dryRun });
  }

  private makeMatchers(
    appId: number,
    order: Parameters<typeof makeStockMatchers>[0],
    isIncluded: (warehouse: StoredWarehouse) => boolean,
  ): StockMatchers {
    const { variants, warehouses } = this.state;
    const includedWarehouses = warehouses
      .all(appId)
      .filter((warehouse) => warehouse.deleted_at === null && warehouse.code !== null && isIncluded(warehouse));
    return makeStockMatchers(order, variants.all(appId), includedWarehouses as WarehouseIdentifiers[]);
  }

  private onHand(appId: number): OnHand {
    const rowByShelf = stockByShelf(this.state, appId);
    return (variantId, warehouseId) => rowByShelf.get(shelfKey({ variantId, warehouseId }))?.on_hand;
  }

  private bookChanges(
    appId: number,
    kind: StockCallKind,
    changes: readonly StockChange[],
    reference: string | null,
  ): number[] {
    const now = this.clock.now();
    audit(this.state, appId, now, stockEntries(kind, reference, changes));
    publish(this.state, appId, now, stockChangeEvents(changes));
    const existingStock = stockByShelf(this.state, appId);
    const entries = changes.map(({ delta, ...change }) => ({ ...change, kind, reference, qty: delta }));
    const ids = bookMovements(
      this.state,
      appId,
      entries.filter(({ qty }) => qty !== 0),
      now,
    );
    for (const { variantId, warehouseId, minQty } of changes) {
      if (existingStock.has(shelfKey({ variantId, warehouseId }))) continue;
      const row = { product_variant_id: variantId, warehouse_id: warehouseId, min_qty: minQty };
      this.state.stocks.insert(appId, { ...row, on_hand: 0, reserved: 0, updated_at: now });
    }
    const deltas = changes.map(({ delta, ...change }) => ({ ...change, onHand: delta, reserved: 0 }));
    changeStock(this.state, appId, deltas, now);
    return ids;
  }
}
