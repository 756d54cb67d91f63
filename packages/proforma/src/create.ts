import { addHours, type Refusal, type Totals } from '@back-office/kernel';
import { isText } from './edit.js';
import { isPaidInFull } from './payments.js';
import type { Address, Buyer, FeeLine, Payment, Proforma, ProformaLine } from './proforma.js';
import type { Promotion } from './promotions.js';
import * as refusals from './refusals.js';
import { chooseWarehouses, inOrderOfUse, type Source, type StockRow } from './stock.js';

/** What a checkout evaluation has frozen. Amounts are minor units. */
export interface Evaluation {
  readonly id: number;
  readonly used: boolean;
  readonly expiresAt: Date;
  readonly buyer: Buyer;
  readonly delivery: Address | null;
  /** Those that were offered, in their order, as they can be used now. */
  readonly vouchers: readonly PromisedVoucher[];
  readonly pickupPoint: 'not needed' | 'missing' | 'unavailable' | 'available';
  readonly lines: readonly EvaluatedLine[];
  readonly fees: readonly FeeLine[];
  readonly promotions: readonly Promotion[];
  readonly totals: Totals;
  readonly currency: string;
  readonly shipmentMethodCode: string | null;
  readonly pickupPointCode: string | null;
  readonly marketId: number;
  readonly salesChannelId: number;
  readonly salesChannel: string;
  readonly comment: string | null;
  readonly tags: readonly string[];
}

export interface OfferedVoucher {
  readonly id: number;
  readonly code: string;
  /** Minor units that are left on it; 0 when it is held, spent, over, or somebody else's. */
  readonly available: number;
}

/** A voucher of an evaluation, with what it is to pay. */
export interface PromisedVoucher extends OfferedVoucher {
  readonly amount: number;
}

export type EvaluatedLine = Omit<ProformaLine, 'id' | 'qtyConfirmed' | 'warehouseId' | 'warehouseCode'>;

/** Everything that decides whether and how an evaluation becomes a proforma. */
export interface CreateFacts {
  /** `undefined`: no such evaluation in the installation. */
  readonly evaluation: Evaluation | 'of another app' | undefined;
  /** The stock that may be used; already locked. */
  readonly stock: readonly StockRow[];
  /** Code of the warehouse that is asked first; the others follow by code. */
  readonly preferredWarehouse: string | null;
  readonly number: string;
  readonly lifetimeHours: number;
  readonly now: Date;
}

/** Makes the proforma of an evaluation, its stock chosen line by line, or says what stands against it. */
export function createProforma(facts: CreateFacts): Proforma | Refusal {
  const { evaluation, stock, preferredWarehouse, now } = facts;
  if (evaluation === 'of another app') return refusals.WRONG_APP;
  if (evaluation === undefined) return refusals.STALE_EVALUATION;
  const obstacle = obstacleToCreate(evaluation, now);
  if (obstacle) return obstacle;
  const demands = evaluation.lines.map(({ variantId, qty, name }) => ({ variantId, qty, name }));
  const sources = chooseWarehouses(demands, inOrderOfUse(stock, preferredWarehouse));
  if ('missing' in sources) return refusals.insufficientStock(sources.missing.name);
  return draftOf(evaluation, sources, facts);
}

function draftOf(
  evaluation: Evaluation,
  sources: readonly Source[],
  { number, lifetimeHours, now }: CreateFacts,
): Proforma {
  const { id, used: _used, expiresAt: _expires, pickupPoint: _point, vouchers, ...offer } = evaluation;
  const { lines, fees, totals, ...frozen } = offer;
  const payments = voucherPayments(vouchers, now);
  const isCovered = totals.endSales > 0 && isPaidInFull({ endSales: totals.endSales, payments });
  return {
    ...frozen,
    ...totals,
    id: 0,
    number,
    evaluationId: id,
    processingDate: now,
    expiresAt: addHours(now, lifetimeHours),
    originalFees: fees,
    originalEndSales: totals.endSales,
    status: isCovered ? 'paid' : 'draft',
    lines: lines.map((line, index) => ({ ...line, id: 0, qtyConfirmed: null, ...(sources[index] as Source) })),
    fees,
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

/** What each voucher is to pay, as far as the ones before it leave something to pay. The rest stays on the voucher. */
export function promisedVouchers(vouchers: readonly OfferedVoucher[], total: number): PromisedVoucher[] {
  let debt = total;
  return vouchers.map((voucher) => {
    const amount = Math.min(voucher.available, debt);
    debt -= amount;
    return { ...voucher, amount };
  });
}

function voucherPayments(vouchers: readonly PromisedVoucher[], now: Date): Payment[] {
  const paying = vouchers.filter(({ amount }) => amount > 0);
  return paying.map(({ id: voucherId, amount }) => ({ ...VOUCHER_PAYMENT, amount, voucherId, date: now }));
}

const VOUCHER_PAYMENT = {
  id: 0,
  method: 'voucher',
  methodId: null,
  kind: 'voucher',
  status: 'settled',
  refundOf: null,
  reference: null,
} as const;

type Check = (evaluation: Evaluation, now: Date) => Refusal | undefined;

const evaluationIsFresh: Check = ({ used, expiresAt }, now) =>
  used || expiresAt <= now ? refusals.STALE_EVALUATION : undefined;

const everyProductHasVat: Check = ({ lines }) =>
  lines.some((line) => line.vatRate === null) ? refusals.MISSING_VAT : undefined;

const guestCanBeReached: Check = ({ buyer, delivery }) =>
  buyer.id === null && !isComplete(buyer, delivery) ? refusals.GUEST_DATA_INCOMPLETE : undefined;

const pickupPointIsNamed: Check = ({ pickupPoint }) =>
  pickupPoint === 'missing' ? refusals.PICKUP_POINT_REQUIRED : undefined;

const pickupPointIsUsable: Check = ({ pickupPoint }) =>
  pickupPoint === 'unavailable' ? refusals.PICKUP_POINT_UNAVAILABLE : undefined;

const vouchersAreFree: Check = ({ vouchers }) =>
  vouchers.some(({ available, amount }) => available === 0 || available < amount)
    ? refusals.VOUCHER_NOT_AVAILABLE
    : undefined;

/** The checks of POST /proforma_orders before stock is asked, in the order of the interface's table. */
const CHECKS: readonly Check[] = [
  evaluationIsFresh,
  everyProductHasVat,
  guestCanBeReached,
  pickupPointIsNamed,
  pickupPointIsUsable,
  vouchersAreFree,
];

/** What stands against making a proforma of the evaluation, or `undefined`. */
export function obstacleToCreate(evaluation: Evaluation, now: Date): Refusal | undefined {
  for (const check of CHECKS) {
    const refusal = check(evaluation, now);
    if (refusal) return refusal;
  }
  return undefined;
}

function isComplete(buyer: Buyer, delivery: Address | null): boolean {
  const needed = [buyer.email, buyer.firstName, buyer.lastName, buyer.phone];
  const address = [delivery?.address_line_1, delivery?.city, delivery?.postcode];
  return [...needed, ...address].every((part) => isText(part, Infinity) && part.trim() !== '');
}
