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

export interface Customer {
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

/** A sale of this app that has become an order. */
export interface Sale {
  readonly items: readonly { readonly code: string; readonly qty: number }[];
  readonly customer?: Customer;
  /** Codes of vouchers, which pay first. */
  readonly vouchers?: readonly string[];
  /** Bank transfer in minor units; by default the whole debt. */
  readonly paid?: number;
  /** Confirmed quantity of each line; by default all. */
  readonly confirmed?: readonly number[];
  readonly comment?: string;
  readonly tags?: readonly string[];
  readonly amountPerPoint?: number;
}

/** Fixture of the contracts of orders. Amounts are minor units. */
export interface GivenOrders {
  readonly importedOrders: ImportedOrders;
  readonly orderQueries: OrderQueries;
  readonly orderChanges: OrderChanges;
  readonly clock: ManualClock;
  /** An app whose currency is RSD. */
  makeApp(): Promise<number>;
  addCustomer(appId: number, fields?: NewCustomer): Promise<Customer>;
  /** A product named like its code, with one variant of that code; by default at 10.00 with 20 % VAT. */
  addGoods(appId: number, goods: NewGoods): Promise<Goods>;
  addWarehouse(appId: number, code: string): Promise<unknown>;
  addStock(appId: number, code: string, onHand: Readonly<Record<string, number>>): Promise<void>;
  /** Sets the pieces on hand, also below the reserved ones. */
  countStock(appId: number, code: string, warehouseCode: string, onHand: number): Promise<void>;
  /** Changes of stock in the order of their booking, in short: `ship -2 S@W1 P-2026-1`. */
  movementsOf(appId: number): Promise<readonly string[]>;
  stockOf(appId: number, variantId: number): Promise<{ readonly onHand: number; readonly reserved: number }>;
  bestSellers(appId: number): Promise<readonly string[]>;
  addLocation(appId: number, code: string): Promise<number>;
  methodOf(appId: number, kind: PaymentMethodKind): Promise<PaymentMethod>;
  addVoucher(appId: number, code: string, amount: number): Promise<unknown>;
  /** Spent minor units of a voucher. */
  spentOf(appId: number, code: string): Promise<number>;
  pointsOf(appId: number, customer: Customer): Promise<number>;
  sellOrder(appId: number, sale: Sale): Promise<number>;
  close(): Promise<void>;
}

/** By default an order of two pieces of `S` without a number. */
export function anImport(more: Partial<ImportedOrder> = {}): ImportedOrder {
  return { ...IMPORT, ...more };
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

/** An app that sells shirts: ten of `S` in `W1`. */
export class OrderShop {
  private constructor(
    readonly given: GivenOrders,
    readonly appId: number,
    readonly shirt: Goods,
  ) {}

  static async open(given: GivenOrders): Promise<OrderShop> {
    const appId = await given.makeApp();
    const shirt = await given.addGoods(appId, { code: 'S', barcode: '860', external_ref: 'ref' });
    await given.addWarehouse(appId, 'W1');
    await given.addStock(appId, 'S', { W1: 10 });
    return new OrderShop(given, appId, shirt);
  }

  tryToImport(more: Partial<ImportedOrder> = {}): Promise<{ readonly id: number } | Refusal> {
    return this.given.importedOrders.add(this.appId, anImport(more));
  }

  async imported(more: Partial<ImportedOrder> = {}): Promise<Order> {
    const added = await this.tryToImport(more);
    if (isRefusal(added)) throw new Error(added.refused);
    return this.order(added.id);
  }

  async sold(more: Partial<Sale> = {}): Promise<Order> {
    return this.order(await this.given.sellOrder(this.appId, { items: [{ code: 'S', qty: 2 }], ...more }));
  }

  async order(id: number): Promise<Order> {
    const order = await this.given.orderQueries.find(this.appId, id);
    if (order === undefined) throw new Error(`No order ${id}`);
    return order;
  }

  change(rows: readonly (OrderChange | string)[], options: BulkOptions = {}): Promise<ChangedOrders> {
    return this.given.orderChanges.change(this.appId, rows, options);
  }

  /** Expects that no change fails. */
  async changed(...rows: readonly OrderChange[]): Promise<ChangedOrders> {
    const outcome = await this.change(rows);
    expect(outcome.failed).toEqual([]);
    return outcome;
  }

  stock(): Promise<{ readonly onHand: number; readonly reserved: number }> {
    return this.given.stockOf(this.appId, this.shirt.variantId);
  }
}

export function orderChange(order: Order, change: Omit<OrderChange, 'id' | 'dataPart' | 'timePart'>): OrderChange {
  return { id: order.id, dataPart: order.data_part, timePart: order.time_part, ...change };
}
