import { bracketsOf, totalsOf, type TaxBracket, type Totals, type VatRate } from '@back-office/kernel';
import type { FeeLine, Proforma, ProformaLine } from './proforma.js';

export interface BasketLine {
  readonly qty: number;
  /** Unit price with VAT, in minor units. */
  readonly price: number;
  readonly vatRate: VatRate;
}

export interface LinePrice {
  readonly sales: number;
  readonly discount: number;
}

/** Prices the lines of a basket. The one place where a quantity becomes an amount, for evaluation and repricing alike. */
export function priceLines<Line extends BasketLine>(lines: readonly Line[]): (Line & LinePrice)[] {
  return lines.map((line) => ({ ...line, sales: line.price * line.qty, discount: 0 }));
}

export interface Repriced extends Totals {
  readonly lines: readonly ProformaLine[];
  readonly fees: readonly FeeLine[];
}

/** The proforma's lines and totals for other confirmed quantities. With nothing confirmed the fees go too. */
export function reprice(proforma: Proforma, confirmed: (line: ProformaLine) => number): Repriced {
  const lines = priceLines(proforma.lines.map((line) => ({ ...line, qty: confirmed(line) }))).map((priced, index) => {
    const line = proforma.lines[index] as ProformaLine;
    return { ...line, qtyConfirmed: priced.qty, sales: priced.sales, discount: priced.discount };
  });
  const fees = lines.every((line) => line.qtyConfirmed === 0) ? [] : proforma.originalFees;
  return { lines, fees, ...totalsOf([...lines, ...fees]) };
}

export function proformaBrackets(proforma: Pick<Proforma, 'lines' | 'fees'>): TaxBracket[] {
  return bracketsOf([...proforma.lines, ...proforma.fees]);
}
