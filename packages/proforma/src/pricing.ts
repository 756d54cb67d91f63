import { allocate, bracketsOf, sum, totalsOf, type TaxBracket, type Totals } from '@back-office/kernel';
import type { FeeLine, Proforma, ProformaLine } from './proforma.js';
import { priceLines, type LinePrice } from './promotions.js';

export interface Repriced extends Totals {
  readonly lines: readonly ProformaLine[];
  readonly fees: readonly FeeLine[];
}

/**
 * The proforma's lines and totals for other confirmed quantities, with the promotions it was made with.
 * With nothing confirmed the fees go too. The total never exceeds the original one.
 */
export function reprice(proforma: Proforma, confirmed: (line: ProformaLine) => number): Repriced {
  const wanted = proforma.lines.map((line) => ({ ...line, qty: confirmed(line) }));
  const fees = wanted.every((line) => line.qty === 0) ? [] : proforma.originalFees;
  const priced = cutTo(proforma.originalEndSales - totalsOf(fees).endSales, priceLines(wanted, proforma.promotions));
  const lines = priced.map((line, index) => ({
    ...line,
    qty: (proforma.lines[index] as ProformaLine).qty,
    qtyConfirmed: line.qty,
  }));
  return { lines, fees, ...totalsOf([...lines, ...fees]) };
}

export function proformaBrackets(proforma: Pick<Proforma, 'lines' | 'fees'>): TaxBracket[] {
  return bracketsOf([...proforma.lines, ...proforma.fees]);
}

const CUT = { code: 'original_total', name: 'Never above the original total' };

/** Fewer pieces may earn less of a promotion; what would exceed the offer is taken off the lines by largest remainder. */
function cutTo<Line extends LinePrice>(most: number, lines: readonly Line[]): readonly Line[] {
  const left = lines.map((line) => line.sales - line.discount);
  const excess = sum(left) - most;
  if (excess <= 0) return lines;
  const cuts = allocate(excess, left);
  return lines.map((line, index) => {
    const amount = cuts[index] ?? 0;
    if (amount === 0) return line;
    return { ...line, discount: line.discount + amount, promotions: [...line.promotions, { ...CUT, amount }] };
  });
}
