import { DEFAULT_ORDER_COLUMNS } from '@back-office/orders';
import { countSold, type SoldPieces } from '../catalogue/sales.js';
import type { State } from '../state.js';
import type { StoredOrder, StoredOrderItem } from './records.js';

export type OrderToInsert = Omit<StoredOrder, 'id' | 'items' | 'shipped_at' | keyof typeof DEFAULT_ORDER_COLUMNS> &
  Partial<Pick<StoredOrder, keyof typeof DEFAULT_ORDER_COLUMNS>> & {
    readonly items: readonly Omit<StoredOrderItem, 'id'>[];
  };

export function insertOrder(state: State, appId: number, { items, ...order }: OrderToInsert): StoredOrder {
  countSold(state, appId, soldPieces(items));
  const storedItems = items.map((item) => ({ ...item, id: state.orderItemIds.next() }));
  return state.orders.insert(appId, { ...DEFAULT_ORDER_COLUMNS, ...order, shipped_at: null, items: storedItems });
}

export function soldPieces(items: readonly Omit<StoredOrderItem, 'id'>[]): SoldPieces[] {
  return items.map(({ product_id: productId, qty }) => ({ productId, qty }));
}

export function hasOrderNumber({ orders }: State, appId: number, number: string | undefined): boolean {
  const orderWithNumber = orders.find(appId, (order) => order.order_number === number);
  return orderWithNumber !== undefined;
}
