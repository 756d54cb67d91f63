import { divideRounded, sum } from './money.js';

/** Basis points: 2000 is 20 %. Null means that no rate is set; calculations then use 0 %. */
export type VatRate = number | null;

export interface GrossLine {
  readonly vatRate: VatRate;
  readonly gross: number;
}

export interface TaxBracket {
  readonly vatRate: number;
  readonly net: number;
  readonly vat: number;
  readonly gross: number;
}

export function vatContained(gross: number, vatRate: VatRate): number {
  const rate = BigInt(vatRate ?? 0);
  return divideRounded(BigInt(gross) * rate, 10_000n + rate);
}

/**
 * Returns one bracket per rate, lowest first. VAT is rounded once per bracket, so that net + VAT = gross in each
 * bracket and in total.
 */
export function taxBrackets(lines: readonly GrossLine[]): TaxBracket[] {
  const grossByRate = new Map<number, number>();
  for (const { vatRate, gross } of lines) {
    grossByRate.set(vatRate ?? 0, (grossByRate.get(vatRate ?? 0) ?? 0) + gross);
  }
  return [...grossByRate]
    .sort(([a], [b]) => a - b)
    .map(([vatRate, gross]) => {
      const vat = vatContained(gross, vatRate);
      return { vatRate, net: gross - vat, vat, gross };
    });
}

export interface Totals {
  readonly sales: number;
  readonly discount: number;
  readonly netSales: number;
  readonly vat: number;
  readonly endSales: number;
}

export interface PricedLine {
  readonly vatRate: VatRate;
  readonly sales: number;
  readonly discount: number;
}

/** The result satisfies `endSales = sales - discount = netSales + vat`. */
export function totalsOf(lines: readonly PricedLine[]): Totals {
  const sales = sum(lines.map((line) => line.sales));
  const discount = sum(lines.map((line) => line.discount));
  const vat = sum(bracketsOf(lines).map((bracket) => bracket.vat));
  return { sales, discount, netSales: sales - discount - vat, vat, endSales: sales - discount };
}

export function bracketsOf(lines: readonly PricedLine[]): TaxBracket[] {
  return taxBrackets(lines.map((line) => ({ vatRate: line.vatRate, gross: line.sales - line.discount })));
}
