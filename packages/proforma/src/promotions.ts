import { allocate, type AppliedPromotion, divideRounded, type Promotion, sum } from '@back-office/kernel';

/** 100 % in basis points. */
const HUNDRED_PERCENT = 10_000;

export interface PromotionRule extends Promotion {
  /** Minimum number of pieces that the promotion concerns. */
  readonly minQty: number;
  /** Minimum sum of the lines before discounts, in minor units. */
  readonly minAmount: number;
  /** Required coupon; `null` when none. */
  readonly couponCode: string | null;
  readonly validFrom: Date | null;
  /** Inclusive. */
  readonly validUntil: Date | null;
  /** Lower applies first; ties are broken by code. */
  readonly priority: number;
  readonly active: boolean;
}

export interface PromotionContext {
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

export interface LinePrice {
  readonly sales: number;
  readonly discount: number;
  readonly promotions: readonly AppliedPromotion[];
}

/** The first coupon that no promotion in force requires. */
export function unknownCoupon(rules: readonly PromotionRule[], { coupons, now }: PromotionContext): string | undefined {
  const known = new Set(rules.filter((rule) => isInForce(rule, now)).map((rule) => rule.couponCode));
  return coupons.find((coupon) => !known.has(coupon));
}

/** The promotions that apply to the basket, in order: those on lines first. */
export function applicablePromotions(
  rules: readonly PromotionRule[],
  lines: readonly BasketLine[],
  { coupons, now }: PromotionContext,
): Promotion[] {
  const amount = sum(lines.map((line) => line.price * line.qty));
  return rules
    .filter((rule) => isInForce(rule, now))
    .filter(({ couponCode }) => couponCode === null || coupons.includes(couponCode))
    .filter((rule) => amount >= rule.minAmount && countPieces(concernedLines(rule, lines)) >= rule.minQty)
    .sort(byApplicationOrder)
    .map(withoutConditions);
}

/**
 * Prices lines and applies the promotions one after another, each to what the earlier ones left, never below 0. The
 * order of the lines does not affect the amounts.
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
 * Promotions to freeze with these lines. Includes those that take nothing off, since they may when fewer pieces are
 * confirmed. Drops codes of variants that are not in the basket.
 */
export function frozenPromotions(promotions: readonly Promotion[], lines: readonly BasketLine[]): Promotion[] {
  const codes = new Set(lines.map(({ code }) => code));
  return promotions
    .filter((promotion) => concernedLines(promotion, lines).length > 0)
    .map((promotion) => ({ ...promotion, variantCodes: promotion.variantCodes.filter((code) => codes.has(code)) }));
}

/** What each promotion took off all lines, in the order of application; without zeros. */
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

/** What the promotion takes off each line; `left` is the remaining amount per line. */
function reductions(promotion: Promotion, lines: readonly BasketLine[], left: readonly number[]): number[] {
  if (promotion.kind === 'buy_x_get_y') return buyXGetYReductions(promotion, lines, left);
  if (promotion.variantCodes.length === 0) return allocate(basketReduction(promotion, sum(left)), left);
  return lines.map((line, index) => {
    const rest = left[index] ?? 0;
    if (!concernsLine(promotion, line)) return 0;
    return promotion.kind === 'percentage'
      ? share(rest, promotion.value, HUNDRED_PERCENT)
      : Math.min(rest, promotion.value * line.qty);
  });
}

function basketReduction({ kind, value }: Promotion, rest: number): number {
  return kind === 'percentage' ? share(rest, value, HUNDRED_PERCENT) : Math.min(value, rest);
}

/** Reduces the `getQty` cheapest of every `buyQty + getQty` pieces; a piece is worth its share of its line's rest. */
function buyXGetYReductions(promotion: Promotion, lines: readonly BasketLine[], left: readonly number[]): number[] {
  const { buyQty, getQty, value } = promotion;
  const off = lines.map(() => 0);
  const indexes = lines.map((_, index) => index).filter((index) => concernsLine(promotion, lines[index] as BasketLine));
  const groups = Math.floor(sum(indexes.map((index) => lines[index]?.qty ?? 0)) / (buyQty + getQty));
  let toReduce = groups * getQty;
  for (const index of indexes.sort((a, b) => (lines[a]?.price ?? 0) - (lines[b]?.price ?? 0))) {
    const qty = lines[index]?.qty ?? 0;
    const reduced = Math.min(toReduce, qty);
    if (reduced === 0) continue;
    off[index] = divideRounded(
      BigInt(left[index] ?? 0) * BigInt(reduced) * BigInt(value),
      BigInt(qty) * BigInt(HUNDRED_PERCENT),
    );
    toReduce -= reduced;
  }
  return off;
}

function share(amount: number, part: number, whole: number): number {
  return divideRounded(BigInt(amount) * BigInt(part), BigInt(whole));
}

function concernedLines(promotion: Promotion, lines: readonly BasketLine[]): BasketLine[] {
  return lines.filter((line) => concernsLine(promotion, line));
}

function concernsLine({ variantCodes }: Promotion, { code }: BasketLine): boolean {
  return variantCodes.length === 0 || variantCodes.includes(code);
}

function countPieces(lines: readonly BasketLine[]): number {
  return sum(lines.map((line) => line.qty));
}

function isInForce({ active, validFrom, validUntil }: PromotionRule, now: Date): boolean {
  return active && (validFrom === null || validFrom <= now) && (validUntil === null || validUntil >= now);
}

function isOnLines({ kind, variantCodes }: Promotion): boolean {
  return kind === 'buy_x_get_y' || variantCodes.length > 0;
}

function byApplicationOrder(a: PromotionRule, b: PromotionRule): number {
  return Number(isOnLines(b)) - Number(isOnLines(a)) || a.priority - b.priority || compare(a.code, b.code);
}

/** A total order by content, so remainders do not depend on the order of the basket. */
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
