import { addHours, defaultTerms, type Buyer, type EvaluatedLine, totalsOf } from '@back-office/kernel';
import { promisedVouchers, type Evaluation, type StockRow } from '../index.js';
import { aProforma, NOW, type Fact } from './a-proforma.js';

const { buyer, delivery } = aProforma();

/**
 * Applies the facts in order and calculates the totals. Without facts, a fresh evaluation of a customer with one line:
 * 3 pieces of variant 101.
 */
export function anEvaluation(...facts: readonly Fact<Evaluation>[]): Evaluation {
  const described = facts.reduce((evaluation, fact) => fact(evaluation), EMPTY);
  const complete = described.lines.length === 0 ? wanting({})(described) : described;
  const totals = totalsOf([...complete.lines, ...complete.fees]);
  return { ...complete, totals, vouchers: promisedVouchers(complete.vouchers, totals.endSales) };
}

export function wanting(more: Partial<EvaluatedLine>): Fact<Evaluation> {
  const line = { ...WANTED, ...more };
  return (evaluation) => ({
    ...evaluation,
    lines: [...evaluation.lines, { ...line, sales: line.price * line.qty }],
  });
}

/** A shipment fee with 20 % VAT. */
export function charging(price: number): Fact<Evaluation> {
  const fee = { kind: 'shipment', name: 'Courier', qty: 1, price, vatRate: 2000, sales: price, discount: 0 };
  return (evaluation) => ({ ...evaluation, fees: [...evaluation.fees, fee] });
}

/** Offers vouchers with these amounts left; their ids are 501, 502, … */
export function withVouchers(...available: readonly number[]): Fact<Evaluation> {
  const vouchers = available.map((left, index) => ({
    id: 501 + index,
    code: `V${index + 1}`,
    available: left,
    amount: 0,
  }));
  return (evaluation) => ({ ...evaluation, vouchers });
}

export const used: Fact<Evaluation> = (evaluation) => ({ ...evaluation, used: true });

export function stale(expiresAt = NOW): Fact<Evaluation> {
  return (evaluation) => ({ ...evaluation, expiresAt });
}

export function byGuest(more: Partial<Buyer> = {}): Fact<Evaluation> {
  const guest = { id: null, dataPart: null, timePart: null };
  return (evaluation) => ({ ...evaluation, buyer: { ...evaluation.buyer, ...guest, ...more } });
}

export function deliveredTo(more: Partial<NonNullable<Evaluation['delivery']>> | null): Fact<Evaluation> {
  return (evaluation) => ({ ...evaluation, delivery: more && delivery && { ...delivery, ...more } });
}

export function pickup(pickupPoint: Evaluation['pickupPoint']): Fact<Evaluation> {
  return (evaluation) => ({ ...evaluation, pickupPoint });
}

/** By default ten pieces of variant 101 in warehouse `W1`, none reserved. */
export function aStockRow(more: Partial<StockRow> = {}): StockRow {
  return { variantId: 101, warehouseId: 1, warehouseCode: 'W1', onHand: 10, reserved: 0, ...more };
}

const WANTED: EvaluatedLine = {
  productId: 11,
  variantId: 101,
  code: 'CODE-1',
  barcode: null,
  name: 'Product 1',
  qty: 3,
  price: 1000,
  vatRate: 2000,
  sales: 3000,
  discount: 0,
  promotions: [],
};

const EMPTY: Evaluation = {
  ...defaultTerms(),
  id: 50,
  used: false,
  expiresAt: addHours(NOW, 24),
  buyer,
  delivery,
  vouchers: [],
  pickupPoint: 'not needed',
  lines: [],
  fees: [],
  promotions: [],
  totals: totalsOf([]),
  currency: 'RSD',
};
