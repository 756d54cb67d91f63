import {
  type EvaluatedLine,
  type EvaluatedVoucher,
  type FeeLine,
  MAX_AMOUNT,
  type Promotion,
  type Refusal,
  refuse,
  type Totals,
  totalsOf,
} from '@back-office/kernel';
import { promisedVouchers, type OfferedVoucher } from './create.js';
import { applicablePromotions, frozenPromotions, priceLines, unknownCoupon, type PromotionRule } from './promotions.js';
import { VOUCHER_NOT_AVAILABLE } from './refusals.js';

/** Current variant; its own price and VAT override those of its product. */
export interface SoldVariant {
  readonly id: number;
  readonly productId: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly name: string;
  /** Minor units; `null` when neither the variant nor its product has a price. */
  readonly price: number | null;
  /** Basis points; `null` when neither has a rate. */
  readonly vatRate: number | null;
  readonly active: boolean;
}

export interface WantedVariant {
  readonly variant: SoldVariant | undefined;
  readonly qty: number;
}

export interface Shipment {
  readonly name: string;
  /** Minor units. */
  readonly price: number;
  /** Basis points. */
  readonly vatRate: number;
  /** Shipment is free when the lines sum to at least this, in minor units. */
  readonly freeFrom: number | null;
}

/** What affects the price of a basket beside its items. */
export interface Offers {
  readonly rules: readonly PromotionRule[];
  readonly coupons: readonly string[];
  readonly shipment: Shipment | null;
  /** In the order given; an unknown voucher has 0 available. */
  readonly vouchers: readonly OfferedVoucher[];
  readonly now: Date;
}

export interface PricedBasket {
  readonly lines: readonly EvaluatedLine[];
  readonly fees: readonly FeeLine[];
  /** All that apply, also those that take nothing off. */
  readonly promotions: readonly Promotion[];
  readonly vouchers: readonly EvaluatedVoucher[];
  readonly totals: Totals;
}

/** Prices a basket. A line without VAT counts as 0 %; creating the proforma refuses it later. */
export function priceBasket(wanted: readonly WantedVariant[], offers: Offers): PricedBasket | Refusal {
  const sold = wanted.flatMap(({ variant, qty }) => (variant?.active ? [{ variant, qty }] : []));
  if (sold.length < wanted.length) return refuse('API.Products.NotFound');
  if (sold.some(({ variant }) => variant.price === null)) return refuse('API.Products.MissingPrice');
  if (unknownCoupon(offers.rules, offers) !== undefined) return refuse('API.Promotions.CouponNotFound');
  if (offers.vouchers.some(({ available }) => available === 0)) return VOUCHER_NOT_AVAILABLE;
  const unpricedLines = sold.map(({ variant, qty }) => basketLine(variant, qty));
  const promotions = applicablePromotions(offers.rules, unpricedLines, offers);
  const lines = priceLines(unpricedLines, promotions);
  const fees = shipmentFees(offers.shipment, totalsOf(lines).endSales);
  const totals = totalsOf([...lines, ...fees]);
  if (totals.sales > MAX_AMOUNT) return refuse('is invalid', 'items');
  return {
    lines,
    fees,
    promotions: frozenPromotions(promotions, unpricedLines),
    vouchers: promisedVouchers(offers.vouchers, totals.endSales).map(({ id, code, amount }) => ({ id, code, amount })),
    totals,
  };
}

/** A waived fee stays as a line of 0, which shows how the goods are sent. */
function shipmentFees(shipment: Shipment | null, linesEndSales: number): FeeLine[] {
  if (shipment === null) return [];
  const { name, vatRate, freeFrom } = shipment;
  const price = freeFrom !== null && linesEndSales >= freeFrom ? 0 : shipment.price;
  return [{ kind: 'shipment', name, qty: 1, price, vatRate, sales: price, discount: 0 }];
}

function basketLine({ id, productId, code, barcode, name, price, vatRate }: SoldVariant, qty: number) {
  return { productId, variantId: id, code, barcode, name, qty, price: price ?? 0, vatRate };
}
