import { addHours, defaultTerms, type Buyer, type EvaluatedLine, totalsOf } from '@back-office/kernel';
import { promisedVouchers, type Evaluation, type StockRow } from '../index.js';
import { aProforma, NOW, type Trait } from './a-proforma.js';

const { buyer, delivery } = aProforma();

/**
 * Applies the traits in order and calculates the totals. Without traits, returns a fresh evaluation of a customer with
 * one line: 3 pieces of variant 101.
 */
export function anEvaluation(...traits: readonly Trait<Evaluation>[]): Evaluation {
  const draftEvaluation = traits.reduce((evaluation, trait) => trait(evaluation), EMPTY_EVALUATION);
  const evaluationWithLines = draftEvaluation.lines.length === 0 ? withLine({})(draftEvaluation) : draftEvaluation;
  const totals = totalsOf([...evaluationWithLines.lines, ...evaluationWithLines.fees]);
  return { ...evaluationWithLines, totals, vouchers: promisedVouchers(evaluationWithLines.vouchers, totals.endSales) };
}

export function withLine(overrides: Partial<EvaluatedLine>): Trait<Evaluation> {
  const line = { ...LINE, ...overrides };
  return (evaluation) => ({
    ...evaluation,
    lines: [...evaluation.lines, { ...line, sales: line.price * line.qty }],
  });
}

export function withFee(price: number): Trait<Evaluation> {
  const fee = { kind: 'shipment', name: 'Courier', qty: 1, price, vatRate: 2000, sales: price, discount: 0 };
  return (evaluation) => ({ ...evaluation, fees: [...evaluation.fees, fee] });
}

export function withVouchers(...available: readonly number[]): Trait<Evaluation> {
  const vouchers = available.map((availableAmount, index) => ({
    id: 501 + index,
    code: `V${index + 1}`,
    available: availableAmount,
    amount: 0,
  }));
  return (evaluation) => ({ ...evaluation, vouchers });
}

export const asUsed: Trait<Evaluation> = (evaluation) => ({ ...evaluation, used: true });

export function asExpired(expiresAt = NOW): Trait<Evaluation> {
  return (evaluation) => ({ ...evaluation, expiresAt });
}

export function withGuest(overrides: Partial<Buyer> = {}): Trait<Evaluation> {
  const guest = { id: null, dataPart: null, timePart: null };
  return (evaluation) => ({ ...evaluation, buyer: { ...evaluation.buyer, ...guest, ...overrides } });
}

export function withDelivery(overrides: Partial<NonNullable<Evaluation['delivery']>> | null): Trait<Evaluation> {
  return (evaluation) => ({ ...evaluation, delivery: overrides && delivery && { ...delivery, ...overrides } });
}

export function withPickupPoint(pickupPoint: Evaluation['pickupPoint']): Trait<Evaluation> {
  return (evaluation) => ({ ...evaluation, pickupPoint });
}

export function aStockRow(overrides: Partial<StockRow> = {}): StockRow {
  return { variantId: 101, warehouseId: 1, warehouseCode: 'W1', onHand: 10, reserved: 0, ...overrides };
}

const LINE: EvaluatedLine = {
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

const EMPTY_EVALUATION: Evaluation = {
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
