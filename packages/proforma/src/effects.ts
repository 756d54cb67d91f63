import type { DomainEvent, RecordedChanges } from '@back-office/kernel';
import {
  earnedPoints,
  releasedVouchers,
  addedVoucherRefunds,
  type EarnedPoints,
  type ReleasedVoucher,
  type VoucherRefund,
} from './benefits.js';
import {
  addedRefunds,
  hasPaidAmountChanged,
  ordersWithPoints,
  refundOrders,
  storedChangeOf,
  withOrder,
  withOrderState,
  withStock,
  type DecidedChange,
  type NewOrder,
  type OrderState,
  type ProformaChange,
} from './changes.js';
import { paymentEntries } from './payment-audit.js';
import { proformaEntries } from './proforma-audit.js';
import { proformaEvents, takenPointsEvents } from './proforma-events.js';
import type { StoredChange } from './proforma-orders.js';
import type { Proforma } from './proforma.js';
import { shouldRefundInCall } from './refund-queue.js';
import { reservationChanges, type BookedReservation, type StockDemand, type StockRow } from './stock.js';

/** Input and result of each effect. An adapter locks the rows of an effect, in the order of this list. */
interface EffectTypes {
  /** Inserts the order of a converted proforma, and moves the payments of the proforma to it. */
  readonly insertOrder: { readonly input: Proforma; readonly result: NewOrder };
  /** Writes paid amount, debt and payment status to the orders of converted proformas. */
  readonly updateOrders: { readonly input: readonly Proforma[]; readonly result: readonly OrderState[] };
  readonly releaseVouchers: { readonly input: readonly ReleasedVoucher[]; readonly result: void };
  readonly returnVouchers: { readonly input: readonly VoucherRefund[]; readonly result: void };
  readonly bookPoints: { readonly input: readonly EarnedPoints[]; readonly result: void };
  /** Withdraws the points of orders, once, and returns the ids of the customers who had points. */
  readonly withdrawPoints: { readonly input: readonly number[]; readonly result: readonly number[] };
  /**
   * Returns the shelves of the changed reservations, and the shelves from which larger reservations may take stock.
   * Shelves of a warehouse that is no longer sellable have no available stock.
   */
  readonly lockStock: { readonly input: readonly StockDemand[]; readonly result: readonly StockRow[] };
  readonly record: { readonly input: RecordedChanges; readonly result: void };
  /** Stores proformas, and returns them with the ids and keys of their new payments, in order. */
  readonly save: { readonly input: ChangesToSave; readonly result: readonly Proforma[] };
}

export interface ChangesToSave {
  readonly changes: readonly ProformaChange[];
  readonly reservations: readonly BookedReservation[];
  readonly events: readonly DomainEvent[];
  /** True if the caller requests the new refunds, and false if the worker will. */
  readonly isCallerRefunding: boolean;
}

type EffectName = keyof EffectTypes;
type EffectOf<Name extends EffectName> = { readonly name: Name; readonly input: EffectTypes[Name]['input'] };
export type Effect = { [Name in EffectName]: EffectOf<Name> }[EffectName];

/** Yields the effects of a transaction in the order of their locks, and takes the result of each. */
export type Effects<Result> = Generator<Effect, Result, unknown>;

/** How an adapter executes each effect. */
export type EffectHandlers = {
  readonly [Name in EffectName]: (
    input: EffectTypes[Name]['input'],
  ) => EffectTypes[Name]['result'] | Promise<EffectTypes[Name]['result']>;
};

function* perform<Name extends EffectName>(
  name: Name,
  input: EffectTypes[Name]['input'],
): Effects<EffectTypes[Name]['result']> {
  return (yield { name, input } as Effect) as EffectTypes[Name]['result'];
}

/** Executes an effect. */
export function execute(handlers: EffectHandlers, { name, input }: Effect): unknown {
  return (handlers[name] as (input: Effect['input']) => unknown)(input);
}

/** Decides all that follows from changes of proformas. A change that needs more stock than available is refused. */
export function* effectsOf(
  decidedChanges: readonly DecidedChange[],
  { now, isCallerRefunding }: { readonly now: Date; readonly isCallerRefunding: boolean },
): Effects<StoredChange[]> {
  const changesWithOrders = yield* orderEffects(decidedChanges, now);
  const vouchers = changesWithOrders.flatMap(({ before, after }) => releasedVouchers(before, after));
  if (vouchers.length > 0) yield* perform('releaseVouchers', vouchers);
  const points = changesWithOrders.flatMap(({ before, after }) => earnedPoints(before, after) ?? []);
  if (points.length > 0) yield* perform('bookPoints', points);
  const changes = yield* stockEffects(changesWithOrders);
  const actualChanges = changes.filter(({ before, after }) => before !== after);
  if (actualChanges.length > 0) yield* perform('record', { entries: proformaEntries(actualChanges) });
  const proformas = yield* saveEffects(actualChanges, isCallerRefunding);
  const savedProformas = new Map(actualChanges.map(({ before }, index) => [before, proformas[index] as Proforma]));
  return changes.map((change) =>
    storedChangeOf({ ...change, after: savedProformas.get(change.before) ?? change.after }),
  );
}

function* orderEffects(decidedChanges: readonly DecidedChange[], now: Date): Effects<DecidedChange[]> {
  const isConverted = ({ status }: Proforma): boolean => status === 'converted';
  const changes: DecidedChange[] = [];
  for (const change of decidedChanges) {
    const { before, after } = change;
    const isConversion = isConverted(after) && !isConverted(before);
    changes.push(isConversion ? { ...change, after: withOrder(after, yield* perform('insertOrder', after)) } : change);
  }
  const paidChanges = changes.filter((change) => isConverted(change.before) && hasPaidAmountChanged(change));
  if (paidChanges.length === 0) return changes;
  const orders = yield* perform(
    'updateOrders',
    paidChanges.map(({ after }) => after),
  );
  return changes.map((change) => {
    const order = orders.find(({ id }) => id === change.after.orderId);
    return paidChanges.includes(change) ? { ...change, after: withOrderState(change, order, now) } : change;
  });
}

function* stockEffects(changes: readonly DecidedChange[]): Effects<readonly DecidedChange[]> {
  const demands = changes.flatMap(({ before, after }) =>
    reservationChanges(before, after).map((reservation) => ({ evaluationId: before.evaluationId, ...reservation })),
  );
  return demands.length === 0 ? changes : withStock(changes, yield* perform('lockStock', demands));
}

function* saveEffects(changes: readonly ProformaChange[], isCallerRefunding: boolean): Effects<readonly Proforma[]> {
  if (changes.length === 0) return [];
  const reservations = changes.flatMap(({ before, after }) =>
    reservationChanges(before, after).map((change) => ({ reference: after.number, ...change })),
  );
  return yield* perform('save', { changes, reservations, events: proformaEvents(changes), isCallerRefunding });
}

/** Refunds all money of orders, and withdraws their points. Returns the refunds that the caller requests. */
export function* refundEffectsOf(
  proformas: readonly Proforma[],
  now: Date,
): Effects<readonly ReturnType<typeof addedRefunds>[]> {
  const changes = refundOrders(proformas, now);
  const vouchers = changes.flatMap(({ before, after }) => addedVoucherRefunds(before, after));
  if (vouchers.length > 0) yield* perform('returnVouchers', vouchers);
  const orderIds = ordersWithPoints(proformas);
  const customerIds = orderIds.length > 0 ? yield* perform('withdrawPoints', orderIds) : [];
  yield* perform('record', { entries: paymentEntries(changes), events: takenPointsEvents(customerIds) });
  const savedProformas = yield* saveEffects(changes, shouldRefundInCall(changes.map(addedRefunds)));
  const savedChanges = changes.map(({ before }, index) => ({ before, after: savedProformas[index] as Proforma }));
  const paidProformas = savedChanges.filter(hasPaidAmountChanged).map(({ after }) => after);
  if (paidProformas.length > 0) yield* perform('updateOrders', paidProformas);
  return savedChanges.map(addedRefunds).filter(({ refundIds }) => refundIds.length > 0);
}
