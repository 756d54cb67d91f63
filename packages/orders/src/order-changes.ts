import { type ParsedRow, planRows, type RowOutcome } from '@back-office/kernel';
import { type BulkPlan, type Explanation, explanationOf, MATCHING, matchOf } from '@back-office/matching';
import { hasShipped, type DeliveryStatus, type OrderPaymentStatus, type OrderStatus } from './order-status.js';
import { ORDER_TRANSITIONS } from './transitions.js';

export const ORDER_NOT_FOUND = 'API.Orders.NotFound';
export const INVALID_STATUS = 'API.Orders.InvalidStatus';
export const ALREADY_SHIPPED = 'API.Order.AlreadyShipped';
export const NEGATIVE_STOCK = 'API.Stocks.NegativeStock';
/** `refund` without a cancellation. */
export const INVALID_REFUND = 'API.Orders.RefundIsInvalid';
/** Another system holds the money of an imported order and has to refund it. */
export const NOT_REFUNDABLE = 'API.Orders.NotRefundable';

/** Names an order; all three values must match. */
export interface OrderName {
  readonly id: number;
  readonly dataPart: number;
  readonly timePart: number;
}

/** Changes of one row; absent fields stay. */
export interface OrderChange extends OrderName {
  readonly status?: OrderStatus;
  readonly paymentStatus?: OrderPaymentStatus;
  readonly deliveryStatus?: DeliveryStatus;
  readonly invoiceNumber?: string | null;
  /** Refunds the order, which this row cancels or an earlier call canceled. */
  readonly refund?: boolean;
}

/** The state of an order that its changes depend on. */
export interface ChangeableOrder extends OrderName {
  readonly number: string;
  readonly status: OrderStatus;
  readonly paymentStatus: OrderPaymentStatus;
  readonly deliveryStatus: DeliveryStatus;
  readonly invoiceNumber: string | null;
  /** True once the order was shipped or delivered, whatever its delivery status is now. */
  readonly hasShipped: boolean;
  /** False for paid orders of other systems. */
  readonly isRefundable: boolean;
  /** Reserved pieces; none once shipped or canceled. */
  readonly reserved: readonly ReservedPieces[];
}

export interface ReservedPieces {
  readonly proformaItemId: number;
  readonly variantId: number;
  readonly warehouseId: number;
  readonly qty: number;
}

export interface EndedReservation extends ReservedPieces {
  readonly kind: 'ship' | 'release';
  readonly reference: string;
}

/** Effects of a call on orders, stock and money. Outcomes are the orders after each row. */
export interface OrderPlan extends BulkPlan<ChangeableOrder> {
  /** The changed orders as they are after all rows. */
  readonly orders: readonly ChangeableOrder[];
  readonly canceled: readonly number[];
  readonly refunded: readonly number[];
  readonly endedReservations: readonly EndedReservation[];
}

/** Returns the pieces on hand of a variant in a warehouse. */
export type OnHand = (variantId: number, warehouseId: number) => number;

export type ParsedChange = ParsedRow<OrderChange>;

export interface FoundOrders {
  readonly orders: readonly ChangeableOrder[];
  readonly onHand: OnHand;
}

/** Plans the rows in order, each on top of the earlier ones. A failed row has no effect. */
export function planOrderChanges(rows: readonly ParsedChange[], found: FoundOrders): OrderPlan {
  const foundById = new Map(found.orders.map((order) => [order.id, order]));
  const orders = new Map(foundById);
  const shipped = new ShippedPieces(found.onHand);
  const changed = new Set<number>();
  const refunded = new Set<number>();
  const endedReservations: EndedReservation[] = [];
  const outcomes = planRows(rows, (change: OrderChange) => {
    const decision = decide(change, orders, shipped);
    if (typeof decision === 'string') return decision;
    const { next, ended, refund } = decision;
    endedReservations.push(...ended);
    orders.set(next.id, next);
    changed.add(next.id);
    if (refund) refunded.add(next.id);
    return next;
  });
  const after = [...changed].map((id) => orders.get(id) as ChangeableOrder);
  const canceled = after.filter(({ id, status }) => status === 'canceled' && foundById.get(id)?.status !== 'canceled');
  return {
    outcomes,
    explain: () => rows.map((row) => (typeof row === 'string' ? [] : [explained(row, foundById.get(row.id))])),
    orders: after,
    canceled: canceled.map(({ id }) => id),
    refunded: [...refunded],
    endedReservations,
  };
}

function explained(change: OrderChange, order: OrderName | undefined): Explanation {
  const named = order && isSameOrder(order, change) ? order : undefined;
  const match = matchOf(MATCHING['PUT /orders/bulk_update'].order, change, () => named);
  return explanationOf('order', match);
}

interface Decision {
  readonly next: ChangeableOrder;
  readonly ended: readonly EndedReservation[];
  readonly refund: boolean;
}

function decide(
  change: OrderChange,
  orders: ReadonlyMap<number, ChangeableOrder>,
  shipped: ShippedPieces,
): RowOutcome<Decision> {
  const order = orders.get(change.id);
  if (order === undefined || !isSameOrder(order, change)) return ORDER_NOT_FOUND;
  const { refund = false, ...fields } = change;
  const changed = { ...order, ...fields };
  const next = { ...changed, hasShipped: order.hasShipped || hasShipped(changed.deliveryStatus) };
  for (const guard of GUARDS) {
    const refusal = guard(order, next, refund);
    if (refusal !== undefined) return refusal;
  }
  const ended = endedReservationsOf(order, next);
  if (!shipped.take(ended)) return NEGATIVE_STOCK;
  return { next: ended.length > 0 ? { ...next, reserved: [] } : next, ended, refund };
}

type Guard = (before: ChangeableOrder, next: ChangeableOrder, refund: boolean) => string | undefined;

const followsTransitions: Guard = (before, next) =>
  ORDER_TRANSITIONS[before.status].includes(next.status) ? undefined : INVALID_STATUS;

const cancelsBeforeShipping: Guard = (before, next) =>
  next.status === 'canceled' && before.status !== 'canceled' && before.hasShipped ? ALREADY_SHIPPED : undefined;

/** A canceled order cannot be delivered. */
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

function isSameOrder(order: OrderName, { id, dataPart, timePart }: OrderName): boolean {
  return order.id === id && order.dataPart === dataPart && order.timePart === timePart;
}

function endedReservationsOf(before: ChangeableOrder, next: ChangeableOrder): EndedReservation[] {
  const ships = hasShipped(next.deliveryStatus);
  if (!ships && next.status !== 'canceled') return [];
  return before.reserved.map((pieces) => ({ ...pieces, kind: ships ? 'ship' : 'release', reference: next.number }));
}

/** Counts the pieces that earlier changes of the call have shipped. */
class ShippedPieces {
  private readonly shipped = new Map<string, number>();

  constructor(private readonly onHand: OnHand) {}

  /** Returns false and takes nothing unless all pieces are on hand. */
  take(ended: readonly EndedReservation[]): boolean {
    const wanted = new Map<string, { readonly left: number; readonly qty: number }>();
    for (const { variantId, warehouseId, qty } of ended.filter(({ kind }) => kind === 'ship')) {
      const stock = `${variantId}/${warehouseId}`;
      const left = this.onHand(variantId, warehouseId) - (this.shipped.get(stock) ?? 0);
      wanted.set(stock, { left, qty: (wanted.get(stock)?.qty ?? 0) + qty });
    }
    if ([...wanted.values()].some(({ left, qty }) => qty > left)) return false;
    for (const [stock, { qty }] of wanted) this.shipped.set(stock, (this.shipped.get(stock) ?? 0) + qty);
    return true;
  }
}
