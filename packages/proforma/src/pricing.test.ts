import { type Promotion, sum, totalsOf } from '@back-office/kernel';
import fc from 'fast-check';
import { aProforma, aRule, fee, line, type Trait } from './testing/index.js';
import { proformaBrackets, reprice } from './pricing.js';
import type { Proforma, ProformaLine } from './proforma.js';
import { priceLines } from './promotions.js';

function withPromotions(proforma: Proforma, promotions: readonly Promotion[]): Proforma {
  const lines = priceLines(proforma.lines, promotions);
  const totals = totalsOf([...lines, ...proforma.fees]);
  return { ...proforma, ...totals, lines, promotions, originalEndSales: totals.endSales };
}

const repriceWith = (proforma: Proforma, ...quantities: readonly number[]) =>
  reprice(proforma, (part) => ('variantId' in part ? (quantities[part.id - 1] ?? 0) : part.qty));

describe('reprice with smaller confirmed quantities', () => {
  const shirts = line({ code: 'SHIRT', qty: 4, price: 1000 });
  const socks = line({ code: 'SOCK', qty: 3, price: 200 });

  it('keeps percentage discounts', () => {
    const proforma = withPromotions(aProforma(shirts, socks), [aRule({ value: 1000 })]);
    expect(repriceWith(proforma, 2, 0)).toMatchObject({ sales: 2000, discount: 200, endSales: 1800 });
  });

  it('keeps fixed-amount discounts, up to the price of the lines', () => {
    const proforma = withPromotions(aProforma(shirts, socks), [aRule({ kind: 'amount', value: 1500 })]);
    expect(repriceWith(proforma, 2, 0)).toMatchObject({ sales: 2000, discount: 1500, endSales: 500 });
    expect(repriceWith(proforma, 1, 0)).toMatchObject({ sales: 1000, discount: 1000, endSales: 0 });
  });

  it('applies “buy x get y” to the confirmed pieces', () => {
    const twoPlusOne = aRule({ kind: 'buy_x_get_y', value: 10_000, buyQty: 2, getQty: 1 });
    const proforma = withPromotions(aProforma(shirts, socks), [twoPlusOne]);
    expect(proforma.discount).toBe(400);
    expect(repriceWith(proforma, 4, 0).discount).toBe(1000);
    expect(repriceWith(proforma, 2, 0).discount).toBe(0);
  });

  it('does not check the conditions of promotions again', () => {
    const proforma = withPromotions(aProforma(shirts), [aRule({ minQty: 4, minAmount: 4000, value: 1000 })]);
    expect(repriceWith(proforma, 1).discount).toBe(100);
  });

  it('keeps fees until no piece is left to ship', () => {
    const proforma = withPromotions(aProforma(shirts, fee(490)), []);
    expect(repriceWith(proforma, 1)).toMatchObject({ endSales: 1490, fees: [{ qtyConfirmed: 1, sales: 490 }] });
    expect(repriceWith(proforma, 0)).toMatchObject({ endSales: 0, fees: [{ qtyConfirmed: 0, sales: 0 }] });
  });

  it('never raises the total, even where fewer pieces would cost more', () => {
    const buyOneGetTwo = aRule({ kind: 'buy_x_get_y', value: 10_000, buyQty: 1, getQty: 2 });
    const proforma = withPromotions(aProforma(line({ qty: 3, price: 100 }), line({ qty: 3, price: 90 })), [
      buyOneGetTwo,
    ]);
    // With six pieces, four are free; with five pieces, only two.
    expect(proforma.endSales).toBe(200);
    const repricedSale = repriceWith(proforma, 2, 3);
    expect(repricedSale).toMatchObject({ sales: 470, endSales: 200 });
    expect(repricedSale.lines.map(({ promotions }) => promotions.at(-1))).toEqual([
      { code: 'original_total', name: 'Never above the original total', amount: expect.any(Number) },
      { code: 'original_total', name: 'Never above the original total', amount: expect.any(Number) },
    ]);
  });

  it('restores the original amounts when everything is confirmed again', () => {
    const proforma = withPromotions(aProforma(shirts, socks, fee(490)), [aRule({ value: 3333 })]);
    const { lines, fees, ...totals } = repriceWith({ ...proforma, ...repriceWith(proforma, 1, 1) }, 4, 3);
    expect(proforma).toMatchObject(totals);
    const withoutConfirmation = (productLine: ProformaLine): ProformaLine => ({ ...productLine, qtyConfirmed: null });
    expect(lines.map(withoutConfirmation)).toEqual(proforma.lines.map(withoutConfirmation));
    expect(fees).toEqual(proforma.fees.map((shippingFee) => ({ ...shippingFee, qtyConfirmed: 1 })));
  });
});

const lineTrait: fc.Arbitrary<Trait<Proforma>> = fc
  .record({
    code: fc.constantFrom('A', 'B', 'C'),
    qty: fc.integer({ min: 1, max: 6 }),
    price: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 50_000 })),
    vatRate: fc.constantFrom(0, 1000, 2000),
  })
  .map(line);
const promotion = fc
  .record({
    kind: fc.constantFrom('percentage' as const, 'amount' as const, 'buy_x_get_y' as const),
    share: fc.integer({ min: 1, max: 10_000 }),
    amount: fc.integer({ min: 1, max: 9_000 }),
    buyQty: fc.integer({ min: 1, max: 3 }),
    getQty: fc.integer({ min: 1, max: 3 }),
    variantCodes: fc.subarray(['A', 'B', 'C']),
  })
  .map(({ share, amount, ...fields }) => aRule({ ...fields, value: fields.kind === 'amount' ? amount : share }));
const offer = fc.record({
  lines: fc.array(lineTrait, { minLength: 1, maxLength: 5 }),
  fees: fc.array(
    fc.integer({ min: 0, max: 1_000 }).map((price) => fee(price)),
    { maxLength: 1 },
  ),
  promotions: fc.array(promotion, { maxLength: 4 }),
  reducedQuantities: fc.array(fc.array(fc.nat(6), { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
});

const isCapped = (productLine: ProformaLine): boolean =>
  productLine.promotions.some(({ code }) => code === 'original_total');

/** Returns faults instead of calling `expect`, because one `expect` per comparison would take most of the time. */
function faultsOf(proforma: Proforma, original: number): string[] {
  const { sales, discount, netSales, vat, endSales, lines } = proforma;
  const brackets = proformaBrackets(proforma);
  const faults = {
    'costs more than it did': endSales > original,
    'costs less than nothing': endSales < 0 || lines.some((productLine) => productLine.sales < productLine.discount),
    'does not add up': sales - discount !== endSales || netSales + vat !== endSales,
    'does not add up by VAT rate': sum(brackets.map(({ gross }) => gross)) !== endSales,
    'has VAT that is in no bracket': sum(brackets.map((bracket) => bracket.vat)) !== vat,
    'has a discount without a promotion': lines.some(
      (productLine) => sum(productLine.promotions.map(({ amount }) => amount)) !== productLine.discount,
    ),
  };
  return Object.entries(faults).flatMap(([fault, hasFault]) => (hasFault ? [fault] : []));
}

describe('repeated repricing', () => {
  it('never exceeds its original total, and always adds up', () => {
    let cappedCount = 0;
    fc.assert(
      fc.property(offer, ({ lines, fees, promotions, reducedQuantities }) => {
        const originalProforma = withPromotions(aProforma(...lines, ...fees), promotions);
        let currentProforma = originalProforma;
        for (const quantities of reducedQuantities) {
          const repricedSale = reprice(currentProforma, ({ id, qty }) => Math.min(quantities[(id - 1) % 5] ?? 0, qty));
          currentProforma = { ...currentProforma, ...repricedSale };
          if (faultsOf(currentProforma, originalProforma.endSales).length > 0)
            expect(faultsOf(currentProforma, originalProforma.endSales)).toEqual([]);
          cappedCount += Number(currentProforma.lines.some(isCapped));
        }
        expect(reprice(currentProforma, ({ qty }) => qty).endSales).toBe(originalProforma.endSales);
      }),
      { numRuns: 5_000 },
    );
    expect(cappedCount).toBeGreaterThan(10);
  });
});
