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
import { promisedVouchers, type RequestedVoucher } from './create.js';
import { applicablePromotions, priceLines, resolveCoupons, type PromotionRule } from './promotions.js';
import { VOUCHER_NOT_AVAILABLE } from './refusals.js';

export interface SoldVariant {
  readonly id: number;
  readonly productId: number;
  readonly code: string | null;
  readonly barcode: string | null;
  readonly name: string;
  /** Minor units; null when neither the variant nor its product has a price. */
  readonly price: number | null;
  /** Basis points; null when neither the variant nor its product has a rate. */
  readonly vatRate: number | null;
  readonly active: boolean;
}

export interface RequestedVariant {
  readonly variant: SoldVariant | undefined;
  readonly qty: number;
}

export interface ShipmentOffer {
  readonly name: string;
  /** Minor units. */
  readonly price: number;
  /** Basis points. */
  readonly vatRate: number;
  /** Shipment is free when the total of the lines is at least this amount, in minor units. */
  readonly freeFrom: number | null;
}

export interface Offers {
  readonly rules: readonly PromotionRule[];
  readonly coupons: readonly string[];
  readonly shipment: ShipmentOffer | null;
  /** Vouchers in the order of the request. The available amount of an unknown voucher is 0. */
  readonly vouchers: readonly RequestedVoucher[];
  readonly now: Date;
}

export interface PricedBasket {
  readonly lines: readonly EvaluatedLine[];
  readonly fees: readonly FeeLine[];
  readonly promotions: readonly Promotion[];
  readonly vouchers: readonly EvaluatedVoucher[];
  readonly totals: Totals;
}

/**
 * Refuses an unknown or inactive variant, a missing price, an unknown coupon and an unavailable voucher. Prices a line
 * without a VAT rate at 0 %. A proforma with such a line is refused later.
 */
export function priceBasket(requestedVariants: readonly RequestedVariant[], offers: Offers): PricedBasket | Refusal {
  const soldItems = requestedVariants.flatMap(({ variant, qty }) => (variant?.active ? [{ variant, qty }] : []));
  if (soldItems.length < requestedVariants.length) return refuse('API.Products.NotFound');
  if (soldItems.some(({ variant }) => variant.price === null)) return refuse('API.Products.MissingPrice');
  const coupons = resolveCoupons(offers.rules, offers);
  if (coupons === undefined) return refuse('API.Promotions.CouponNotFound');
  if (offers.vouchers.some(({ available }) => available === 0)) return VOUCHER_NOT_AVAILABLE;
  const unpricedLines = soldItems.map(({ variant, qty }) => basketLineOf(variant, qty));
  const promotions = applicablePromotions(offers.rules, unpricedLines, { coupons, now: offers.now });
  const lines = priceLines(unpricedLines, promotions);
  const fees = shipmentFees(offers.shipment, totalsOf(lines).endSales);
  const totals = totalsOf([...lines, ...fees]);
  if (totals.sales > MAX_AMOUNT) return refuse('is invalid', 'items');
  return {
    lines,
    fees,
    promotions,
    vouchers: promisedVouchers(offers.vouchers, totals.endSales).map(({ id, code, amount }) => ({ id, code, amount })),
    totals,
  };
}

/** Keeps a waived fee as a line of 0, because the line shows the shipment method. */
function shipmentFees(shipment: ShipmentOffer | null, linesEndSales: number): FeeLine[] {
  if (shipment === null) return [];
  const { name, vatRate, freeFrom } = shipment;
  const price = freeFrom !== null && linesEndSales >= freeFrom ? 0 : shipment.price;
  return [{ kind: 'shipment', name, qty: 1, price, vatRate, sales: price, discount: 0 }];
}

function basketLineOf({ id, productId, code, barcode, name, price, vatRate }: SoldVariant, qty: number) {
  return { productId, variantId: id, code, barcode, name, qty, price: price ?? 0, vatRate };
}
