import { allocate, bracketsOf, sum, type TaxBracket, type Totals, totalsOf } from '@back-office/kernel';
import type { Proforma, ProformaFee, ProformaLine } from './proforma.js';
import { priceLines, type LinePrice } from './promotions.js';

export interface RepricedSale extends Totals {
  readonly lines: readonly ProformaLine[];
  readonly fees: readonly ProformaFee[];
}

/** Prices the confirmed quantities with the frozen promotions. The total never exceeds the original one. */
export function reprice(proforma: Proforma, confirmedQty: (line: ProformaLine | ProformaFee) => number): RepricedSale {
  const confirmedLines = proforma.lines.map((line) => ({ ...line, qty: confirmedQty(line) }));
  const isEmpty = confirmedLines.every(({ qty }) => qty === 0);
  const fees = proforma.fees.map((fee) => confirmFee(fee, isEmpty ? 0 : confirmedQty(fee)));
  const pricedLines = capTotal(
    proforma.originalEndSales - totalsOf(fees).endSales,
    priceLines(confirmedLines, proforma.promotions),
  );
  const lines = pricedLines.map((line, index) => ({
    ...line,
    qty: (proforma.lines[index] as ProformaLine).qty,
    qtyConfirmed: line.qty,
  }));
  return { lines, fees, ...totalsOf([...lines, ...fees]) };
}

/** Promotions give no discount on fees. */
export function confirmFee(fee: ProformaFee, qtyConfirmed: number): ProformaFee {
  return { ...fee, qtyConfirmed, sales: fee.price * qtyConfirmed };
}

export function keptFees({ fees }: Pick<Proforma, 'fees'>): ProformaFee[] {
  return fees.filter(({ qtyConfirmed }) => qtyConfirmed !== 0);
}

export function proformaBrackets(proforma: Pick<Proforma, 'lines' | 'fees'>): TaxBracket[] {
  return bracketsOf([...proforma.lines, ...keptFees(proforma)]);
}

const CAP_DISCOUNT = { code: 'original_total', name: 'Never above the original total' };

/**
 * Reduces the lines to a total of `max` by largest remainder. Fewer pieces may earn a smaller discount and so cost
 * more.
 */
function capTotal<Line extends LinePrice>(max: number, lines: readonly Line[]): readonly Line[] {
  const remainingAmounts = lines.map((line) => line.sales - line.discount);
  const excess = sum(remainingAmounts) - max;
  if (excess <= 0) return lines;
  const reductions = allocate(excess, remainingAmounts);
  return lines.map((line, index) => {
    const amount = reductions[index] ?? 0;
    if (amount === 0) return line;
    return { ...line, discount: line.discount + amount, promotions: [...line.promotions, { ...CAP_DISCOUNT, amount }] };
  });
}
