import { LARGEST_AMOUNT, refuse, totalsOf, type Refusal, type Totals } from '@back-office/kernel';
import { promisedVouchers, type EvaluatedLine, type OfferedVoucher } from './create.js';
import type { FeeLine } from './proforma.js';
import {
  applicablePromotions,
  frozenPromotions,
  priceLines,
  unknownCoupon,
  type Promotion,
  type PromotionRule,
} from './promotions.js';
import { VOUCHER_NOT_AVAILABLE } from './refusals.js';

/** A variant as the catalogue sells it now; its own price and VAT go before the product's. */
export interface SoldVariant {
  readonly id: number;
  readonly productId: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly name: string;
  /** Minor units; `null` when neither it nor its product has a price. */
  readonly price: number | null;
  /** Basis points; `null` when neither has one. */
  readonly vatRate: number | null;
  readonly active: boolean;
}

/** What an item of a basket names; `undefined` when nothing was found. */
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
  /** Sum of the lines from which it is free, in minor units. */
  readonly freeFrom: number | null;
}

/** What the app and the buyer bring to a basket, beside its items. */
export interface Offers {
  readonly rules: readonly PromotionRule[];
  readonly coupons: readonly string[];
  readonly shipment: Shipment | null;
  /** In the order in which they were given; one that does not exist has nothing available. */
  readonly vouchers: readonly OfferedVoucher[];
  readonly now: Date;
}

export interface EvaluatedVoucher {
  readonly id: number;
  readonly code: string;
  /** Minor units that it pays. */
  readonly amount: number;
}

export interface PricedBasket {
  readonly lines: readonly EvaluatedLine[];
  readonly fees: readonly FeeLine[];
  /** Those that apply, whether or not they take anything off yet. */
  readonly promotions: readonly Promotion[];
  readonly vouchers: readonly EvaluatedVoucher[];
  readonly totals: Totals;
}

/** Prices a basket with the catalogue as it is. A line without VAT is priced, counted at 0, and refused later. */
export function priceBasket(wanted: readonly WantedVariant[], offers: Offers): PricedBasket | Refusal {
  const sold = wanted.flatMap(({ variant, qty }) => (variant?.active ? [{ variant, qty }] : []));
  if (sold.length < wanted.length) return refuse('API.Products.NotFound');
  if (sold.some(({ variant }) => variant.price === null)) return refuse('API.Products.MissingPrice');
  if (unknownCoupon(offers.rules, offers) !== undefined) return refuse('API.Promotions.CouponNotFound');
  if (offers.vouchers.some(({ available }) => available === 0)) return VOUCHER_NOT_AVAILABLE;
  const unpriced = sold.map(({ variant, qty }) => basketLine(variant, qty));
  const promotions = applicablePromotions(offers.rules, unpriced, offers);
  const lines = priceLines(unpriced, promotions);
  const fees = shipmentFees(offers.shipment, totalsOf(lines).endSales);
  const totals = totalsOf([...lines, ...fees]);
  if (totals.sales > LARGEST_AMOUNT) return refuse('is invalid', 'items');
  return {
    lines,
    fees,
    promotions: frozenPromotions(promotions, unpriced),
    vouchers: promisedVouchers(offers.vouchers, totals.endSales).map(({ id, code, amount }) => ({ id, code, amount })),
    totals,
  };
}

/** A waived fee stays as a line of 0, so that everybody sees how the goods are sent. */
function shipmentFees(shipment: Shipment | null, linesEndSales: number): FeeLine[] {
  if (shipment === null) return [];
  const { name, vatRate, freeFrom } = shipment;
  const price = freeFrom !== null && linesEndSales >= freeFrom ? 0 : shipment.price;
  return [{ kind: 'shipment', name, qty: 1, price, vatRate, sales: price, discount: 0 }];
}

function basketLine({ id, productId, code, barcode, name, price, vatRate }: SoldVariant, qty: number) {
  return { productId, variantId: id, code, barcode, name, qty, price: price ?? 0, vatRate };
}
