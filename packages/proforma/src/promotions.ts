import { allocate, divideRounded, sum } from '@back-office/kernel';

export const PROMOTION_KINDS = ['percentage', 'amount', 'buy_x_get_y'] as const;
export type PromotionKind = (typeof PROMOTION_KINDS)[number];

/** 100 % in basis points. */
const WHOLE = 10_000;

/** What a promotion takes off, without its conditions: this much is frozen in a proforma. */
export interface Promotion {
  readonly code: string;
  readonly name: string;
  readonly kind: PromotionKind;
  /** Basis points of `percentage` and `buy_x_get_y`, minor units of `amount`. */
  readonly value: number;
  /** Of every `buyQty + getQty` pieces `getQty` are reduced; 0 unless `buy_x_get_y`. */
  readonly buyQty: number;
  readonly getQty: number;
  /** Codes of the variants it is about; none means the whole basket. */
  readonly variantCodes: readonly string[];
}

/** A promotion as the app has set it up, with the conditions under which it applies. */
export interface PromotionRule extends Promotion {
  /** Pieces concerned that the basket must hold. */
  readonly minQty: number;
  /** Item sum before discounts that the basket must reach. */
  readonly minAmount: number;
  /** Without this coupon it does not apply; `null` when it needs none. */
  readonly couponCode: string | null;
  readonly validFrom: Date | null;
  /** Inclusive. */
  readonly validUntil: Date | null;
  /** Lower ones first; equal ones by code. */
  readonly priority: number;
  readonly active: boolean;
}

export interface Shopping {
  readonly coupons: readonly string[];
  readonly now: Date;
}

export interface BasketLine {
  readonly code: string;
  readonly qty: number;
  /** Unit price with VAT, in minor units. */
  readonly price: number;
  readonly vatRate: number | null;
}

/** What one promotion took off a line, for its whole quantity. */
export interface AppliedPromotion {
  readonly code: string;
  readonly name: string;
  readonly amount: number;
}

export interface LinePrice {
  readonly sales: number;
  /** The sum of what its promotions took off. */
  readonly discount: number;
  readonly promotions: readonly AppliedPromotion[];
}

/** The first coupon that no promotion in force asks for, or `undefined`. */
export function unknownCoupon(rules: readonly PromotionRule[], { coupons, now }: Shopping): string | undefined {
  const known = new Set(rules.filter((rule) => isInForce(rule, now)).map((rule) => rule.couponCode));
  return coupons.find((coupon) => !known.has(coupon));
}

/** The promotions whose conditions the basket meets, in the order in which they apply: those on lines first. */
export function applicablePromotions(
  rules: readonly PromotionRule[],
  lines: readonly BasketLine[],
  { coupons, now }: Shopping,
): Promotion[] {
  const amount = sum(lines.map((line) => line.price * line.qty));
  return rules
    .filter((rule) => isInForce(rule, now))
    .filter(({ couponCode }) => couponCode === null || coupons.includes(couponCode))
    .filter((rule) => amount >= rule.minAmount && pieces(concerned(rule, lines)) >= rule.minQty)
    .sort(byTurn)
    .map(withoutConditions);
}

/**
 * Prices lines and takes off the promotions one after another, each from what the earlier ones left, never below 0.
 * The one place where a quantity becomes an amount, for evaluation and repricing alike. The order of the lines
 * does not change what any of them comes to.
 */
export function priceLines<Line extends BasketLine>(
  lines: readonly Line[],
  promotions: readonly Promotion[],
): (Line & LinePrice)[] {
  const turns = lines.map((_, index) => index).sort((a, b) => byContent(lines[a] as Line, lines[b] as Line));
  const inTurn = turns.map((index) => lines[index] as Line);
  const left = inTurn.map((line) => line.price * line.qty);
  const taken = inTurn.map((): AppliedPromotion[] => []);
  for (const promotion of promotions) {
    for (const [turn, amount] of reductions(promotion, inTurn, left).entries()) {
      if (amount === 0) continue;
      left[turn] = (left[turn] ?? 0) - amount;
      taken[turn]?.push({ code: promotion.code, name: promotion.name, amount });
    }
  }
  const priced: (Line & LinePrice)[] = [];
  for (const [turn, index] of turns.entries()) {
    const line = inTurn[turn] as Line;
    const sales = line.price * line.qty;
    priced[index] = { ...line, sales, discount: sales - (left[turn] ?? 0), promotions: taken[turn] ?? [] };
  }
  return priced;
}

/**
 * The promotions to freeze with these lines: also those that take nothing off yet, since they may
 * apply once fewer pieces are confirmed. Codes of variants that are not in the basket are dropped.
 */
export function frozenPromotions(promotions: readonly Promotion[], lines: readonly BasketLine[]): Promotion[] {
  const codes = new Set(lines.map(({ code }) => code));
  return promotions
    .filter((promotion) => concerned(promotion, lines).length > 0)
    .map((promotion) => ({ ...promotion, variantCodes: promotion.variantCodes.filter((code) => codes.has(code)) }));
}

/** What each promotion took off all lines together, if anything, in the order in which they were applied. */
export function promotionTotals(
  lines: readonly Pick<LinePrice, 'promotions'>[],
  promotions: readonly Promotion[],
): AppliedPromotion[] {
  const amounts = new Map<string, number>();
  for (const line of lines) {
    for (const { code, amount } of line.promotions) amounts.set(code, (amounts.get(code) ?? 0) + amount);
  }
  return promotions
    .map(({ code, name }) => ({ code, name, amount: amounts.get(code) ?? 0 }))
    .filter(({ amount }) => amount > 0);
}

/** What the promotion takes off each line, given what is left of them. */
function reductions(promotion: Promotion, lines: readonly BasketLine[], left: readonly number[]): number[] {
  if (promotion.kind === 'buy_x_get_y') return cheapestOfEvery(promotion, lines, left);
  if (promotion.variantCodes.length === 0) return allocate(offBasket(promotion, sum(left)), left);
  return lines.map((line, index) => {
    const rest = left[index] ?? 0;
    if (!isAbout(promotion, line)) return 0;
    return promotion.kind === 'percentage'
      ? share(rest, promotion.value, WHOLE)
      : atMost(rest, promotion.value, line.qty);
  });
}

function offBasket({ kind, value }: Promotion, rest: number): number {
  return kind === 'percentage' ? share(rest, value, WHOLE) : Math.min(value, rest);
}

/** Of every `buyQty + getQty` pieces together the `getQty` cheapest; a piece is worth its share of what its line has left. */
function cheapestOfEvery(promotion: Promotion, lines: readonly BasketLine[], left: readonly number[]): number[] {
  const { buyQty, getQty, value } = promotion;
  const off = lines.map(() => 0);
  const places = lines.map((_, index) => index).filter((index) => isAbout(promotion, lines[index] as BasketLine));
  const groups = Math.floor(sum(places.map((index) => lines[index]?.qty ?? 0)) / (buyQty + getQty));
  let toReduce = groups * getQty;
  for (const index of places.sort((a, b) => (lines[a]?.price ?? 0) - (lines[b]?.price ?? 0))) {
    const qty = lines[index]?.qty ?? 0;
    const reduced = Math.min(toReduce, qty);
    if (reduced === 0) continue;
    off[index] = divideRounded(BigInt(left[index] ?? 0) * BigInt(reduced) * BigInt(value), BigInt(qty) * BigInt(WHOLE));
    toReduce -= reduced;
  }
  return off;
}

function share(amount: number, part: number, whole: number): number {
  return divideRounded(BigInt(amount) * BigInt(part), BigInt(whole));
}

function atMost(rest: number, each: number, qty: number): number {
  return Math.min(rest, each * qty);
}

function concerned(promotion: Promotion, lines: readonly BasketLine[]): BasketLine[] {
  return lines.filter((line) => isAbout(promotion, line));
}

function isAbout({ variantCodes }: Promotion, { code }: BasketLine): boolean {
  return variantCodes.length === 0 || variantCodes.includes(code);
}

function pieces(lines: readonly BasketLine[]): number {
  return sum(lines.map((line) => line.qty));
}

function isInForce({ active, validFrom, validUntil }: PromotionRule, now: Date): boolean {
  return active && (validFrom === null || validFrom <= now) && (validUntil === null || validUntil >= now);
}

function isOnLines({ kind, variantCodes }: Promotion): boolean {
  return kind === 'buy_x_get_y' || variantCodes.length > 0;
}

function byTurn(a: PromotionRule, b: PromotionRule): number {
  return Number(isOnLines(b)) - Number(isOnLines(a)) || a.priority - b.priority || compare(a.code, b.code);
}

/** Lines that are equal in all of this are interchangeable, so that no remainder depends on the order of a basket. */
function byContent(a: BasketLine, b: BasketLine): number {
  return compare(a.code, b.code) || a.price - b.price || (a.vatRate ?? -1) - (b.vatRate ?? -1) || a.qty - b.qty;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function withoutConditions({ code, name, kind, value, buyQty, getQty, variantCodes }: PromotionRule): Promotion {
  return { code, name, kind, value, buyQty, getQty, variantCodes };
}
