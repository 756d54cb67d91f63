import type { BasketLine, PromotionRule } from '../index.js';

export function aRule(overrides: Partial<PromotionRule> = {}): PromotionRule {
  return { ...RULE, ...overrides };
}

export const BASKET_LINE: BasketLine = { variantId: 1, code: 'A', qty: 1, price: 1000, vatRate: 2000 };

const RULE: PromotionRule = {
  code: 'PROMO',
  name: 'Promotion',
  kind: 'percentage',
  value: 1000,
  buyQty: 0,
  getQty: 0,
  variantCodes: [],
  minQty: 0,
  minAmount: 0,
  couponCode: null,
  validFrom: null,
  validUntil: null,
  priority: 0,
  active: true,
};
