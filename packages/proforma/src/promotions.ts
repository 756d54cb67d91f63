import { allocate, type AppliedPromotion, findByLooseCode, type Promotion, shareOf, sum } from '@back-office/kernel';
import { byContent, compare, groupEqualLines, type BasketLine, type LineGroup } from './basket-lines.js';

const FULL_BASIS_POINTS = 10_000;

export interface PromotionRule extends Promotion {
  /** An empty list means all variants. Adapters may omit codes that are not in the basket, but never every code. */
  readonly variantCodes: readonly string[];
  readonly minQty: number;
  /** Minimum total of the lines before discounts, in minor units. */
  readonly minAmount: number;
  readonly couponCode: string | null;
  readonly validFrom: Date | null;
  readonly validUntil: Date | null;
  /** Promotions apply in ascending order of this number; equal numbers apply in the order of the codes. */
  readonly priority: number;
  readonly active: boolean;
}

export interface PromotionContext {
  readonly coupons: readonly string[];
  readonly now: Date;
}

export interface LinePrice {
  readonly sales: number;
  readonly discount: number;
  readonly promotions: readonly AppliedPromotion[];
}

/** Returns the coupon codes of promotions in force that the sent ones name; `undefined` when one names none. */
export function resolveCoupons(
  rules: readonly PromotionRule[],
  { coupons, now }: PromotionContext,
): readonly string[] | undefined {
  const codes = rules.flatMap((rule) => (isInForce(rule, now) ? (rule.couponCode ?? []) : []));
  const stored = [...new Set(codes)].map((code) => ({ code }));
  const found = coupons.flatMap((coupon) => findByLooseCode(stored, coupon)?.code ?? []);
  return found.length < coupons.length ? undefined : found;
}

/**
 * Includes promotions that reduce nothing, because they may reduce a smaller confirmed quantity. Drops codes of
 * variants that are not in the basket.
 */
export function applicablePromotions(
  rules: readonly PromotionRule[],
  lines: readonly BasketLine[],
  { coupons, now }: PromotionContext,
): Promotion[] {
  const amount = sum(lines.map((line) => line.price * line.qty));
  const basketCodes = new Set<string | null>(lines.map(({ code }) => code));
  const redeemedCoupons = new Set(coupons);
  return rules
    .filter((rule) => isInForce(rule, now) && amount >= rule.minAmount)
    .filter(({ couponCode }) => couponCode === null || redeemedCoupons.has(couponCode))
    .flatMap((rule) => limitToBasket(rule, basketCodes))
    .filter((rule) => countPieces(concernedLines(rule, lines)) >= rule.minQty)
    .sort(byApplicationOrder)
    .map(withoutConditions);
}

/** Drops all codes outside the basket first, so that later steps do not depend on the length of the rule. */
function limitToBasket(rule: PromotionRule, basketCodes: ReadonlySet<string | null>): PromotionRule[] {
  if (rule.variantCodes.length === 0) return [rule];
  const variantCodes = rule.variantCodes.filter((code) => basketCodes.has(code));
  return variantCodes.length === 0 ? [] : [{ ...rule, variantCodes }];
}

type Priced<Line> = Omit<Line, keyof LinePrice> & LinePrice;

/**
 * Each promotion reduces the amounts that earlier promotions leave, but never below 0. The order of the lines does not
 * affect the amounts.
 */
export function priceLines<Line extends BasketLine>(
  lines: readonly Line[],
  promotions: readonly Promotion[],
): Priced<Line>[] {
  const orderedIndexes = lines.map((_, index) => index).sort((a, b) => byContent(lines[a] as Line, lines[b] as Line));
  const orderedLines = orderedIndexes.map((index) => lines[index] as Line);
  const remainingAmounts = orderedLines.map((line) => line.price * line.qty);
  const appliedPromotions = orderedLines.map((): AppliedPromotion[] => []);
  const basket = { lines: orderedLines, remainingAmounts, groups: groupEqualLines(orderedLines) };
  for (const promotion of promotions) {
    const { code, name } = promotion;
    for (const [position, amount] of reductions(promotion, basket).entries()) {
      if (amount === 0) continue;
      remainingAmounts[position] = (remainingAmounts[position] ?? 0) - amount;
      appliedPromotions[position]?.push({ code, name, amount });
    }
  }
  const pricedLines: Priced<Line>[] = [];
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

interface OrderedBasket {
  readonly lines: readonly BasketLine[];
  readonly remainingAmounts: readonly number[];
  /** Cheapest first. */
  readonly groups: readonly LineGroup[];
}

function reductions(promotion: Promotion, basket: OrderedBasket): number[] {
  const { lines, remainingAmounts, groups } = basket;
  if (promotion.kind !== 'buy_x_get_y' && promotion.variantCodes.length === 0)
    return allocate(basketReduction(promotion, sum(remainingAmounts)), remainingAmounts);
  const concernsLine = lineMatcher(promotion);
  const concernedGroups = groups.filter(concernsLine);
  const lineReductions = lines.map(() => 0);
  if (promotion.kind === 'buy_x_get_y') reduceCheapest(promotion, concernedGroups, basket, lineReductions);
  else if (promotion.kind === 'percentage') {
    for (const group of concernedGroups) {
      const reduction = shareOf(remainingAmountOf(group, basket), promotion.value, FULL_BASIS_POINTS);
      splitOver(group, reduction, basket, lineReductions);
    }
  } else {
    for (const index of concernedGroups.flatMap(({ indexes }) => indexes))
      lineReductions[index] = Math.min(remainingAmounts[index] ?? 0, promotion.value * (lines[index]?.qty ?? 0));
  }
  return lineReductions;
}

function basketReduction({ kind, value }: Promotion, remainingAmount: number): number {
  return kind === 'percentage' ? shareOf(remainingAmount, value, FULL_BASIS_POINTS) : Math.min(value, remainingAmount);
}

/**
 * Reduces the `getQty` cheapest of every `buyQty + getQty` pieces. The value of a piece is its share of the line's
 * remaining amount.
 */
function reduceCheapest(
  { buyQty, getQty, value }: Promotion,
  groups: readonly LineGroup[],
  basket: OrderedBasket,
  lineReductions: number[],
): void {
  let piecesToReduce = Math.floor(sum(groups.map(({ qty }) => qty)) / (buyQty + getQty)) * getQty;
  for (const group of groups) {
    const reducedPieces = Math.min(piecesToReduce, group.qty);
    if (reducedPieces === 0) continue;
    const amount = remainingAmountOf(group, basket);
    const reduction = shareOf(amount, reducedPieces * value, group.qty * FULL_BASIS_POINTS);
    splitOver(group, reduction, basket, lineReductions);
    piecesToReduce -= reducedPieces;
  }
}

function remainingAmountOf({ indexes }: LineGroup, { remainingAmounts }: OrderedBasket): number {
  return indexes.reduce((total, index) => total + (remainingAmounts[index] ?? 0), 0);
}

function splitOver({ indexes }: LineGroup, reduction: number, basket: OrderedBasket, lineReductions: number[]): void {
  const [first = 0] = indexes;
  if (indexes.length === 1) {
    lineReductions[first] = reduction;
    return;
  }
  const amounts = indexes.map((index) => basket.remainingAmounts[index] ?? 0);
  const parts = allocate(reduction, amounts);
  for (const [position, index] of indexes.entries()) lineReductions[index] = parts[position] ?? 0;
}

function concernedLines(promotion: Promotion, lines: readonly BasketLine[]): BasketLine[] {
  return lines.filter(lineMatcher(promotion));
}

function lineMatcher({ variantCodes }: Promotion): (line: { readonly code: string | null }) => boolean {
  const codes = new Set<string | null>(variantCodes);
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

function withoutConditions({ code, name, kind, value, buyQty, getQty, variantCodes }: PromotionRule): Promotion {
  return { code, name, kind, value, buyQty, getQty, variantCodes };
}
