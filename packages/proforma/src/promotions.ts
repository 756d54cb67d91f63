import { allocate, type AppliedPromotion, divideRounded, type Promotion, sum } from '@back-office/kernel';

const FULL_BASIS_POINTS = 10_000;

export interface PromotionRule extends Promotion {
  /** Empty for all variants. A look-up may leave out codes that are not in the basket, but never all of them. */
  readonly variantCodes: readonly string[];
  readonly minQty: number;
  /** Minimum sum of the lines before discounts, in minor units. */
  readonly minAmount: number;
  readonly couponCode: string | null;
  readonly validFrom: Date | null;
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

export function unknownCoupon(rules: readonly PromotionRule[], { coupons, now }: PromotionContext): string | undefined {
  const requiredCoupons = new Set(rules.filter((rule) => isInForce(rule, now)).map((rule) => rule.couponCode));
  return coupons.find((coupon) => !requiredCoupons.has(coupon));
}

export function applicablePromotions(
  rules: readonly PromotionRule[],
  lines: readonly BasketLine[],
  { coupons, now }: PromotionContext,
): Promotion[] {
  const amount = sum(lines.map((line) => line.price * line.qty));
  const basketCodes = new Set(lines.map(({ code }) => code));
  const redeemedCoupons = new Set(coupons);
  return rules
    .filter((rule) => isInForce(rule, now) && amount >= rule.minAmount)
    .filter(({ couponCode }) => couponCode === null || redeemedCoupons.has(couponCode))
    .flatMap((rule) => limitToBasket(rule, basketCodes))
    .filter((rule) => countPieces(concernedLines(rule, lines)) >= rule.minQty)
    .sort(byApplicationOrder)
    .map(withoutConditions);
}

/** Drops the other codes once, so that later steps take time by the basket and not by the rule. */
function limitToBasket(rule: PromotionRule, basketCodes: ReadonlySet<string>): PromotionRule[] {
  if (rule.variantCodes.length === 0) return [rule];
  const variantCodes = rule.variantCodes.filter((code) => basketCodes.has(code));
  return variantCodes.length === 0 ? [] : [{ ...rule, variantCodes }];
}

/**
 * Each promotion reduces what earlier promotions leave, never below 0. The order of the lines does not affect the
 * amounts.
 */
export function priceLines<Line extends BasketLine>(
  lines: readonly Line[],
  promotions: readonly Promotion[],
): (Line & LinePrice)[] {
  const orderedIndexes = lines.map((_, index) => index).sort((a, b) => byContent(lines[a] as Line, lines[b] as Line));
  const orderedLines = orderedIndexes.map((index) => lines[index] as Line);
  const remainingAmounts = orderedLines.map((line) => line.price * line.qty);
  const appliedPromotions = orderedLines.map((): AppliedPromotion[] => []);
  for (const promotion of promotions) {
    for (const [position, amount] of reductions(promotion, orderedLines, remainingAmounts).entries()) {
      if (amount === 0) continue;
      remainingAmounts[position] = (remainingAmounts[position] ?? 0) - amount;
      appliedPromotions[position]?.push({ code: promotion.code, name: promotion.name, amount });
    }
  }
  const pricedLines: (Line & LinePrice)[] = [];
  for (const [position, index] of orderedIndexes.entries()) {
    const line = orderedLines[position] as Line;
    const sales = line.price * line.qty;
    pricedLines[index] = {
      ...line,
      sales,
      discount: sales - (remainingAmounts[position] ?? 0),
      promotions: appliedPromotions[position] ?? [],
    };
  }
  return pricedLines;
}

/**
 * Keeps promotions that reduce nothing, since they may when fewer pieces are confirmed. Drops codes of variants that
 * are not in the basket.
 */
export function frozenPromotions(promotions: readonly Promotion[], lines: readonly BasketLine[]): Promotion[] {
  const codes = new Set(lines.map(({ code }) => code));
  return promotions
    .filter((promotion) => concernedLines(promotion, lines).length > 0)
    .map((promotion) => ({ ...promotion, variantCodes: promotion.variantCodes.filter((code) => codes.has(code)) }));
}

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

function reductions(promotion: Promotion, lines: readonly BasketLine[], remainingAmounts: readonly number[]): number[] {
  if (promotion.kind === 'buy_x_get_y') return buyXGetYReductions(promotion, lines, remainingAmounts);
  if (promotion.variantCodes.length === 0)
    return allocate(basketReduction(promotion, sum(remainingAmounts)), remainingAmounts);
  const concernsLine = lineTest(promotion);
  return lines.map((line, index) => {
    const remainingAmount = remainingAmounts[index] ?? 0;
    if (!concernsLine(line)) return 0;
    return promotion.kind === 'percentage'
      ? share(remainingAmount, promotion.value, FULL_BASIS_POINTS)
      : Math.min(remainingAmount, promotion.value * line.qty);
  });
}

function basketReduction({ kind, value }: Promotion, remainingAmount: number): number {
  return kind === 'percentage' ? share(remainingAmount, value, FULL_BASIS_POINTS) : Math.min(value, remainingAmount);
}

/**
 * Reduces the `getQty` cheapest of every `buyQty + getQty` pieces. A piece is worth its share of the line's remaining
 * amount.
 */
function buyXGetYReductions(
  promotion: Promotion,
  lines: readonly BasketLine[],
  remainingAmounts: readonly number[],
): number[] {
  const { buyQty, getQty, value } = promotion;
  const lineReductions = lines.map(() => 0);
  const concernsLine = lineTest(promotion);
  const indexes = lines.map((_, index) => index).filter((index) => concernsLine(lines[index] as BasketLine));
  const groups = Math.floor(sum(indexes.map((index) => lines[index]?.qty ?? 0)) / (buyQty + getQty));
  let piecesToReduce = groups * getQty;
  for (const index of indexes.sort((a, b) => (lines[a]?.price ?? 0) - (lines[b]?.price ?? 0))) {
    const qty = lines[index]?.qty ?? 0;
    const reducedPieces = Math.min(piecesToReduce, qty);
    if (reducedPieces === 0) continue;
    lineReductions[index] = divideRounded(
      BigInt(remainingAmounts[index] ?? 0) * BigInt(reducedPieces) * BigInt(value),
      BigInt(qty) * BigInt(FULL_BASIS_POINTS),
    );
    piecesToReduce -= reducedPieces;
  }
  return lineReductions;
}

function share(amount: number, part: number, whole: number): number {
  return divideRounded(BigInt(amount) * BigInt(part), BigInt(whole));
}

function concernedLines(promotion: Promotion, lines: readonly BasketLine[]): BasketLine[] {
  return lines.filter(lineTest(promotion));
}

function lineTest({ variantCodes }: Promotion): (line: BasketLine) => boolean {
  const codes = new Set(variantCodes);
  return ({ code }) => codes.size === 0 || codes.has(code);
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

/** Lines are ordered by content, so remainders do not depend on the order of the basket. */
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
