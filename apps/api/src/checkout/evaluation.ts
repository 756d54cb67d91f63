import { LARGEST_AMOUNT, refuse, totalsOf, type Refusal, type Totals } from '@back-office/kernel';
import { MATCHING, matcherOf } from '@back-office/matching';
import {
  applicablePromotions,
  frozenPromotions,
  priceLines,
  promisedVouchers,
  unknownCoupon,
  VOUCHER_NOT_AVAILABLE,
  type EvaluatedLine,
  type FeeLine,
  type OfferedVoucher,
  type Promotion,
  type PromotionRule,
} from '@back-office/proforma';

export interface BasketItem {
  readonly code?: string | null;
  readonly barcode?: string | null;
  readonly external_ref?: string | null;
  readonly product_variant_id?: number | null;
  readonly qty: number;
}

/** A variant as the catalogue sells it now; its own price and VAT go before the product's. */
export interface CatalogueVariant {
  readonly id: number;
  readonly product_id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly external_ref: string | null;
  readonly name: string;
  readonly price: number | null;
  readonly vat_rate: number | null;
  readonly active: boolean;
}

export interface ShipmentMethod {
  readonly name: string;
  readonly price: number;
  readonly vat_rate: number;
  readonly free_from: number | null;
}

/** What the app and the buyer bring to a basket, beside its items. */
export interface Offers {
  readonly rules: readonly PromotionRule[];
  readonly coupons: readonly string[];
  readonly shipment: ShipmentMethod | null;
  /** In the order in which they were given; one that does not exist has nothing available. */
  readonly vouchers: readonly OfferedVoucher[];
  readonly now: Date;
}

export interface EvaluatedVoucher {
  readonly id: number;
  readonly code: string;
  /** What it pays. */
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
export function priceBasket(
  items: readonly BasketItem[],
  variants: readonly CatalogueVariant[],
  offers: Offers,
): PricedBasket | Refusal {
  const matcher = matcherOf(MATCHING['POST /order_processings'].variant, variants);
  const found = items.map((item) => matcher.find({ ...item, id: item.product_variant_id }));
  if (!found.every((variant): variant is CatalogueVariant => variant?.active === true)) {
    return refuse('API.Products.NotFound');
  }
  if (found.some((variant) => variant.price === null)) return refuse('API.Products.MissingPrice');
  if (unknownCoupon(offers.rules, offers) !== undefined) return refuse('API.Promotions.CouponNotFound');
  if (offers.vouchers.some(({ available }) => available === 0)) return VOUCHER_NOT_AVAILABLE;
  const wanted = found.map((variant, index) => basketLine(variant, (items[index] as BasketItem).qty));
  const promotions = applicablePromotions(offers.rules, wanted, offers);
  const lines = priceLines(wanted, promotions);
  const fees = shipmentFees(offers.shipment, totalsOf(lines).endSales);
  const totals = totalsOf([...lines, ...fees]);
  if (totals.sales > LARGEST_AMOUNT) return refuse('is invalid', 'items');
  return {
    lines,
    fees,
    promotions: frozenPromotions(promotions, wanted),
    vouchers: promisedVouchers(offers.vouchers, totals.endSales).map(({ id, code, amount }) => ({ id, code, amount })),
    totals,
  };
}

/** A fee that is waived stays as a line of 0, so that everybody sees how the goods are sent. */
function shipmentFees(method: ShipmentMethod | null, itemSum: number): FeeLine[] {
  if (method === null) return [];
  const isFree = method.free_from !== null && itemSum >= method.free_from;
  const price = isFree ? 0 : method.price;
  const { name, vat_rate: vatRate } = method;
  return [{ kind: 'shipment', name, qty: 1, price, vatRate, sales: price, discount: 0 }];
}

function basketLine(variant: CatalogueVariant, qty: number) {
  return {
    productId: variant.product_id,
    variantId: variant.id,
    code: variant.code,
    barcode: variant.barcode,
    name: variant.name,
    qty,
    price: variant.price ?? 0,
    vatRate: variant.vat_rate,
  };
}
