import {
  type BulkOptions,
  isRefusal,
  type PaymentMethod,
  type PaymentMethodKind,
  type Refusal,
} from '@back-office/kernel';
import type { ManualClock } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type {
  ChangedOrders,
  ImportedOrder,
  ImportedOrders,
  Order,
  OrderChange,
  OrderChanges,
  OrderQueries,
} from '../index.js';

export interface Goods {
  readonly productId: number;
  readonly variantId: number;
}

export interface CustomerRow {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
}

interface NewGoods {
  readonly code: string;
  readonly barcode?: string;
  readonly external_ref?: string;
  readonly price?: number | null;
  readonly vatRate?: number | null;
}

interface NewCustomer {
  readonly email?: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly phone?: string;
  readonly external_ref?: string;
}

export interface Sale {
  readonly items: readonly { readonly code: string; readonly qty: number }[];
  readonly customer?: CustomerRow;
  /** Codes of vouchers that pay before the bank transfer. */
  readonly vouchers?: readonly string[];
  /** Amount of a bank transfer in minor units; the default is the whole debt. */
  readonly paid?: number;
  readonly confirmed?: readonly number[];
  readonly comment?: string;
  readonly tags?: readonly string[];
  readonly amountPerPoint?: number;
}

/** Fixture of the order contracts. Amounts are minor units. */
export interface OrderFixture {
  readonly importedOrders: ImportedOrders;
  readonly orderQueries: OrderQueries;
  readonly orderChanges: OrderChanges;
  readonly clock: ManualClock;
  /** Adds an app with the currency RSD. */
  makeApp(): Promise<number>;
  addCustomer(appId: number, fields?: NewCustomer): Promise<CustomerRow>;
  /**
   * Adds a product whose name is its code, with one variant of the same code; by default it costs 10.00 with 20 % VAT.
   */
  addGoods(appId: number, goods: NewGoods): Promise<Goods>;
  addWarehouse(appId: number, code: string): Promise<unknown>;
  addStock(appId: number, code: string, onHand: Readonly<Record<string, number>>): Promise<void>;
  countStock(appId: number, code: string, warehouseCode: string, onHand: number): Promise<void>;
  /** Returns stock movements in booking order, such as `ship -2 S@W1 P-2026-1`. */
  movementsOf(appId: number): Promise<readonly string[]>;
  stockOf(appId: number, variantId: number): Promise<{ readonly onHand: number; readonly reserved: number }>;
  bestSellers(appId: number): Promise<readonly string[]>;
  addLocation(appId: number, code: string): Promise<number>;
  methodOf(appId: number, kind: PaymentMethodKind): Promise<PaymentMethod>;
  addVoucher(appId: number, code: string, amount: number): Promise<unknown>;
  spentOf(appId: number, code: string): Promise<number>;
  pointsOf(appId: number, customer: CustomerRow): Promise<number>;
  sellOrder(appId: number, sale: Sale): Promise<number>;
  close(): Promise<void>;
}

export function anImport(overrides: Partial<ImportedOrder> = {}): ImportedOrder {
  return { ...IMPORT, ...overrides };
}

const IMPORT: ImportedOrder = {
  orderNumber: null,
  externalRef: 'ext-1',
  orderDate: null,
  locationCode: null,
  customer: null,
  items: [{ code: 'S', qty: 2, price: null }],
  payments: [],
  currency: 'RSD',
};

export class OrderShop {
  private constructor(
    readonly fixture: OrderFixture,
    readonly appId: number,
    readonly shirt: Goods,
  ) {}

  static async open(fixture: OrderFixture): Promise<OrderShop> {
    const appId = await fixture.makeApp();
    const shirt = await fixture.addGoods(appId, { code: 'S', barcode: '860', external_ref: 'ref' });
    await fixture.addWarehouse(appId, 'W1');
    await fixture.addStock(appId, 'S', { W1: 10 });
    return new OrderShop(fixture, appId, shirt);
  }

  tryToImport(overrides: Partial<ImportedOrder> = {}): Promise<{ readonly id: number } | Refusal> {
    return this.fixture.importedOrders.add(this.appId, anImport(overrides));
  }

  async importOrder(overrides: Partial<ImportedOrder> = {}): Promise<Order> {
    const result = await this.tryToImport(overrides);
    if (isRefusal(result)) throw new Error(result.refused);
    return this.findOrder(result.id);
  }

  async sellOrder(overrides: Partial<Sale> = {}): Promise<Order> {
    return this.findOrder(await this.fixture.sellOrder(this.appId, { items: [{ code: 'S', qty: 2 }], ...overrides }));
  }

  async findOrder(id: number): Promise<Order> {
    const order = await this.fixture.orderQueries.find(this.appId, id);
    if (order === undefined) throw new Error(`No order ${id}`);
    return order;
  }

  change(rows: readonly (OrderChange | string)[], options: BulkOptions = {}): Promise<ChangedOrders> {
    return this.fixture.orderChanges.change(this.appId, rows, options);
  }

  async changeAll(...rows: readonly OrderChange[]): Promise<ChangedOrders> {
    const result = await this.change(rows);
    expect(result.failed).toEqual([]);
    return result;
  }

  stock(): Promise<{ readonly onHand: number; readonly reserved: number }> {
    return this.fixture.stockOf(this.appId, this.shirt.variantId);
  }
}

export function orderChange(order: Order, change: Omit<OrderChange, 'id' | 'dataPart' | 'timePart'>): OrderChange {
  return { id: order.id, dataPart: order.data_part, timePart: order.time_part, ...change };
}
