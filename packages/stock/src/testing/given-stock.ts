import { followPositions } from '@back-office/kernel/testing';
import { isRefusal, type Refusal, type Sorting } from '@back-office/kernel';
import { expect } from 'expect';
import type {
  Stock,
  StockAggregateFilter,
  StockCallOptions,
  StockCallResult,
  StockFilter,
  StockMovementFilter,
  StockQuantity,
  StockQueries,
  Warehouse,
  WarehouseQueries,
  Warehouses,
} from '../index.js';

export interface NewVariant {
  readonly code: string;
  readonly barcode?: string;
  readonly external_ref?: string;
}

export interface StockFixture {
  readonly stock: Stock;
  readonly stockQueries: StockQueries;
  readonly warehouses: Warehouses;
  readonly warehouseQueries: WarehouseQueries;
  makeApp(): Promise<number>;
  /** Adds a product whose name is its code; returns its id. */
  addProduct(appId: number, code: string, variants: readonly NewVariant[]): Promise<number>;
  now(): Date;
  forward(seconds: number): void;
  close(): Promise<void>;
}

export interface ShownStock {
  readonly id: number;
  readonly product_id: number;
  readonly product_variant_id: number;
  readonly product_name: string;
  readonly code: string;
  readonly barcode: string | null;
  readonly warehouse_id: number;
  readonly warehouse_code: string | null;
  readonly on_hand: number;
  readonly reserved: number;
  readonly available: number;
  readonly min_qty: number;
  readonly updated_at: string;
}

export interface ShownLine {
  readonly id: number;
  readonly movement_id: number;
  readonly kind: string;
  readonly booked_at: string;
  readonly warehouse_id: number;
  readonly warehouse_code: string | null;
  readonly product_id: number;
  readonly product_variant_id: number;
  readonly code: string;
  readonly qty: number;
  readonly reference: string | null;
}

export interface ShownSums {
  readonly product_variant_id: number;
  readonly code: string;
  readonly on_hand: number;
  readonly warehouses: readonly { readonly warehouse_code: string | null }[];
}

const PAGE = { offset: 0, limit: 1_000 };
const ANY_STOCK: StockFilter = {
  warehouseId: undefined,
  productId: undefined,
  variantId: undefined,
  updatedAfter: undefined,
};
const ALL_TIME = { from: new Date(0), before: new Date('9999-12-31'), warehouseId: undefined, productId: undefined };

export const addressOf = (name: string) => ({ name, address_line_1: 'a', city: 'c', postcode: 'p', market_id: 1 });

export const pieces = (qty: number, overrides: Partial<StockQuantity> = {}): StockQuantity => ({
  code: 'A',
  warehouse_code: 'W1',
  qty,
  ...overrides,
});

type StockRows = readonly (StockQuantity | string)[];

/** Throws when the call was refused or its warehouse is missing. */
export function booked(result: StockCallResult | Refusal | undefined): StockCallResult {
  if (result === undefined || isRefusal(result)) throw new Error(result?.refused ?? 'No such warehouse');
  return result;
}

export class StockedShop {
  private constructor(
    readonly fixture: StockFixture,
    readonly id: number,
    readonly w1: Warehouse,
    readonly w2: Warehouse,
    readonly productP: number,
    readonly productQ: number,
  ) {}

  static async open(fixture: StockFixture): Promise<StockedShop> {
    const id = await fixture.makeApp();
    const warehouses = [
      await fixture.warehouses.add(id, { ...addressOf('W1'), code: 'W1', sellable: true }),
      await fixture.warehouses.add(id, { ...addressOf('W2'), code: 'W2', sellable: false }),
    ] as [Warehouse, Warehouse];
    const p = await fixture.addProduct(id, 'P', [{ code: 'A', barcode: '860', external_ref: 'ref' }, { code: 'B' }]);
    const q = await fixture.addProduct(id, 'Q', [{ code: 'C', barcode: 'A' }]);
    return new StockedShop(fixture, id, ...warehouses, p, q);
  }

  async add(...rows: readonly StockQuantity[]): Promise<void> {
    expect(await this.addRows(rows)).toMatchObject({ updated: rows.length, failed: [] });
  }

  async addRows(rows: StockRows, options?: StockCallOptions): Promise<StockCallResult> {
    return booked(await this.fixture.stock.add(this.id, rows, options));
  }

  async count(rows: StockRows, options?: StockCallOptions): Promise<StockCallResult> {
    return booked(await this.fixture.stock.reconcile(this.id, 'W1', rows, options));
  }

  async listStock(filter: Partial<StockFilter> = {}, page = PAGE, sorting?: Sorting): Promise<ShownStock[]> {
    const { json } = await this.fixture.stockQueries.list(this.id, { ...ANY_STOCK, ...filter }, page, sorting);
    return JSON.parse(json) as ShownStock[];
  }

  async listStockByPosition(filter: Partial<StockFilter>, sorting?: Sorting): Promise<object[]> {
    return followPositions(2, (page) =>
      this.fixture.stockQueries.list(this.id, { ...ANY_STOCK, ...filter }, page, sorting),
    );
  }

  async onHandByShelf(): Promise<Record<string, number>> {
    const rows = await this.listStock();
    return Object.fromEntries(rows.map((row) => [`${row.code}@${row.warehouse_code}`, row.on_hand]));
  }

  async aggregate(filter: Partial<StockAggregateFilter> = {}, page = PAGE): Promise<ShownSums[]> {
    const noFilter = { code: undefined, barcode: undefined, productId: undefined, variantId: undefined };
    const query = { ...noFilter, warehouseId: undefined, ...filter };
    return JSON.parse(await this.fixture.stockQueries.aggregate(this.id, query, page)) as ShownSums[];
  }

  async listMovements(filter: Partial<StockMovementFilter> = {}): Promise<ShownLine[]> {
    const chunks: string[] = [];
    for await (const chunk of this.fixture.stockQueries.movements(this.id, { ...ALL_TIME, ...filter }))
      chunks.push(chunk);
    return JSON.parse(`[${chunks.filter((chunk) => chunk !== '').join(',')}]`) as ShownLine[];
  }

  async formatMovements(filter: Partial<StockMovementFilter> = {}): Promise<string[]> {
    const movementLines = await this.listMovements(filter);
    return movementLines.map((line) => `${line.kind} ${line.qty} ${line.code}@${line.warehouse_code}`);
  }
}
