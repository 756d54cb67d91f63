import { LONGEST_STRING } from '@back-office/kernel';
import { explanationOf, MATCHING, matchOf, type Explanation } from '@back-office/matching';
import { isRow, rowKey, rowKeys, wrongText } from '../http/row-check.js';
import { IS_INVALID, MALFORMED } from '../http/request-fields.js';
import { DELIVERY_STATUSES, ORDER_STATUSES, PAYMENT_STATUSES } from './order.js';

export const CANCELED = ORDER_STATUSES.indexOf('canceled') + 1;
const LEAVES = [DELIVERY_STATUSES.indexOf('shipped') + 1, DELIVERY_STATUSES.indexOf('delivered') + 1];
const NOT_FOUND = 'API.Orders.NotFound';
const INVALID_STATUS = 'API.Orders.InvalidStatus';
const ALREADY_SHIPPED = 'API.Order.AlreadyShipped';
const NEGATIVE_STOCK = 'API.Stocks.NegativeStock';
/** Another system took the money of an imported order, and has to give it back. */
const NOT_REFUNDABLE = 'API.Orders.NotRefundable';

/** A checked row of PUT /orders/bulk_update; what is not sent stays. */
export interface OrderWish {
  readonly id: number;
  readonly dataPart: number;
  readonly timePart: number;
  readonly order_status_id?: number;
  readonly payment_status_id?: number;
  readonly delivery_status_id?: number;
  readonly invoice_number?: string | null;
  /** Gives back what was paid for the order, which is cancelled by this row or was before. */
  readonly refund?: boolean;
}

const STATUSES = [
  ['order_status_id', ORDER_STATUSES.length],
  ['payment_status_id', PAYMENT_STATUSES.length],
  ['delivery_status_id', DELIVERY_STATUSES.length],
] as const;

const INVALID_REFUND = rowKey('Orders', 'refund', IS_INVALID);

/** All keys by which a row may fail. */
export const ORDER_UPDATE_KEYS = [
  ...rowKeys('Orders', { texts: ['invoice_number'] }),
  NOT_FOUND,
  INVALID_STATUS,
  ALREADY_SHIPPED,
  NEGATIVE_STOCK,
  INVALID_REFUND,
  NOT_REFUNDABLE,
];

/** A row as a wish, or the key of why it fails. */
export function orderWish(row: unknown): OrderWish | string {
  if (!isRow(row)) return rowKey('Orders', '', MALFORMED);
  const { id, data_part: dataPart, time_part: timePart, invoice_number: invoiceNumber, refund } = row;
  if (![id, dataPart, timePart].every(Number.isSafeInteger)) return NOT_FOUND;
  const statuses = STATUSES.filter(([name]) => row[name] !== undefined && row[name] !== null);
  const isKnown = (value: unknown, last: number): boolean =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= last;
  if (!statuses.every(([name, last]) => isKnown(row[name], last))) return INVALID_STATUS;
  const wrong = wrongText(invoiceNumber, LONGEST_STRING, false);
  if (wrong !== undefined) return rowKey('Orders', 'invoice_number', wrong);
  if (refund !== undefined && refund !== null && typeof refund !== 'boolean') {
    return rowKey('Orders', 'refund', MALFORMED);
  }
  return {
    id: id as number,
    dataPart: dataPart as number,
    timePart: timePart as number,
    ...Object.fromEntries(statuses.map(([name]) => [name, row[name]])),
    ...(invoiceNumber !== undefined && {
      invoice_number: invoiceNumber === '' ? null : (invoiceNumber as string | null),
    }),
    ...(refund === true && { refund }),
  };
}

/** How each row finds its order. A row that cannot be read names nothing. */
export function explainUpdates(
  wishes: readonly (OrderWish | string)[],
  found: readonly UpdatableOrder[],
): Explanation[][] {
  const orders = new Map(found.map((order) => [order.id, order]));
  return wishes.map((wish) => {
    if (typeof wish === 'string') return [];
    const order = orders.get(wish.id);
    const named = order && isNamed(order, wish) ? order : undefined;
    return [
      explanationOf(
        'order',
        matchOf(MATCHING['PUT /orders/bulk_update'].order, wish, () => named),
      ),
    ];
  });
}

/** What of an order decides about its updates. */
export interface UpdatableOrder {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
  readonly order_number: string;
  readonly order_status_id: number;
  readonly payment_status_id: number;
  readonly delivery_status_id: number;
  readonly invoice_number: string | null;
  /** Whether its delivery has ever been shipped or delivered, whatever it is now. */
  readonly has_left: boolean;
  /** Whether the service can give back what was paid; false for orders of other systems that are paid in part or whole. */
  readonly is_refundable: boolean;
  /** Pieces that it still keeps reserved; none once it has shipped or was cancelled. */
  readonly reserved: readonly ReservedPieces[];
}

export interface ReservedPieces {
  readonly proforma_item_id: number;
  readonly variant_id: number;
  readonly warehouse_id: number;
  readonly qty: number;
}

/** Reserved pieces of an order that leave the warehouse, or go back on sale. */
export interface Departure extends ReservedPieces {
  readonly kind: 'ship' | 'release';
  readonly reference: string;
}

export interface OrderUpdates {
  readonly orders: readonly UpdatableOrder[];
  /** Ids of the orders that were cancelled by the call. */
  readonly canceled: readonly number[];
  /** Ids of the orders whose money goes back. */
  readonly refunded: readonly number[];
  readonly departures: readonly Departure[];
  readonly failed: readonly { readonly row: number; readonly key: string }[];
}

export type OnHand = (variantId: number, warehouseId: number) => number;

/** Applies the rows one after another, each to what the earlier ones left; a row that fails changes nothing. */
export function planUpdates(
  wishes: readonly (OrderWish | string)[],
  found: readonly UpdatableOrder[],
  onHand: OnHand,
): OrderUpdates {
  const orders = new Map(found.map((order) => [order.id, order]));
  const shipped = new Map<string, number>();
  const changed = new Set<number>();
  const refunded = new Set<number>();
  const departures: Departure[] = [];
  const failed: { row: number; key: string }[] = [];
  for (const [row, wish] of wishes.entries()) {
    const order = typeof wish === 'string' ? undefined : orders.get(wish.id);
    const next = typeof wish === 'string' ? wish : updated(order, wish);
    if (typeof next === 'string') {
      failed.push({ row, key: next });
      continue;
    }
    const leaving = departuresOf(order as UpdatableOrder, next);
    if (!leavesEnough(leaving, shipped, onHand)) {
      failed.push({ row, key: NEGATIVE_STOCK });
      continue;
    }
    departures.push(...leaving);
    orders.set(next.id, leaving.length > 0 ? { ...next, reserved: [] } : next);
    changed.add(next.id);
    if (typeof wish !== 'string' && wish.refund) refunded.add(next.id);
  }
  const after = [...changed].map((id) => orders.get(id) as UpdatableOrder);
  const before = new Map(found.map((order) => [order.id, order.order_status_id]));
  const canceled = after.filter((order) => order.order_status_id === CANCELED && before.get(order.id) !== CANCELED);
  return { orders: after, canceled: canceled.map(({ id }) => id), refunded: [...refunded], departures, failed };
}

function updated(order: UpdatableOrder | undefined, wish: OrderWish): UpdatableOrder | string {
  if (order === undefined || !isNamed(order, wish)) return NOT_FOUND;
  const { id: _id, dataPart: _dataPart, timePart: _timePart, refund = false, ...changes } = wish;
  const sent = { ...order, ...changes };
  const next = { ...sent, has_left: order.has_left || LEAVES.includes(sent.delivery_status_id) };
  const isCanceled = next.order_status_id === CANCELED;
  // A cancelled order has given its pieces away: nothing brings it back, and nothing of it can be sent.
  if (order.order_status_id === CANCELED && !isCanceled) return INVALID_STATUS;
  if (isCanceled && order.order_status_id !== CANCELED && order.has_left) return ALREADY_SHIPPED;
  if (isCanceled && next.delivery_status_id !== order.delivery_status_id) return INVALID_STATUS;
  if (refund && !isCanceled) return INVALID_REFUND;
  if (refund && !order.is_refundable) return NOT_REFUNDABLE;
  return next;
}

function isNamed(order: UpdatableOrder, { dataPart, timePart }: OrderWish): boolean {
  return order.data_part === dataPart && order.time_part === timePart;
}

function departuresOf(before: UpdatableOrder, next: UpdatableOrder): Departure[] {
  const leaves = LEAVES.includes(next.delivery_status_id);
  if (!leaves && next.order_status_id !== CANCELED) return [];
  const kind = leaves ? 'ship' : 'release';
  return before.reserved.map((pieces) => ({ ...pieces, kind, reference: next.order_number }));
}

/** Whether the pieces are there to be sent; then they count as sent. */
function leavesEnough(leaving: readonly Departure[], shipped: Map<string, number>, onHand: OnHand): boolean {
  const wanted = new Map<string, { readonly have: number; qty: number }>();
  for (const { kind, variant_id: variant, warehouse_id: warehouse, qty } of leaving) {
    if (kind !== 'ship') continue;
    const place = `${variant}/${warehouse}`;
    const sum = wanted.get(place) ?? { have: onHand(variant, warehouse) - (shipped.get(place) ?? 0), qty: 0 };
    wanted.set(place, { ...sum, qty: sum.qty + qty });
  }
  if ([...wanted.values()].some(({ have, qty }) => qty > have)) return false;
  for (const [place, { qty }] of wanted) shipped.set(place, (shipped.get(place) ?? 0) + qty);
  return true;
}
