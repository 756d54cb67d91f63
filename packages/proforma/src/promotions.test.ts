import { type Promotion, sum, totalsOf } from '@back-office/kernel';
import fc from 'fast-check';
import type { BasketLine } from './basket-lines.js';
import { aRule, BASKET_LINE } from './testing/index.js';
import { applicablePromotions, priceLines, promotionTotals, resolveCoupons, type PromotionRule } from './promotions.js';

const NOW = new Date('2026-03-02T12:00:00Z');
const idOf = (code: string): number => code.charCodeAt(0);
const aLine = (code: string, qty: number, price: number, vatRate = 2000): BasketLine => ({
  variantId: idOf(code),
  code,
  qty,
  price,
  vatRate,
});
const context = { coupons: [] as string[], now: NOW };

const discountsOf = (lines: readonly BasketLine[], ...rules: readonly PromotionRule[]): number[] =>
  priceLines(lines, applicablePromotions(rules, lines, context)).map(({ discount }) => discount);

describe('a percentage discount', () => {
  it('on variants reduces their lines, rounded half up', () => {
    const rule = aRule({ kind: 'percentage', value: 1250, variantCodes: ['A', 'B'] });
    expect(discountsOf([aLine('A', 2, 100), aLine('B', 1, 333), aLine('C', 1, 100)], rule)).toEqual([25, 42, 0]);
  });

  it('on the basket is rounded once and allocated by largest remainder', () => {
    const rule = aRule({ kind: 'percentage', value: 1000 });
    expect(discountsOf([aLine('A', 1, 333), aLine('B', 1, 333), aLine('C', 1, 334)], rule)).toEqual([33, 33, 34]);
  });

  it('of 100 % leaves nothing to pay', () => {
    expect(discountsOf([aLine('A', 3, 333)], aRule({ kind: 'percentage', value: 10_000 }))).toEqual([999]);
  });

  it('may have two decimals', () => {
    expect(discountsOf([aLine('A', 1, 100_000)], aRule({ kind: 'percentage', value: 1 }))).toEqual([10]);
  });
});

describe('a variant in many lines', () => {
  const rules = {
    'a percentage': aRule({ kind: 'percentage', value: 5000, variantCodes: ['A'] }),
    'buy one, get one': aRule({ kind: 'buy_x_get_y', value: 5000, buyQty: 1, getQty: 1, variantCodes: ['A'] }),
  };

  it.each(Object.entries(rules))('costs the same as in one line, with %s', (_, rule) => {
    const manyLines = Array.from({ length: 100 }, () => aLine('A', 1, 1));
    expect(sum(discountsOf(manyLines, rule))).toBe(sum(discountsOf([aLine('A', 100, 1)], rule)));
  });
});

describe('a fixed-amount discount', () => {
  it('on variants reduces the price of every piece', () => {
    expect(
      discountsOf([aLine('A', 3, 100), aLine('B', 3, 100)], aRule({ kind: 'amount', value: 30, variantCodes: ['A'] })),
    ).toEqual([90, 0]);
  });

  it('on variants never makes a price negative', () => {
    expect(discountsOf([aLine('A', 3, 20)], aRule({ kind: 'amount', value: 30, variantCodes: ['A'] }))).toEqual([60]);
  });

  it('on the basket is allocated once, by largest remainder', () => {
    expect(discountsOf([aLine('A', 1, 100), aLine('B', 2, 100)], aRule({ kind: 'amount', value: 100 }))).toEqual([
      33, 67,
    ]);
  });

  it('on the basket never exceeds the total of the basket', () => {
    expect(discountsOf([aLine('A', 1, 100), aLine('B', 2, 100)], aRule({ kind: 'amount', value: 1000 }))).toEqual([
      100, 200,
    ]);
  });
});

describe('a “buy x get y” promotion', () => {
  const twoPlusOne = aRule({ kind: 'buy_x_get_y', value: 10_000, buyQty: 2, getQty: 1 });

  it('makes the y cheapest of every x + y pieces free', () => {
    expect(discountsOf([aLine('A', 2, 100), aLine('B', 1, 60)], twoPlusOne)).toEqual([0, 60]);
    expect(discountsOf([aLine('A', 3, 100)], twoPlusOne)).toEqual([100]);
  });

  it('counts the pieces of all its variants together', () => {
    const rule = { ...twoPlusOne, variantCodes: ['A', 'B'] };
    expect(discountsOf([aLine('A', 1, 100), aLine('B', 2, 80), aLine('C', 9, 10)], rule)).toEqual([0, 80, 0]);
  });

  it.each([
    [2, 0],
    [3, 100],
    [5, 100],
    [6, 200],
    [600_000, 20_000_000],
  ])('discounts %d pieces by an amount of %d', (qty, discount) => {
    expect(discountsOf([aLine('A', qty, 100)], twoPlusOne)).toEqual([discount]);
  });

  it('may reduce the cheapest pieces by a percentage', () => {
    expect(discountsOf([aLine('A', 3, 99)], { ...twoPlusOne, value: 5000 })).toEqual([50]);
  });

  it('reduces the amounts that earlier promotions leave', () => {
    const halfPrice = aRule({ code: 'HALF', kind: 'percentage', value: 5000, variantCodes: ['A'], priority: -1 });
    expect(discountsOf([aLine('A', 3, 100)], twoPlusOne, halfPrice)).toEqual([150 + 50]);
  });
});

describe('several promotions', () => {
  const lines = [aLine('A', 1, 1000)];
  const amount = aRule({ code: 'AMOUNT', kind: 'amount', value: 100 });
  const percentage = aRule({ code: 'PERCENTAGE', kind: 'percentage', value: 1000 });
  const lineAmount = aRule({ code: 'ZZ', kind: 'amount', value: 500, variantCodes: ['A'] });

  it('apply in the order of their codes, each to the amount that earlier ones leave', () => {
    expect(discountsOf(lines, percentage, amount)).toEqual([100 + 90]);
  });

  it('apply in the order of priority, then of code', () => {
    expect(discountsOf(lines, amount, { ...percentage, priority: -1 })).toEqual([100 + 100]);
  });

  it('apply on lines first, whatever the priority', () => {
    expect(discountsOf(lines, { ...percentage, priority: -9 }, lineAmount)).toEqual([500 + 50]);
  });

  it('are listed on each line with the amount by which each reduces it', () => {
    const [line] = priceLines(lines, applicablePromotions([amount, lineAmount], lines, context));
    expect(line?.promotions).toEqual([
      { code: 'ZZ', name: 'Promotion', amount: 500 },
      { code: 'AMOUNT', name: 'Promotion', amount: 100 },
    ]);
  });

  it('are not listed when they reduce nothing', () => {
    const [line] = priceLines(lines, [{ ...lineAmount, value: 1000 }, percentage]);
    expect(line?.promotions).toEqual([{ code: 'ZZ', name: 'Promotion', amount: 1000 }]);
  });

  it('are added up over the lines', () => {
    const twoLines = [aLine('A', 1, 1000), aLine('B', 1, 500)];
    const promotions = [lineAmount, percentage];
    expect(promotionTotals(priceLines(twoLines, promotions), promotions)).toEqual([
      { code: 'ZZ', name: 'Promotion', amount: 500 },
      { code: 'PERCENTAGE', name: 'Promotion', amount: 100 },
    ]);
  });
});

describe('applicablePromotions', () => {
  const lines = [aLine('A', 1, 100), aLine('B', 1, 100)];

  it('includes promotions that reduce nothing', () => {
    const fullDiscount = aRule({ code: 'FREE', kind: 'percentage', value: 10_000, priority: 1 });
    const ineffectiveDiscount = aRule({ code: 'IDLE', kind: 'percentage', value: 5000, priority: 2 });
    const promotions = applicablePromotions([fullDiscount, ineffectiveDiscount], lines, context);
    expect(promotions.map(({ code }) => code)).toEqual(['FREE', 'IDLE']);
  });

  it('drops variants and promotions without a line', () => {
    const partialRule = aRule({ code: 'SOME', variantCodes: ['B', 'Z'] });
    const unmatchedRule = aRule({ code: 'NONE', variantCodes: ['Z'] });
    const basketRule = aRule({ code: 'ALL' });
    const promotions = applicablePromotions([partialRule, unmatchedRule, basketRule], lines, context);
    expect(promotions.map(({ code, variantCodes }) => [code, variantCodes])).toEqual([
      ['SOME', ['B']],
      ['ALL', []],
    ]);
  });
});

describe('the conditions of a promotion', () => {
  const lines = [aLine('A', 2, 100), aLine('B', 3, 100)];
  const isApplicable = (overrides: Partial<PromotionRule>, coupons: string[] = []): boolean =>
    applicablePromotions([aRule(overrides)], lines, { coupons, now: NOW }).length === 1;
  const afterNow = new Date(NOW.getTime() + 1000);
  const beforeNow = new Date(NOW.getTime() - 1000);

  it.each([
    ['met when there are none', {}, true],
    ['not met when the promotion is inactive', { active: false }, false],
    ['met when the promotion has just started', { validFrom: NOW }, true],
    ['not met when the promotion has not started', { validFrom: afterNow }, false],
    ['met when the promotion is just ending', { validUntil: NOW }, true],
    ['not met when the promotion has ended', { validUntil: beforeNow }, false],
    ['met when the basket has the minimum quantity', { minQty: 5 }, true],
    ['not met when the basket is below the minimum quantity', { minQty: 6 }, false],
    ['met when the variants of the promotion have the minimum quantity', { minQty: 3, variantCodes: ['B'] }, true],
    [
      'not met when the variants of the promotion are below the minimum quantity',
      { minQty: 4, variantCodes: ['B'] },
      false,
    ],
    ['met when the basket has the minimum amount', { minAmount: 500 }, true],
    ['not met when the basket is below the minimum amount', { minAmount: 501 }, false],
    ['met when the whole basket has the minimum amount', { minAmount: 500, variantCodes: ['A'] }, true],
    ['not met when the coupon is missing', { couponCode: 'SPRING' }, false],
  ])('are %s', (_, overrides, expected) => {
    expect(isApplicable(overrides)).toBe(expected);
  });

  it('require its coupon code, case-sensitively', () => {
    expect(isApplicable({ couponCode: 'SPRING' }, ['OTHER', 'SPRING'])).toBe(true);
    expect(isApplicable({ couponCode: 'SPRING' }, ['spring'])).toBe(false);
  });

  it('use the amount of the basket before discounts', () => {
    const fullDiscount = aRule({ code: 'A', kind: 'percentage', value: 10_000, variantCodes: ['A', 'B'] });
    const rules = [fullDiscount, aRule({ code: 'B', kind: 'amount', value: 1, minAmount: 500 })];
    expect(applicablePromotions(rules, lines, context)).toHaveLength(2);
  });
});

describe('a coupon code', () => {
  const rules = [
    aRule({ code: 'A', couponCode: 'SPRING', minQty: 1000 }),
    aRule({ code: 'B', couponCode: 'OFF', active: false }),
    aRule({ code: 'C', couponCode: 'OVER', validUntil: new Date(NOW.getTime() - 1) }),
    aRule({ code: 'D' }),
  ];

  it.each(['OFF', 'OVER', 'D', ''])('%j is unknown without a current promotion', (coupon) => {
    expect(resolveCoupons(rules, { coupons: ['SPRING', coupon], now: NOW })).toBeUndefined();
  });

  it.each(['SPRING', 'spring', ' Spring '])('is found as %j, without case and outer spaces', (coupon) => {
    expect(resolveCoupons(rules, { coupons: [coupon], now: NOW })).toEqual(['SPRING']);
  });

  it('is unknown when it matches several codes, unless it equals one of them', () => {
    const lookalikes = [...rules, aRule({ code: 'E', couponCode: 'Spring' })];
    expect(resolveCoupons(lookalikes, { coupons: ['spring'], now: NOW })).toBeUndefined();
    expect(resolveCoupons(lookalikes, { coupons: ['Spring'], now: NOW })).toEqual(['Spring']);
  });
});

const basket = fc.array(
  fc
    .record({
      code: fc.constantFrom('A', 'B', 'C', 'D'),
      qty: fc.integer({ min: 1, max: 7 }),
      price: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 100_000 })),
      vatRate: fc.constantFrom(null, 0, 1000, 2000),
    })
    .map((line) => ({ ...line, variantId: idOf(line.code) })),
  { minLength: 1, maxLength: 6 },
);

const rule: fc.Arbitrary<PromotionRule> = fc
  .record({
    kind: fc.constantFrom('percentage' as const, 'amount' as const, 'buy_x_get_y' as const),
    share: fc.integer({ min: 1, max: 10_000 }),
    amount: fc.integer({ min: 1, max: 5_000 }),
    buyQty: fc.integer({ min: 1, max: 3 }),
    getQty: fc.integer({ min: 1, max: 3 }),
    variantCodes: fc.oneof(fc.constant([]), fc.subarray(['A', 'B', 'C', 'X'], { minLength: 1 })),
    priority: fc.integer({ min: -2, max: 2 }),
  })
  .map(({ share, amount, ...fields }) => aRule({ ...fields, value: fields.kind === 'amount' ? amount : share }));

const rules = fc
  .array(rule, { maxLength: 5 })
  .map((list) => list.map((item, index) => ({ ...item, code: `P${index}` })));

const promotionsFor = (lines: readonly BasketLine[], applicableRules: readonly PromotionRule[]): Promotion[] =>
  applicablePromotions(applicableRules, lines, context);

describe('promotions on any basket', () => {
  it('never make a line negative, and account for every minor unit of the discount', () => {
    fc.assert(
      fc.property(basket, rules, (lines, basketRules) => {
        const pricedLines = priceLines(lines, promotionsFor(lines, basketRules));
        const isConsistent = ({
          sales,
          discount,
          promotions: lineReductions,
          price,
          qty,
        }: (typeof pricedLines)[number]): boolean =>
          sales === price * qty &&
          discount >= 0 &&
          discount <= sales &&
          sum(lineReductions.map(({ amount }) => amount)) === discount &&
          lineReductions.every(({ amount }) => amount > 0);
        expect(pricedLines.filter((pricedLine) => !isConsistent(pricedLine))).toEqual([]);
        const promotions = promotionsFor(lines, basketRules);
        expect(sum(promotionTotals(pricedLines, promotions).map(({ amount }) => amount))).toBe(
          totalsOf(pricedLines).discount,
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it('do not depend on the order of lines and promotions', () => {
    const shuffledBaskets = fc.tuple(basket, rules).chain(([lines, basketRules]) =>
      fc.record({
        lines: fc.constant(lines),
        all: fc.constant(basketRules),
        otherLines: fc.shuffledSubarray(lines, { minLength: lines.length, maxLength: lines.length }),
        otherAll: fc.shuffledSubarray(basketRules, { minLength: basketRules.length, maxLength: basketRules.length }),
      }),
    );
    fc.assert(
      fc.property(shuffledBaskets, ({ lines, all: basketRules, otherLines, otherAll }) => {
        const [firstLines, secondLines] = [
          priceLines(lines, promotionsFor(lines, basketRules)),
          priceLines(otherLines, promotionsFor(otherLines, otherAll)),
        ];
        expect(totalsOf(secondLines)).toEqual(totalsOf(firstLines));
        const sortedTexts = (pricedLines: typeof firstLines): string[] =>
          pricedLines.map((line) => JSON.stringify(line)).sort();
        expect(sortedTexts(secondLines)).toEqual(sortedTexts(firstLines));
      }),
      { numRuns: 3_000 },
    );
  });

  it('prices variants without a code like variants with different codes', () => {
    const priceWith = (...codes: readonly (string | null)[]) => {
      const lines = codes.map((code, index) => ({ ...aLine('A', 1, 3), variantId: index, code }));
      const promotions = promotionsFor(lines, [aRule({ kind: 'buy_x_get_y', value: 5_000, buyQty: 1, getQty: 1 })]);
      return priceLines(lines, promotions).map(({ discount }) => discount);
    };
    expect(priceWith(null, null)).toEqual(priceWith('A', 'B'));
  });

  it('do not depend on the order of a line without VAT rate and a line with 0 % VAT', () => {
    const lines = [null, 0].map((vatRate) => ({ ...aLine('A', 2, 31), vatRate }));
    const price = (basketLines: readonly BasketLine[]) =>
      priceLines(basketLines, promotionsFor(basketLines, [aRule({ value: 202 })]));
    expect(price(lines.toReversed())).toEqual(price(lines).toReversed());
  });

  it('give totals that add up with VAT', () => {
    fc.assert(
      fc.property(basket, rules, (lines, basketRules) => {
        const { sales, discount, netSales, vat, endSales } = totalsOf(
          priceLines(lines, promotionsFor(lines, basketRules)),
        );
        expect([sales - discount, netSales + vat]).toEqual([endSales, endSales]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keep other fields of a line', () => {
    const [line] = priceLines([{ ...BASKET_LINE, mark: 'x' }], []);
    expect(line).toEqual({ ...BASKET_LINE, mark: 'x', sales: 1000, discount: 0, promotions: [] });
  });
});

describe('a thousand lines under a hundred promotions of ten thousand codes', () => {
  const codes = Array.from({ length: 10_000 }, (_, index) => `V${index}`);
  const lines = codes.slice(0, 1_000).map((code) => aLine(code, 1, 100_000));
  const hundredRules = Array.from({ length: 100 }, (_, index) =>
    aRule({ code: `P${index}`, kind: 'percentage', value: 1, variantCodes: codes.toReversed() }),
  );

  it('are priced in less than a second of CPU', () => {
    const before = process.cpuUsage();
    const pricedLines = priceLines(lines, applicablePromotions(hundredRules, lines, context));
    const { user, system } = process.cpuUsage(before);
    expect(pricedLines[0]?.promotions).toHaveLength(100);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});
