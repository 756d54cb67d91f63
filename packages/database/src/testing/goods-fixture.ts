import { isRefusal } from '@back-office/kernel';
import type { Database } from '../index.js';
import { CURRENCY, idOf, MEDIA, unique } from './fixture-values.js';

type GoodsPorts = Pick<Database, 'productQueries' | 'products' | 'stock' | 'stockQueries' | 'warehouses'>;

export interface NewGoods {
  readonly code?: string;
  readonly name?: string;
  readonly barcode?: string;
  readonly external_ref?: string;
  readonly price?: number | null;
  readonly vatRate?: number | null;
  readonly variantValues?: { readonly price?: number; readonly vatRate?: number };
  readonly active?: boolean;
}

export interface Goods {
  readonly productId: number;
  readonly variantId: number;
  readonly code: string;
}

type OnHand = Readonly<Record<string, number>>;

const FIRST_PAGE = { offset: 0, limit: 1_000 };
const ADDRESS = { address_line_1: 'Bulevar 1', city: 'Novi Sad', postcode: '21000', market_id: 1 };

export function stockedGoodsOf({ productQueries, products, stock, stockQueries, warehouses }: GoodsPorts) {
  return {
    async addGoods(appId: number, goods: NewGoods = {}): Promise<Goods> {
      const {
        code = unique('V'),
        name = code,
        price = 1_000,
        vatRate = 2_000,
        active = true,
        variantValues,
        ...variantFields
      } = goods;
      const app = { id: appId, currency: CURRENCY, settings: MEDIA };
      const variants = [{ code, ...variantFields, ...variantValues, images: [] }];
      const { outcomes } = await products.upsert(app, [{ code, name, price, vatRate, active, images: [], variants }]);
      const [outcome] = outcomes;
      if (typeof outcome !== 'object') throw new Error(outcome);
      return { productId: idOf(outcome.product), variantId: idOf(outcome.variants[0]?.variant), code };
    },
    async addWarehouse(appId: number, code: string, sellable = true): Promise<number> {
      const result = await warehouses.put(appId, [{ code, name: code, ...ADDRESS, sellable }]);
      if ('failures' in result) throw new Error(result.failures.map(({ key }) => key).join());
      return idOf(result.warehouses[0]);
    },
    async deleteWarehouse(appId: number, code: string): Promise<void> {
      const row = { code, name: code, ...ADDRESS, delete: true };
      const result = await warehouses.put(appId, [row]);
      if ('failures' in result) throw new Error(result.failures.map(({ key }) => key).join());
    },
    async addStock(appId: number, code: string, onHand: OnHand): Promise<void> {
      const rows = Object.entries(onHand).map(([warehouse, qty]) => ({ code, warehouse_code: warehouse, qty }));
      const result = await stock.add(appId, rows);
      if (isRefusal(result) || result.failed.length > 0) throw new Error(JSON.stringify(result));
    },
    async bestSellers(appId: number): Promise<string[]> {
      const query = { filter: { lookUps: [], onlyOnStock: false }, orderBy: 'sales_quantity desc', page: FIRST_PAGE };
      const { products: sortedProducts } = JSON.parse(
        (await productQueries.list({ id: appId, decimals: 2 }, query)).json,
      ) as {
        readonly products: readonly { readonly code: string }[];
      };
      return sortedProducts.map(({ code }) => code);
    },
    async countStock(appId: number, code: string, warehouse: string, qty: number): Promise<void> {
      const result = await stock.reconcile(appId, warehouse, [{ code, warehouse_code: warehouse, qty }]);
      if (result === undefined || isRefusal(result) || result.failed.length > 0) throw new Error('Nothing was counted');
    },
    async movementsOf(appId: number): Promise<string[]> {
      const filter = {
        from: new Date(0),
        before: new Date('9999-12-31'),
        warehouseId: undefined,
        productId: undefined,
      };
      const chunks: string[] = [];
      for await (const chunk of stockQueries.movements(appId, filter)) if (chunk !== '') chunks.push(chunk);
      const lines = JSON.parse(`[${chunks.join(',')}]`) as readonly Readonly<Record<string, string>>[];
      return lines.map(({ kind, qty, code, warehouse_code: warehouse, reference }) => {
        return `${kind} ${qty} ${code}@${warehouse} ${reference}`;
      });
    },
    async stockOf(appId: number, variantId: number): Promise<{ onHand: number; reserved: number }> {
      const filter = { variantId, warehouseId: undefined, productId: undefined, updatedAfter: undefined };
      const { json } = await stockQueries.list(appId, filter, { offset: 0, limit: 100 });
      const rows = JSON.parse(json) as readonly { readonly on_hand: number; readonly reserved: number }[];
      return {
        onHand: rows.reduce((total, row) => total + row.on_hand, 0),
        reserved: rows.reduce((total, row) => total + row.reserved, 0),
      };
    },
  };
}
