import { addHours, totalsOf } from '@back-office/kernel';
import { promisedVouchers, type Buyer, type EvaluatedLine, type Evaluation, type StockRow } from '../src/index.js';
import { aProforma, NOW, type Fact } from './a-proforma.js';

const { buyer, delivery } = aProforma();

/**
 * An evaluation of which the facts are true, told in their order; its totals follow from its lines.
 * Nothing said: fresh, of a signed-in customer, one line of 3 pieces of variant 101.
 */
export function anEvaluation(...facts: readonly Fact<Evaluation>[]): Evaluation {
  const told = facts.reduce((evaluation, fact) => fact(evaluation), EMPTY);
  const complete = told.lines.length === 0 ? wanting({})(told) : told;
  const totals = totalsOf([...complete.lines, ...complete.fees]);
  return { ...complete, totals, vouchers: promisedVouchers(complete.vouchers, totals.endSales) };
}

export function wanting(more: Partial<EvaluatedLine>): Fact<Evaluation> {
  const told = { ...WANTED, ...more };
  return (evaluation) => ({
    ...evaluation,
    lines: [...evaluation.lines, { ...told, sales: told.price * told.qty }],
  });
}

/** A shipment fee with 20 % VAT. */
export function charging(price: number): Fact<Evaluation> {
  const fee = { kind: 'shipment', name: 'Courier', qty: 1, price, vatRate: 2000, sales: price, discount: 0 };
  return (evaluation) => ({ ...evaluation, fees: [...evaluation.fees, fee] });
}

/** Offers vouchers with so much left on them, which pay what they can; their ids are 501, 502, … */
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
  const nobody = { id: null, dataPart: null, timePart: null };
  return (evaluation) => ({ ...evaluation, buyer: { ...evaluation.buyer, ...nobody, ...more } });
}

export function deliveredTo(more: Partial<NonNullable<Evaluation['delivery']>> | null): Fact<Evaluation> {
  return (evaluation) => ({ ...evaluation, delivery: more && delivery && { ...delivery, ...more } });
}

export function pickup(pickupPoint: Evaluation['pickupPoint']): Fact<Evaluation> {
  return (evaluation) => ({ ...evaluation, pickupPoint });
}

/** Ten pieces of variant 101 in warehouse `W1`, nothing reserved, unless told otherwise. */
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
  shipmentMethodCode: null,
  pickupPointCode: null,
  marketId: 1,
  salesChannelId: 1,
  salesChannel: 'web',
  comment: null,
  tags: [],
};
