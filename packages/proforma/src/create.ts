import {
  addHours,
  findByLooseCode,
  type Address,
  type Buyer,
  type EvaluatedLine,
  type FeeLine,
  type Promotion,
  type Refusal,
  type SaleTerms,
  type Totals,
  totalsOf,
} from '@back-office/kernel';
import { isText } from './edit.js';
import { isPaidInFull } from './payments.js';
import { NO_SOURCE, type Payment, type Proforma } from './proforma.js';
import * as refusals from './refusals.js';
import { chooseWarehouses, sortByPreference, type SourceWarehouse, type StockRow } from './stock.js';

/** The amounts are minor units. */
export interface Evaluation extends SaleTerms {
  readonly id: number;
  readonly used: boolean;
  readonly expiresAt: Date;
  readonly buyer: Buyer;
  /** Vouchers in the order of the evaluation, with current amounts. */
  readonly vouchers: readonly PromisedVoucher[];
  readonly pickupPoint: 'not needed' | 'missing' | 'unavailable' | 'available';
  readonly lines: readonly EvaluatedLine[];
  readonly fees: readonly FeeLine[];
  readonly promotions: readonly Promotion[];
  readonly totals: Totals;
}

/** Voucher that the customer wants to redeem. */
export interface RequestedVoucher {
  readonly id: number;
  readonly code: string;
  /** Minor units; 0 when the voucher is reserved, spent, out of date or belongs to another customer. */
  readonly available: number;
}

/** Voucher with the amount that the evaluation promises to take from it. */
export interface PromisedVoucher extends RequestedVoucher {
  /** Minor units. */
  readonly amount: number;
}

export interface CreateFacts {
  /** Is `undefined` when the evaluation exists in no app. */
  readonly evaluation: Evaluation | 'of another app' | undefined;
  /** Locked stock of the warehouses that the evaluation allows. */
  readonly stock: readonly StockRow[];
  readonly preferredWarehouse: string | null;
  readonly number: string;
  readonly lifetimeHours: number;
  /** Minimum total of the lines after discounts, without fees, in minor units; 0 means no minimum. */
  readonly minimumBasketAmount: number;
  readonly now: Date;
}

type Terms = Pick<CreateFacts, 'minimumBasketAmount' | 'now'>;

export function createProforma(facts: CreateFacts): Proforma | Refusal {
  const { evaluation, stock, preferredWarehouse } = facts;
  if (evaluation === 'of another app') return refusals.WRONG_APP;
  if (evaluation === undefined) return refusals.STALE_EVALUATION;
  const refusal = checkCreation(evaluation, facts);
  if (refusal) return refusal;
  const demands = evaluation.lines.map(({ variantId, code, qty, name }) => ({ variantId, code, qty, name }));
  const sources = chooseWarehouses(demands, sortByPreference(stock, preferredWarehouse));
  if ('missing' in sources) return refusals.insufficientStock(sources.missing.name, sources.shortage);
  return draftOf(evaluation, sources, facts);
}

function draftOf(
  evaluation: Evaluation,
  sources: readonly SourceWarehouse[],
  { number, lifetimeHours, now }: CreateFacts,
): Proforma {
  const { id, used: _used, expiresAt: _expires, pickupPoint: _point, vouchers, ...offer } = evaluation;
  const { lines, fees, totals, ...frozenFields } = offer;
  const payments = voucherPayments(vouchers, now);
  const isCovered = totals.endSales > 0 && isPaidInFull({ endSales: totals.endSales, payments });
  return {
    id: 0,
    number,
    ...frozenFields,
    ...totals,
    evaluationId: id,
    processingDate: now,
    expiresAt: addHours(now, lifetimeHours),
    originalEndSales: totals.endSales,
    status: isCovered ? 'paid' : 'draft',
    lines: lines.map((line, index) => ({ id: 0, qtyConfirmed: null, ...line, ...(sources[index] as SourceWarehouse) })),
    fees: fees.map((fee) => ({ ...fee, id: 0, qtyConfirmed: null })),
    payments,
    alerts: [],
    warehouseConfirmedAt: null,
    convertedAt: null,
    converted: null,
    orderId: null,
    canceledAt: null,
    cancelReason: null,
    insertedAt: now,
    updatedAt: now,
  };
}

/** Returns the voucher that each code names, each voucher once. Nothing is available under an unknown code. */
export function requestVouchers(
  codes: readonly string[],
  vouchers: readonly RequestedVoucher[],
): readonly RequestedVoucher[] {
  const requested = codes.map((code) => findByLooseCode(vouchers, code) ?? { id: 0, code, available: 0 });
  return requested.filter(({ id }, index) => id === 0 || requested.findIndex((other) => other.id === id) === index);
}

/** Takes the total from the vouchers in their order, from each at most its available amount. */
export function promisedVouchers(vouchers: readonly RequestedVoucher[], total: number): PromisedVoucher[] {
  let debt = total;
  return vouchers.map((voucher) => {
    const amount = Math.min(voucher.available, debt);
    debt -= amount;
    return { id: voucher.id, code: voucher.code, available: voucher.available, amount };
  });
}

function voucherPayments(vouchers: readonly PromisedVoucher[], now: Date): Payment[] {
  const payingVouchers = vouchers.filter(({ amount }) => amount > 0);
  return payingVouchers.map(({ id: voucherId, amount }) => ({ amount, ...VOUCHER_PAYMENT, voucherId, date: now }));
}

const VOUCHER_PAYMENT = {
  id: 0,
  method: 'voucher',
  methodId: null,
  kind: 'voucher',
  status: 'settled',
  refundOf: null,
  keyPart: null,
  reference: null,
  ...NO_SOURCE,
} as const;

type Check = (evaluation: Evaluation, terms: Terms) => Refusal | undefined;

const checkFresh: Check = ({ used, expiresAt }, { now }) =>
  used || expiresAt <= now ? refusals.STALE_EVALUATION : undefined;

const checkVat: Check = ({ lines }) => (lines.some((line) => line.vatRate === null) ? refusals.MISSING_VAT : undefined);

const checkGuest: Check = ({ buyer, delivery }) =>
  buyer.id === null && !isComplete(buyer, delivery) ? refusals.GUEST_DATA_INCOMPLETE : undefined;

const checkPickupPointPresent: Check = ({ pickupPoint }) =>
  pickupPoint === 'missing' ? refusals.PICKUP_POINT_REQUIRED : undefined;

const checkPickupPointUsable: Check = ({ pickupPoint }) =>
  pickupPoint === 'unavailable' ? refusals.PICKUP_POINT_UNAVAILABLE : undefined;

const checkVouchers: Check = ({ vouchers }) =>
  vouchers.some(({ available, amount }) => available === 0 || available < amount)
    ? refusals.VOUCHER_NOT_AVAILABLE
    : undefined;

const checkMinimumAmount: Check = ({ lines }, { minimumBasketAmount }) =>
  totalsOf(lines).endSales < minimumBasketAmount ? refusals.BASKET_BELOW_MINIMUM : undefined;

const CHECKS: readonly Check[] = [
  checkFresh,
  checkVat,
  checkGuest,
  checkPickupPointPresent,
  checkPickupPointUsable,
  checkVouchers,
  checkMinimumAmount,
];

export function checkCreation(evaluation: Evaluation, terms: Terms): Refusal | undefined {
  for (const check of CHECKS) {
    const refusal = check(evaluation, terms);
    if (refusal) return refusal;
  }
  return undefined;
}

function isComplete(buyer: Buyer, delivery: Address | null): boolean {
  const contactFields = [buyer.email, buyer.firstName, buyer.lastName, buyer.phone];
  const addressFields = [delivery?.address_line_1, delivery?.city, delivery?.postcode];
  return [...contactFields, ...addressFields].every((part) => isText(part, Infinity) && part.trim() !== '');
}
