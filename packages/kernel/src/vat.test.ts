import fc from 'fast-check';
import { bracketsOf, taxBrackets, totalsOf, vatContained, type PricedLine, type TaxBracket } from './vat.js';

const rate = fc.option(fc.constantFrom(0, 1, 500, 800, 1000, 2000, 2500, 10_000), { nil: null });
const line: fc.Arbitrary<PricedLine> = fc
  .record({ vatRate: rate, sales: fc.nat(1e12), share: fc.nat(1000) })
  .map(({ vatRate, sales, share }) => ({ vatRate, sales, discount: Math.floor((sales / 1000) * share) }));
const lines = fc.array(line, { maxLength: 12 });

describe('the totals of any lines', () => {
  it('satisfy end_sales = sales - discount = net_sales + vat', () => {
    fc.assert(
      fc.property(lines, (priced) => {
        const { sales, discount, netSales, vat, endSales } = totalsOf(priced);
        expect(sales).toBe(total(priced.map((each) => each.sales)));
        expect(discount).toBe(total(priced.map((each) => each.discount)));
        expect(endSales).toBe(sales - discount);
        expect(endSales).toBe(netSales + vat);
      }),
      { numRuns: 500 },
    );
  });

  it('are the sums of their tax brackets', () => {
    fc.assert(
      fc.property(lines, (priced) => {
        const { netSales, vat, endSales } = totalsOf(priced);
        const brackets = bracketsOf(priced);
        expect(added(brackets)).toEqual({ net: netSales, vat, gross: endSales });
        expect(brackets.every((bracket) => bracket.net + bracket.vat === bracket.gross)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the tax brackets of any lines', () => {
  it('have each rate once, lowest first, with 0 for a missing one', () => {
    fc.assert(
      fc.property(lines, (priced) => {
        const rates = [...new Set(priced.map((each) => each.vatRate ?? 0))].sort((a, b) => a - b);
        expect(bracketsOf(priced).map((bracket) => bracket.vatRate)).toEqual(rates);
      }),
    );
  });

  it('round VAT once, half away from zero', () => {
    fc.assert(
      fc.property(lines, (priced) => {
        for (const { vatRate, vat, gross } of bracketsOf(priced)) {
          const exact = BigInt(gross) * BigInt(vatRate);
          const whole = 10_000n + BigInt(vatRate);
          const twiceOff = 2n * (BigInt(vat) * whole - exact);
          expect(twiceOff <= whole && twiceOff > -whole).toBe(true);
        }
      }),
    );
  });
});

describe('vatContained', () => {
  it.each([
    [20_000, 2000, 3333],
    [3333, 1000, 303],
    [120, 2000, 20],
    [3, 2000, 1],
    [2, 2000, 0],
    [1, 10_000, 1],
    [1000, 0, 0],
    [1000, null, 0],
    [0, 2000, 0],
  ])('%d at %s basis points is %d', (gross, vatRate, expected) => {
    expect(vatContained(gross, vatRate)).toBe(expected);
  });
});

describe('lines of two rates', () => {
  it('are rounded per bracket, not per line', () => {
    const three = { vatRate: 2000, gross: 3 };
    expect(taxBrackets([three, { vatRate: 1000, gross: 3333 }, three, three])).toEqual([
      { vatRate: 1000, net: 3030, vat: 303, gross: 3333 },
      { vatRate: 2000, net: 7, vat: 2, gross: 9 },
    ]);
  });
});

describe('no lines', () => {
  it('have totals of 0', () => {
    expect(totalsOf([])).toEqual({ sales: 0, discount: 0, netSales: 0, vat: 0, endSales: 0 });
    expect(bracketsOf([])).toEqual([]);
  });
});

function total(numbers: readonly number[]): number {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}

function added(brackets: readonly TaxBracket[]): { net: number; vat: number; gross: number } {
  return {
    net: total(brackets.map((bracket) => bracket.net)),
    vat: total(brackets.map((bracket) => bracket.vat)),
    gross: total(brackets.map((bracket) => bracket.gross)),
  };
}
