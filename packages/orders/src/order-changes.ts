import { hasLeft, type DeliveryStatus, type OrderPaymentStatus, type OrderStatus } from './order-status.js';
import { ORDER_TRANSITIONS } from './transitions.js';

export const ORDER_NOT_FOUND = 'API.Orders.NotFound';
export const INVALID_STATUS = 'API.Orders.InvalidStatus';
export const ALREADY_SHIPPED = 'API.Order.AlreadyShipped';
export const NEGATIVE_STOCK = 'API.Stocks.NegativeStock';
/** `refund` without a cancellation. */
export const INVALID_REFUND = 'API.Orders.RefundIsInvalid';
/** Another system took the money of an imported order, and has to give it back. */
export const NOT_REFUNDABLE = 'API.Orders.NotRefundable';

/** Names an order; all three parts have to be its own. */
export interface OrderName {
  readonly id: number;
  readonly dataPart: number;
  readonly timePart: number;
}

/** What a row changes of an order; what is absent stays. */
export interface OrderChange extends OrderName {
  readonly status?: OrderStatus;
  readonly paymentStatus?: OrderPaymentStatus;
  readonly deliveryStatus?: DeliveryStatus;
  readonly invoiceNumber?: string | null;
  /** Gives back what was paid for the order, which this row cancels or an earlier call cancelled. */
  readonly refund?: boolean;
}

/** What of an order decides about its changes. */
export interface ChangeableOrder extends OrderName {
  readonly number: string;
  readonly status: OrderStatus;
  readonly paymentStatus: OrderPaymentStatus;
  readonly deliveryStatus: DeliveryStatus;
  readonly invoiceNumber: string | null;
  /** Whether it was ever shipped or delivered, whatever its delivery status is now. */
  readonly hasLeft: boolean;
  /** Whether the service can give back what was paid; false for paid orders of other systems. */
  readonly isRefundable: boolean;
  /** Pieces that it still keeps reserved; none once it has shipped or was cancelled. */
  readonly reserved: readonly ReservedPieces[];
}

export interface ReservedPieces {
  readonly proformaItemId: number;
  readonly variantId: number;
  readonly warehouseId: number;
  readonly qty: number;
}

/** Reserved pieces of an order that leave the warehouse, or go back on sale. */
export interface Departure extends ReservedPieces {
  readonly kind: 'ship' | 'release';
  /** The number of the order. */
  readonly reference: string;
}

/** Effects of a call: what the orders become, and what follows for stock and money. */
export interface OrderEffects {
  readonly orders: readonly ChangeableOrder[];
  /** Ids of orders that the call cancelled. */
  readonly canceled: readonly number[];
  /** Ids of orders whose money goes back. */
  readonly refunded: readonly number[];
  readonly departures: readonly Departure[];
  readonly failed: readonly { readonly row: number; readonly key: string }[];
}

/** Pieces of a variant in a warehouse. */
export type OnHand = (variantId: number, warehouseId: number) => number;

/** A change that could not be read comes as the key of its error. */
export type ReadChange = OrderChange | string;

/** Applies changes in their order, each to what the earlier ones left; one that fails changes nothing. */
export function changeOrders(
  changes: readonly ReadChange[],
  found: readonly ChangeableOrder[],
  onHand: OnHand,
): OrderEffects {
  const orders = new Map(found.map((order) => [order.id, order]));
  const shipped = new ShippedPieces(onHand);
  const changed = new Set<number>();
  const refunded = new Set<number>();
  const departures: Departure[] = [];
  const failed: { row: number; key: string }[] = [];
  for (const [row, change] of changes.entries()) {
    const decision = decide(change, orders, shipped);
    if (typeof decision === 'string') {
      failed.push({ row, key: decision });
      continue;
    }
    const { next, leaving, refund } = decision;
    departures.push(...leaving);
    orders.set(next.id, next);
    changed.add(next.id);
    if (refund) refunded.add(next.id);
  }
  const after = [...changed].map((id) => orders.get(id) as ChangeableOrder);
  const before = new Map(found.map(({ id, status }) => [id, status]));
  const canceled = after.filter(({ id, status }) => status === 'canceled' && before.get(id) !== 'canceled');
  return { orders: after, canceled: canceled.map(({ id }) => id), refunded: [...refunded], departures, failed };
}

interface Decision {
  readonly next: ChangeableOrder;
  readonly leaving: readonly Departure[];
  readonly refund: boolean;
}

function decide(
  change: ReadChange,
  orders: ReadonlyMap<number, ChangeableOrder>,
  shipped: ShippedPieces,
): Decision | string {
  if (typeof change === 'string') return change;
  const order = orders.get(change.id);
  if (order === undefined || !isSameOrder(order, change)) return ORDER_NOT_FOUND;
  const { refund = false, ...fields } = change;
  const changed = { ...order, ...fields };
  const next = { ...changed, hasLeft: order.hasLeft || hasLeft(changed.deliveryStatus) };
  for (const guard of GUARDS) {
    const refusal = guard(order, next, refund);
    if (refusal !== undefined) return refusal;
  }
  const leaving = departuresOf(order, next);
  if (!shipped.take(leaving)) return NEGATIVE_STOCK;
  return { next: leaving.length > 0 ? { ...next, reserved: [] } : next, leaving, refund };
}

/** A rule: the key of what it refuses, or `undefined`. */
type Guard = (before: ChangeableOrder, next: ChangeableOrder, refund: boolean) => string | undefined;

const followsTransitions: Guard = (before, next) =>
  ORDER_TRANSITIONS[before.status].includes(next.status) ? undefined : INVALID_STATUS;

const cancelsBeforeShipping: Guard = (before, next) =>
  next.status === 'canceled' && before.status !== 'canceled' && before.hasLeft ? ALREADY_SHIPPED : undefined;

/** Nothing of a cancelled order can be sent. */
const keepsDeliveryOfCanceled: Guard = (before, next) =>
  next.status === 'canceled' && next.deliveryStatus !== before.deliveryStatus ? INVALID_STATUS : undefined;

const refundsCanceledOnly: Guard = (_, next, refund) =>
  refund && next.status !== 'canceled' ? INVALID_REFUND : undefined;

const refundsOwnMoneyOnly: Guard = (before, _, refund) => (refund && !before.isRefundable ? NOT_REFUNDABLE : undefined);

const GUARDS: readonly Guard[] = [
  followsTransitions,
  cancelsBeforeShipping,
  keepsDeliveryOfCanceled,
  refundsCanceledOnly,
  refundsOwnMoneyOnly,
];

export function isSameOrder(order: OrderName, { id, dataPart, timePart }: OrderName): boolean {
  return order.id === id && order.dataPart === dataPart && order.timePart === timePart;
}

function departuresOf(before: ChangeableOrder, next: ChangeableOrder): Departure[] {
  const ships = hasLeft(next.deliveryStatus);
  if (!ships && next.status !== 'canceled') return [];
  return before.reserved.map((pieces) => ({ ...pieces, kind: ships ? 'ship' : 'release', reference: next.number }));
}

/** Counts what the earlier changes of a call have shipped. */
class ShippedPieces {
  private readonly shipped = new Map<string, number>();

  constructor(private readonly onHand: OnHand) {}

  /** False, and nothing is taken, unless all pieces are there. */
  take(leaving: readonly Departure[]): boolean {
    const wanted = new Map<string, { readonly left: number; readonly qty: number }>();
    for (const { variantId, warehouseId, qty } of leaving.filter(({ kind }) => kind === 'ship')) {
      const stock = `${variantId}/${warehouseId}`;
      const left = this.onHand(variantId, warehouseId) - (this.shipped.get(stock) ?? 0);
      wanted.set(stock, { left, qty: (wanted.get(stock)?.qty ?? 0) + qty });
    }
    if ([...wanted.values()].some(({ left, qty }) => qty > left)) return false;
    for (const [stock, { qty }] of wanted) this.shipped.set(stock, (this.shipped.get(stock) ?? 0) + qty);
    return true;
  }
}
