import { failedRows, type BulkOptions, type Clock } from '@back-office/kernel';
import { MATCHING } from '@back-office/matching';
import {
  planAdditions,
  planReconciliation,
  planStock,
  stockChangeEvents,
  makeStockMatchers,
  type StockAdditionResult,
  type OnHand,
  type StockMatchers,
  type StockReconciliationResult,
  type Stock,
  type StockChange,
  type StockQuantity,
  type WarehouseIdentifiers,
} from '@back-office/stock';
import { publish } from '../events/published-events.js';
import type { State } from '../state.js';
import { bookMovements, changeStock } from './movements.js';
import type { StoredWarehouse } from './records.js';
import { shelfKey, stockByShelf } from './shelves.js';

type Rows = readonly (StockQuantity | string)[];

export class MemoryStock implements Stock {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async add(appId: number, rows: Rows, { explain, dryRun }: BulkOptions = {}): Promise<StockAdditionResult> {
    const work = (): StockAdditionResult => {
      const matchers = this.makeMatchers(appId, MATCHING['PUT /int/stocks'], () => true);
      const plan = planStock(rows, matchers);
      const { changes, outcomes } = planAdditions(plan.outcomes, this.onHand(appId));
      this.bookChanges(appId, 'adjust', changes);
      return { failed: failedRows(outcomes), explain: explain ? plan.explain() : undefined };
    };
    return this.state.memory.transaction(work, { dryRun });
  }

  async reconcile(
    appId: number,
    warehouseCode: string,
    rows: Rows,
    { explain, dryRun }: BulkOptions = {},
  ): Promise<StockReconciliationResult | undefined> {
    const isCounted = ({ code }: StoredWarehouse) => code === warehouseCode;
    const work = (): StockReconciliationResult | undefined => {
      const { warehouses } = this.state;
      const warehouse = warehouses.find(appId, (candidate) => candidate.deleted_at === null && isCounted(candidate));
      if (warehouse === undefined) return undefined;
      const matchers = this.makeMatchers(appId, MATCHING['POST /stock/reconcile'], isCounted);
      const plan = planStock(rows, matchers);
      const { changes, failed } = planReconciliation(plan.outcomes, this.onHand(appId));
      const [id] = this.bookChanges(appId, 'reconcile', changes);
      const movementId = dryRun ? null : (id ?? null);
      return { movementId, failed, explain: explain ? plan.explain() : undefined };
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

  private bookChanges(appId: number, kind: 'adjust' | 'reconcile', changes: readonly StockChange[]): number[] {
    const now = this.clock.now();
    publish(this.state, appId, now, stockChangeEvents(changes));
    const existingStock = stockByShelf(this.state, appId);
    const entries = changes.map(({ delta, ...change }) => ({ ...change, kind, reference: null, qty: delta }));
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
