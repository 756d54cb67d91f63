import { formatDateTime, sum, type ListedPage, type Page, type Sorting } from '@back-office/kernel';
import type {
  StockAggregateFilter,
  StockFilter,
  StockListRow,
  StockMovementFilter,
  StockQueries,
} from '@back-office/stock';
import type { StoredVariant } from '../catalogue/records.js';
import { groupBy, pageOf, sortBy } from '../lists.js';
import { listedPage, type SortKey } from '../sorting.js';
import type { State } from '../state.js';
import type { StockMovement, StockMovementLine, StoredStock, StoredWarehouse } from './records.js';
import { availableOf, shelfKey } from './shelves.js';

interface StockedVariant {
  readonly row: StoredStock;
  readonly variant: StoredVariant;
  readonly warehouse: StoredWarehouse;
}

export class MemoryStockQueries implements StockQueries {
  constructor(private readonly state: State) {}

  async findAll(appId: number, shelves: Parameters<StockQueries['findAll']>[1]): Promise<StockListRow[]> {
    const keys = new Set(shelves.map(shelfKey));
    return this.stockedVariants(appId)
      .filter(({ row }) => keys.has(shelfKey({ variantId: row.product_variant_id, warehouseId: row.warehouse_id })))
      .map((stockedVariant) => this.presentStock(appId, stockedVariant));
  }

  async list(
    appId: number,
    { warehouseId, productId, variantId, updatedAfter }: StockFilter,
    page: Page,
    sorting?: Sorting,
  ): Promise<ListedPage> {
    const matchingStock = this.stockedVariants(appId).filter(
      ({ row, variant }) =>
        (warehouseId === undefined || row.warehouse_id === warehouseId) &&
        (productId === undefined || variant.product_id === productId) &&
        (variantId === undefined || variant.id === variantId) &&
        (updatedAfter === undefined || row.updated_at >= updatedAfter),
    );
    const direction = sorting?.direction ?? 'asc';
    const keys: readonly SortKey<StockedVariant>[] = sorting
      ? [
          { value: ({ row }) => row.updated_at.getTime(), direction },
          { value: ({ row }) => row.id, direction },
        ]
      : [
          { value: ({ variant }) => variant.product_id, direction },
          { value: ({ variant }) => variant.id, direction },
          { value: ({ warehouse }) => warehouse.id, direction },
        ];
    return listedPage(matchingStock, keys, page, (stockedVariant) => this.presentStock(appId, stockedVariant));
  }

  async aggregate(
    appId: number,
    { code, barcode, productId, variantId, warehouseId }: StockAggregateFilter,
    page: Page,
  ): Promise<string> {
    const stock = this.stockedVariants(appId).filter(
      ({ warehouse }) => warehouseId === undefined || warehouse.id === warehouseId,
    );
    const stockByVariant = groupBy(stock, ({ variant }) => variant.id);
    const matchingVariants = this.state.variants
      .all(appId)
      .filter(
        (variant) =>
          (code === undefined || variant.code === code) &&
          (barcode === undefined || variant.barcode === barcode) &&
          (productId === undefined || variant.product_id === productId) &&
          (variantId === undefined || variant.id === variantId) &&
          (warehouseId === undefined || stockByVariant.has(variant.id)),
      );
    const presentedVariants = pageOf(matchingVariants, page).map((variant) =>
      presentSums(variant, stockByVariant.get(variant.id) ?? []),
    );
    return JSON.stringify(presentedVariants);
  }

  async *movements(
    appId: number,
    { from, before, warehouseId, productId }: StockMovementFilter,
  ): AsyncGenerator<string> {
    const { stockMovements, stockMovementLines } = this.state;
    const matchingMovements = stockMovements
      .all(appId)
      .filter(({ booked_at: at }) => at >= from && at < before)
      .filter((movement) => warehouseId === undefined || movement.warehouse_id === warehouseId);
    const lines = groupBy(stockMovementLines.all(appId), (line) => line.movement_id);
    const sortedMovements = sortBy(matchingMovements, [({ booked_at: at }) => at.getTime(), ({ id }) => id]);
    const presentedLines = sortedMovements.flatMap((movement) =>
      (lines.get(movement.id) ?? []).flatMap((line) => this.presentLine(appId, movement, line, productId)),
    );
    yield presentedLines.map((line) => JSON.stringify(line)).join(',');
  }

  private stockedVariants(appId: number): StockedVariant[] {
    const { stocks, variants, warehouses } = this.state;
    return stocks.all(appId).flatMap((row) => {
      const variant = variants.get(appId, row.product_variant_id);
      const warehouse = warehouses.get(appId, row.warehouse_id);
      return variant && warehouse?.deleted_at === null ? [{ row, variant, warehouse }] : [];
    });
  }

  private presentStock(appId: number, { row, variant, warehouse }: StockedVariant): StockListRow {
    return {
      id: row.id,
      product_id: variant.product_id,
      product_variant_id: variant.id,
      product_name: this.state.products.get(appId, variant.product_id)?.name,
      code: variant.code,
      barcode: variant.barcode,
      warehouse_id: warehouse.id,
      warehouse_code: warehouse.code,
      on_hand: row.on_hand,
      reserved: row.reserved,
      available: availableOf(row, warehouse),
      min_qty: row.min_qty,
      updated_at: formatDateTime(row.updated_at),
    };
  }

  private presentLine(
    appId: number,
    movement: StockMovement,
    line: StockMovementLine,
    productId: number | undefined,
  ): object[] {
    const variant = this.state.variants.get(appId, line.product_variant_id) as StoredVariant;
    if (productId !== undefined && variant.product_id !== productId) return [];
    const { id: movementId, kind, booked_at: at, warehouse_id: warehouseId, reference } = movement;
    const warehouseCode = this.state.warehouses.get(appId, warehouseId)?.code ?? null;
    return [
      {
        id: line.id,
        movement_id: movementId,
        kind,
        booked_at: formatDateTime(at),
        warehouse_id: warehouseId,
        warehouse_code: warehouseCode,
        product_id: variant.product_id,
        product_variant_id: variant.id,
        code: variant.code,
        qty: line.qty,
        reference,
      },
    ];
  }
}

function presentSums(variant: StoredVariant, stockedVariants: readonly StockedVariant[]): object {
  const warehouses = stockedVariants.map(({ row, warehouse }) => ({
    warehouse_id: warehouse.id,
    warehouse_code: warehouse.code,
    on_hand: row.on_hand,
    reserved: row.reserved,
    available: availableOf(row, warehouse),
  }));
  return {
    product_id: variant.product_id,
    product_variant_id: variant.id,
    code: variant.code,
    on_hand: sum(warehouses.map((warehouse) => warehouse.on_hand)),
    reserved: sum(warehouses.map((warehouse) => warehouse.reserved)),
    available: sum(warehouses.map((warehouse) => warehouse.available)),
    warehouses: sortBy(warehouses, [(warehouse) => warehouse.warehouse_code]),
  };
}
