import { refuse, type Refusal } from '@back-office/kernel';
import { repeatVoucherPayments } from './benefits.js';
import { withdrawRefunds } from './owed-refunds.js';
import { refundsDownTo } from './payments.js';
import { reprice } from './pricing.js';
import type { Proforma, ProformaFee, ProformaLine } from './proforma.js';
import { decide, type Guard } from './transitions.js';

export interface Adjustment {
  readonly lineId: number;
  readonly qtyConfirmed: unknown;
}

export interface ConfirmFacts {
  readonly adjustments: readonly Adjustment[];
  readonly now: Date;
}

const checkLinesExist: Guard<ConfirmFacts> = (proforma, { adjustments }) =>
  checkEach(adjustments, 'proforma_order_item_id', ({ lineId }) => findPart(proforma, lineId) !== undefined);

const checkLinesUnique: Guard<ConfirmFacts> = (_, { adjustments }) =>
  checkEach(
    adjustments,
    'proforma_order_item_id',
    ({ lineId }, index) => adjustments.findIndex((candidate) => candidate.lineId === lineId) === index,
  );

const checkQuantitiesPresent: Guard<ConfirmFacts> = (_, { adjustments }) =>
  checkEach(
    adjustments,
    'qty_confirmed',
    ({ qtyConfirmed }) => qtyConfirmed !== undefined && qtyConfirmed !== null,
    "can't be blank",
  );

const checkQuantities: Guard<ConfirmFacts> = (proforma, { adjustments }) =>
  checkEach(adjustments, 'qty_confirmed', ({ lineId, qtyConfirmed }) => {
    const requestedQty = findPart(proforma, lineId)?.qty ?? 0;
    return Number.isInteger(qtyConfirmed) && Number(qtyConfirmed) >= 0 && Number(qtyConfirmed) <= requestedQty;
  });

/**
 * Confirms every line and fee; omitted ones are confirmed in full, and a fee of 0 is dropped. Each call starts from the
 * requested quantities, so it may raise an earlier confirmation. Money above the new total becomes pending refunds. If
 * the total rises again, refused refunds are withdrawn and refunded vouchers pay again.
 */
export function warehouseConfirm(proforma: Proforma, facts: ConfirmFacts): Proforma | Refusal {
  const guards = [checkLinesExist, checkLinesUnique, checkQuantitiesPresent, checkQuantities];
  return decide({ action: 'warehouse_confirm', guards, apply: confirm }, proforma, facts);
}

function confirm(proforma: Proforma, { adjustments, now }: ConfirmFacts): Proforma {
  const confirmedQuantities = new Map(
    adjustments.map((adjustment) => [adjustment.lineId, Number(adjustment.qtyConfirmed)]),
  );
  const repricedSale = reprice(proforma, (line) => confirmedQuantities.get(line.id) ?? line.qty);
  const repricedProforma = withdrawRefunds({ ...proforma, ...repricedSale }, now);
  const payments = [
    ...repricedProforma.payments,
    ...refundsDownTo(repricedSale.endSales, repricedProforma.payments, now),
  ];
  const isReduced = [...repricedSale.lines, ...repricedSale.fees].some(({ qty, qtyConfirmed }) => qtyConfirmed !== qty);
  return {
    ...repricedProforma,
    payments: [...payments, ...repeatVoucherPayments({ endSales: repricedSale.endSales, payments }, now)],
    status: isReduced ? 'partial_confirmed' : 'confirmed',
    warehouseConfirmedAt: now,
    updatedAt: now,
  };
}

function findPart({ lines, fees }: Proforma, id: number): ProformaLine | ProformaFee | undefined {
  return [...lines, ...fees].find((part) => part.id === id);
}

function checkEach(
  adjustments: readonly Adjustment[],
  field: string,
  isValid: (adjustment: Adjustment, index: number) => boolean,
  rule = 'is invalid',
): Refusal | undefined {
  const index = adjustments.findIndex((adjustment, position) => !isValid(adjustment, position));
  return index < 0 ? undefined : refuse(rule, `adjustments.${index}.${field}`);
}
