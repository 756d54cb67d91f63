import fc from 'fast-check';
import { bracketsOf, taxBrackets, totalsOf, vatContained, type PricedLine, type TaxBracket } from './vat.js';

const rates = fc.option(fc.constantFrom(0, 1, 500, 800, 1000, 2000, 2500, 10_000), { nil: null });
const anyLine: fc.Arbitrary<PricedLine> = fc
  .record({ vatRate: rates, sales: fc.nat(1e12), share: fc.nat(1000) })
  .map(({ vatRate, sales, share }) => ({ vatRate, sales, discount: Math.floor((sales / 1000) * share) }));
const lineLists = fc.array(anyLine, { maxLength: 12 });

describe('totalsOf', () => {
  it('satisfies end_sales = sales - discount = net_sales + vat', () => {
    fc.assert(
      fc.property(lineLists, (lines) => {
        const { sales, discount, netSales, vat, endSales } = totalsOf(lines);
        expect(sales).toBe(sumOf(lines.map((line) => line.sales)));
        expect(discount).toBe(sumOf(lines.map((line) => line.discount)));
        expect(endSales).toBe(sales - discount);
        expect(endSales).toBe(netSales + vat);
      }),
      { numRuns: 500 },
    );
  });

  it('equals the sums of the tax brackets', () => {
    fc.assert(
      fc.property(lineLists, (lines) => {
        const { netSales, vat, endSales } = totalsOf(lines);
        const brackets = bracketsOf(lines);
        expect(sumBrackets(brackets)).toEqual({ net: netSales, vat, gross: endSales });
        expect(brackets.every((bracket) => bracket.net + bracket.vat === bracket.gross)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('bracketsOf', () => {
  it('returns each rate once, lowest first, and counts a missing rate as 0', () => {
    fc.assert(
      fc.property(lineLists, (lines) => {
        const expectedRates = [...new Set(lines.map((line) => line.vatRate ?? 0))].sort((a, b) => a - b);
        expect(bracketsOf(lines).map((bracket) => bracket.vatRate)).toEqual(expectedRates);
      }),
    );
  });

  it('rounds the VAT of a bracket half away from zero', () => {
    fc.assert(
      fc.property(lineLists, (lines) => {
        for (const { vatRate, vat, gross } of bracketsOf(lines)) {
          const dividend = BigInt(gross) * BigInt(vatRate);
          const divisor = 10_000n + BigInt(vatRate);
          const doubledError = 2n * (BigInt(vat) * divisor - dividend);
          expect(doubledError <= divisor && doubledError > -divisor).toBe(true);
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
  ])('of %d at %s basis points is %d', (gross, vatRate, expected) => {
    expect(vatContained(gross, vatRate)).toBe(expected);
  });
});

describe('taxBrackets of lines with two rates', () => {
  it('rounds once per bracket, not once per line', () => {
    const smallLine = { vatRate: 2000, gross: 3 };
    expect(taxBrackets([smallLine, { vatRate: 1000, gross: 3333 }, smallLine, smallLine])).toEqual([
      { vatRate: 1000, net: 3030, vat: 303, gross: 3333 },
      { vatRate: 2000, net: 7, vat: 2, gross: 9 },
    ]);
  });
});

describe('an empty list of lines', () => {
  it('has totals of 0 and no brackets', () => {
    expect(totalsOf([])).toEqual({ sales: 0, discount: 0, netSales: 0, vat: 0, endSales: 0 });
    expect(bracketsOf([])).toEqual([]);
  });
});

function sumOf(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

function sumBrackets(brackets: readonly TaxBracket[]): { net: number; vat: number; gross: number } {
  return {
    net: sumOf(brackets.map((bracket) => bracket.net)),
    vat: sumOf(brackets.map((bracket) => bracket.vat)),
    gross: sumOf(brackets.map((bracket) => bracket.gross)),
  };
}
