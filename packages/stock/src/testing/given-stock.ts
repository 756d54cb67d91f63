import { expect } from 'expect';
import type {
  Stock,
  StockAggregateFilter,
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

/** Fixture of the contracts of stock and warehouses. */
export interface GivenStock {
  readonly stock: Stock;
  readonly stockQueries: StockQueries;
  readonly warehouses: Warehouses;
  readonly warehouseQueries: WarehouseQueries;
  makeApp(): Promise<number>;
  /** Adds a product named like its code; returns its id. */
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
  readonly code: string;
  readonly on_hand: number;
  readonly warehouses: readonly { readonly warehouse_code: string | null }[];
}

const PAGE = { offset: 0, limit: 1_000 };
const ANY = { warehouseId: undefined, productId: undefined, variantId: undefined };
const EVER = { from: new Date(0), before: new Date('9999-12-31'), warehouseId: undefined, productId: undefined };

export const address = (name: string) => ({ name, address_line_1: 'a', city: 'c', postcode: 'p', market_id: 1 });

/** By default pieces of the variant A in the warehouse W1. */
export const pieces = (qty: number, more: Partial<StockQuantity> = {}): StockQuantity => ({
  code: 'A',
  warehouse_code: 'W1',
  qty,
  ...more,
});

/** An app with the warehouses W1 and W2 and the products P (variants A, B) and Q (variant C, barcode `A`). */
export class StockedShop {
  private constructor(
    readonly given: GivenStock,
    readonly id: number,
    readonly w1: Warehouse,
    readonly w2: Warehouse,
    readonly p: number,
    readonly q: number,
  ) {}

  static async open(given: GivenStock): Promise<StockedShop> {
    const id = await given.makeApp();
    const warehouses = [
      await given.warehouses.add(id, { ...address('W1'), code: 'W1', sellable: true }),
      await given.warehouses.add(id, { ...address('W2'), code: 'W2', sellable: false }),
    ] as [Warehouse, Warehouse];
    const p = await given.addProduct(id, 'P', [{ code: 'A', barcode: '860', external_ref: 'ref' }, { code: 'B' }]);
    const q = await given.addProduct(id, 'Q', [{ code: 'C', barcode: 'A' }]);
    return new StockedShop(given, id, ...warehouses, p, q);
  }

  /** Adds rows and expects that none fails. */
  async add(...rows: readonly StockQuantity[]): Promise<void> {
    expect(await this.given.stock.add(this.id, rows)).toEqual({ failed: [], explain: undefined });
  }

  async stocks(filter: Partial<StockFilter> = {}, page = PAGE): Promise<ShownStock[]> {
    const listed = await this.given.stockQueries.list(this.id, { ...ANY, ...filter }, page);
    return JSON.parse(listed) as ShownStock[];
  }

  /** On hand by shelf: `A@W1` → 5. */
  async onHand(): Promise<Record<string, number>> {
    const rows = await this.stocks();
    return Object.fromEntries(rows.map((row) => [`${row.code}@${row.warehouse_code}`, row.on_hand]));
  }

  async aggregate(filter: Partial<StockAggregateFilter> = {}, page = PAGE): Promise<ShownSums[]> {
    const asked = { code: undefined, barcode: undefined, productId: undefined, ...filter };
    return JSON.parse(await this.given.stockQueries.aggregate(this.id, asked, page)) as ShownSums[];
  }

  async movements(filter: Partial<StockMovementFilter> = {}): Promise<ShownLine[]> {
    const chunks: string[] = [];
    for await (const chunk of this.given.stockQueries.movements(this.id, { ...EVER, ...filter })) chunks.push(chunk);
    return JSON.parse(`[${chunks.filter((chunk) => chunk !== '').join(',')}]`) as ShownLine[];
  }

  /** Movement lines as texts: `adjust 5 A@W1`. */
  async lines(filter: Partial<StockMovementFilter> = {}): Promise<string[]> {
    const shown = await this.movements(filter);
    return shown.map((line) => `${line.kind} ${line.qty} ${line.code}@${line.warehouse_code}`);
  }
}
