import { type ParsedRow, planRows, type RowOutcome } from '@back-office/kernel';
import { type BulkPlan, type Explanation, explanationOf, MATCHING, matchOf } from '@back-office/matching';
import { isShippedStatus, type DeliveryStatus, type OrderPaymentStatus, type OrderStatus } from './order-status.js';
import type { Shipment } from './order.js';
import { ORDER_TRANSITIONS } from './transitions.js';

export const ORDER_NOT_FOUND = 'API.Orders.NotFound';
export const INVALID_STATUS = 'API.Orders.InvalidStatus';
export const ALREADY_SHIPPED = 'API.Order.AlreadyShipped';
export const NEGATIVE_STOCK = 'API.Stocks.NegativeStock';
export const INVALID_REFUND = 'API.Orders.RefundIsInvalid';
/** Refusal of a refund of an imported order: another system has the money and must refund it. */
export const NOT_REFUNDABLE = 'API.Orders.NotRefundable';

/** All three values must match. */
export interface OrderIdentifier {
  readonly id: number;
  readonly dataPart: number;
  readonly timePart: number;
}

export interface OrderChange extends OrderIdentifier {
  readonly status?: OrderStatus;
  readonly paymentStatus?: OrderPaymentStatus;
  readonly deliveryStatus?: DeliveryStatus;
  readonly invoiceNumber?: string | null;
  readonly tracking?: readonly Shipment[];
  readonly refund?: boolean;
}

export interface ChangeableOrder extends OrderIdentifier {
  readonly number: string;
  readonly status: OrderStatus;
  readonly paymentStatus: OrderPaymentStatus;
  readonly deliveryStatus: DeliveryStatus;
  readonly invoiceNumber: string | null;
  readonly tracking: readonly Shipment[];
  /** Stays true once the order was shipped or delivered. */
  readonly hasShipped: boolean;
  readonly isUnpaid: boolean;
  /** False for a paid order of another system. */
  readonly isRefundable: boolean;
  readonly reservedPieces: readonly ReservedPieces[];
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

export interface OrderPlan extends BulkPlan<ChangeableOrder> {
  readonly orders: readonly ChangeableOrder[];
  readonly canceledIds: readonly number[];
  /**
   * Ids of orders to refund, and of canceled orders without a payment. Such orders only give back their loyalty points.
   */
  readonly refundedIds: readonly number[];
  readonly endedReservations: readonly EndedReservation[];
}

export type OnHand = (variantId: number, warehouseId: number) => number;

export type ParsedChange = ParsedRow<OrderChange>;

export interface FoundOrders {
  readonly orders: readonly ChangeableOrder[];
  readonly onHand: OnHand;
}

/** Plans the rows in order; each row sees the changes of earlier rows. A failed row has no effect. */
export function planOrderChanges(rows: readonly ParsedChange[], foundOrders: FoundOrders): OrderPlan {
  const foundById = new Map(foundOrders.orders.map((order) => [order.id, order]));
  const orders = new Map(foundById);
  const shippedPieces = new ShippedPieces(foundOrders.onHand);
  const changedIds = new Set<number>();
  const refundedIds = new Set<number>();
  const endedReservations: EndedReservation[] = [];
  const outcomes = planRows(rows, (change: OrderChange) => {
    const decision = decide(change, orders, shippedPieces);
    if (typeof decision === 'string') return decision;
    const { next, endedReservations: newlyEnded, refund } = decision;
    endedReservations.push(...newlyEnded);
    orders.set(next.id, next);
    changedIds.add(next.id);
    if (refund || isCanceledUnpaid(next, foundById.get(next.id))) refundedIds.add(next.id);
    return next;
  });
  const changedOrders = [...changedIds]
    .map((id) => orders.get(id) as ChangeableOrder)
    .filter((order) => isDifferent(order, foundById.get(order.id)));
  const canceledOrders = changedOrders.filter(
    ({ id, status }) => status === 'canceled' && foundById.get(id)?.status !== 'canceled',
  );
  return {
    outcomes,
    explain: () => rows.map((row) => (typeof row === 'string' ? [] : [explainChange(row, foundById.get(row.id))])),
    orders: changedOrders,
    canceledIds: canceledOrders.map(({ id }) => id),
    refundedIds: [...refundedIds],
    endedReservations,
  };
}

function isDifferent(next: ChangeableOrder, before: ChangeableOrder | undefined): boolean {
  return Object.entries(next).some(([field, value]) => value !== before?.[field as keyof ChangeableOrder]);
}

function isCanceledUnpaid(next: ChangeableOrder, before: ChangeableOrder | undefined): boolean {
  return next.isUnpaid && next.status === 'canceled' && before?.status !== 'canceled';
}

function explainChange(change: OrderChange, order: OrderIdentifier | undefined): Explanation {
  const namedOrder = order && isSameOrder(order, change) ? order : undefined;
  const match = matchOf(MATCHING['PUT /orders/bulk_update'].order, change, () => namedOrder);
  return explanationOf('order', match);
}

interface Decision {
  readonly next: ChangeableOrder;
  readonly endedReservations: readonly EndedReservation[];
  readonly refund: boolean;
}

function decide(
  change: OrderChange,
  orders: ReadonlyMap<number, ChangeableOrder>,
  shippedPieces: ShippedPieces,
): RowOutcome<Decision> {
  const order = orders.get(change.id);
  if (order === undefined || !isSameOrder(order, change)) return ORDER_NOT_FOUND;
  const { refund = false, ...fields } = change;
  const changedOrder = { ...order, ...fields, tracking: changedTracking(order, change) };
  const next = { ...changedOrder, hasShipped: order.hasShipped || isShippedStatus(changedOrder.deliveryStatus) };
  for (const guard of GUARDS) {
    const refusal = guard(order, next, refund);
    if (refusal !== undefined) return refusal;
  }
  const newlyEnded = reservationsEndedBy(order, next);
  if (!shippedPieces.take(newlyEnded)) return NEGATIVE_STOCK;
  return {
    next: newlyEnded.length > 0 ? { ...next, reservedPieces: [] } : next,
    endedReservations: newlyEnded,
    refund,
  };
}

/** Returns the stored list when the sent list is equal, because callers compare lists by identity. */
function changedTracking(
  { tracking: before }: ChangeableOrder,
  { tracking = before }: OrderChange,
): readonly Shipment[] {
  const isEqual =
    tracking.length === before.length && tracking.every((shipment, index) => isSame(shipment, before[index]));
  return isEqual ? before : tracking;
}

function isSame({ carrier, number, url, parcels }: Shipment, other: Shipment | undefined): boolean {
  return carrier === other?.carrier && number === other.number && url === other.url && parcels === other.parcels;
}

type Guard = (before: ChangeableOrder, next: ChangeableOrder, refund: boolean) => string | undefined;

const checkTransitions: Guard = (before, next) =>
  ORDER_TRANSITIONS[before.status].includes(next.status) ? undefined : INVALID_STATUS;

const checkNotShipped: Guard = (before, next) =>
  next.status === 'canceled' && before.status !== 'canceled' && before.hasShipped ? ALREADY_SHIPPED : undefined;

const checkDeliveryOfCanceled: Guard = (before, next) =>
  next.status === 'canceled' && next.deliveryStatus !== before.deliveryStatus ? INVALID_STATUS : undefined;

const checkRefundOfCanceled: Guard = (_, next, refund) =>
  refund && next.status !== 'canceled' ? INVALID_REFUND : undefined;

const checkOwnMoney: Guard = (before, _, refund) => (refund && !before.isRefundable ? NOT_REFUNDABLE : undefined);

const GUARDS: readonly Guard[] = [
  checkTransitions,
  checkNotShipped,
  checkDeliveryOfCanceled,
  checkRefundOfCanceled,
  checkOwnMoney,
];

function isSameOrder(order: OrderIdentifier, { id, dataPart, timePart }: OrderIdentifier): boolean {
  return order.id === id && order.dataPart === dataPart && order.timePart === timePart;
}

function reservationsEndedBy(before: ChangeableOrder, next: ChangeableOrder): EndedReservation[] {
  const isShipped = isShippedStatus(next.deliveryStatus);
  if (!isShipped && next.status !== 'canceled') return [];
  return before.reservedPieces.map((pieces) => ({
    ...pieces,
    kind: isShipped ? 'ship' : 'release',
    reference: next.number,
  }));
}

/** Counts the pieces that earlier changes of the call ship. The database still includes them in the pieces on hand. */
class ShippedPieces {
  private readonly shippedByShelf = new Map<string, number>();

  constructor(private readonly onHand: OnHand) {}

  take(endedReservations: readonly EndedReservation[]): boolean {
    const requiredByShelf = new Map<string, { readonly remainingPieces: number; readonly qty: number }>();
    for (const { variantId, warehouseId, qty } of endedReservations.filter(({ kind }) => kind === 'ship')) {
      const shelf = `${variantId}/${warehouseId}`;
      const remainingPieces = this.onHand(variantId, warehouseId) - (this.shippedByShelf.get(shelf) ?? 0);
      requiredByShelf.set(shelf, {
        remainingPieces,
        qty: (requiredByShelf.get(shelf)?.qty ?? 0) + qty,
      });
    }
    if ([...requiredByShelf.values()].some(({ remainingPieces, qty }) => qty > remainingPieces)) return false;
    for (const [shelf, { qty }] of requiredByShelf)
      this.shippedByShelf.set(shelf, (this.shippedByShelf.get(shelf) ?? 0) + qty);
    return true;
  }
}
