import { isRefusal, sum, type Refusal } from '@back-office/kernel';
import fc from 'fast-check';
import { aProforma, fee, inStatus, line, NOW, bankPayment, voucherPayment, refund } from './testing/index.js';
import { releasedVouchers } from './benefits.js';
import { cancel, convert } from './close.js';
import { debtOf, paidAmountOf } from './payments.js';
import { proformaBrackets } from './pricing.js';
import type { Payment, Proforma } from './proforma.js';
import { ALREADY_FINAL } from './refusals.js';
import { warehouseConfirm, type Adjustment } from './warehouse-confirm.js';

function confirmWith(proforma: Proforma, ...adjustments: readonly Adjustment[]): Proforma | Refusal {
  return warehouseConfirm(proforma, { adjustments, now: NOW });
}

function confirmQuantities(proforma: Proforma, quantities: Readonly<Record<number, number>> = {}): Proforma {
  const adjustments = Object.entries(quantities).map(([id, qtyConfirmed]) => ({ lineId: Number(id), qtyConfirmed }));
  const result = confirmWith(proforma, ...adjustments);
  if (isRefusal(result)) throw new Error(result.refused);
  return result;
}

function withPaymentIds(proforma: Proforma, statusOfPending?: Payment['status']): Proforma {
  const payments = proforma.payments.map((entry, index) => ({
    ...entry,
    id: index + 1,
    ...(entry.status === 'pending' && statusOfPending && { status: statusOfPending }),
  }));
  return { ...proforma, payments };
}

const twoLines = [line({ qty: 3, price: 1000, vatRate: 2000 }), line({ qty: 2, price: 550, vatRate: 1000 }), fee(300)];

describe('warehouseConfirm with full quantities', () => {
  it.each([
    ['no line', {}],
    ['one of two lines', { 1: 3 }],
    ['both lines', { 1: 3, 2: 2 }],
  ])('keeps the amounts when the call lists %s', (_, quantities) => {
    const proforma = aProforma(...twoLines, bankPayment(1000));
    const next = confirmQuantities(proforma, quantities);
    expect(next).toMatchObject({ status: 'confirmed', warehouseConfirmedAt: NOW, updatedAt: NOW });
    expect(next.lines.map((productLine) => productLine.qtyConfirmed)).toEqual([3, 2]);
    expect(next.payments).toEqual(proforma.payments);
    expect([next.sales, next.discount, next.netSales, next.vat, next.endSales]).toEqual([4400, 0, 3750, 650, 4400]);
    expect(next.fees).toEqual(proforma.fees.map((shippingFee) => ({ ...shippingFee, qtyConfirmed: 1 })));
  });
});

describe('warehouseConfirm with fewer pieces', () => {
  const next = confirmQuantities(aProforma(...twoLines), { 1: 1 });

  it('confirms omitted lines in full', () => {
    expect(next.status).toBe('partial_confirmed');
    expect(next.lines.map((productLine) => [productLine.qty, productLine.qtyConfirmed])).toEqual([
      [3, 1],
      [2, 2],
    ]);
  });

  it('reprices the proforma, including fees', () => {
    expect(next.lines.map((productLine) => productLine.sales)).toEqual([1000, 1100]);
    expect(next).toMatchObject({ sales: 2400, discount: 0, endSales: 2400, vat: 317, netSales: 2083 });
    expect(proformaBrackets(next)).toEqual([
      { vatRate: 1000, net: 1000, vat: 100, gross: 1100 },
      { vatRate: 2000, net: 1083, vat: 217, gross: 1300 },
    ]);
  });

  it('refunds nothing when nothing is overpaid', () => {
    expect(next.payments).toEqual([]);
    expect(confirmQuantities(aProforma(line(), bankPayment(1000)), { 1: 1 }).payments).toHaveLength(1);
  });

  it('refunds the overpaid amount, newest payment first, vouchers last', () => {
    const reducedProforma = confirmQuantities(
      aProforma(line(), bankPayment(500), voucherPayment(1500), bankPayment(1000)),
      { 1: 1 },
    );
    expect(
      reducedProforma.payments.slice(3).map((payment) => [payment.refundOf, payment.amount, payment.status]),
    ).toEqual([
      [3, -1000, 'pending'],
      [1, -500, 'pending'],
      [2, -500, 'refunded'],
    ]);
  });

  it('stays partial_confirmed when paid in full', () => {
    expect(confirmQuantities(aProforma(line(), bankPayment(3000), inStatus('paid')), { 1: 2 }).status).toBe(
      'partial_confirmed',
    );
  });
});

describe('warehouseConfirm with an adjustment of a fee', () => {
  const proforma = aProforma(...twoLines, bankPayment(4400));
  const id = proforma.fees[0]?.id ?? 0;

  it('drops the fee and refunds it; a later call without it restores the fee', () => {
    const next = confirmQuantities(proforma, { [id]: 0 });
    expect(next).toMatchObject({ status: 'partial_confirmed', endSales: 4100, fees: [{ qtyConfirmed: 0, sales: 0 }] });
    expect(next.payments.at(-1)).toMatchObject({ amount: -300, status: 'pending' });
    expect(confirmQuantities(next, {})).toMatchObject({ status: 'confirmed', endSales: 4400 });
  });

  it('refuses more than was requested', () => {
    const facts = { adjustments: [{ lineId: id, qtyConfirmed: 2 }], now: NOW };
    expect(warehouseConfirm(proforma, facts)).toMatchObject({ refused: 'is invalid' });
  });
});

describe('warehouseConfirm with zero quantities', () => {
  const next = confirmQuantities(aProforma(...twoLines, bankPayment(1000), voucherPayment(400), bankPayment(3000)), {
    1: 0,
    2: 0,
  });

  it('drops the fees and leaves a total of 0', () => {
    expect(next.status).toBe('partial_confirmed');
    expect(next.fees).toMatchObject([{ qtyConfirmed: 0, sales: 0 }]);
    expect(next).toMatchObject({ sales: 0, discount: 0, netSales: 0, vat: 0, endSales: 0 });
  });

  it('refunds everything', () => {
    expect(next.payments.slice(3).map((payment) => [payment.refundOf, payment.amount])).toEqual([
      [3, -3000],
      [1, -1000],
      [2, -400],
    ]);
  });

  it('restores fees and amounts when pieces are confirmed later', () => {
    const correctedProforma = confirmQuantities(next, { 1: 1 });
    expect(correctedProforma.fees).toMatchObject([{ qtyConfirmed: 1, sales: 300 }]);
    expect(correctedProforma.endSales).toBe(2400);
  });
});

describe('a repeated warehouseConfirm', () => {
  it('changes no amount and refunds nothing again', () => {
    const confirmedProforma = withPaymentIds(confirmQuantities(aProforma(line(), bankPayment(3000)), { 1: 1 }));
    const reconfirmedProforma = confirmQuantities(confirmedProforma, { 1: 1 });
    expect(reconfirmedProforma).toEqual(confirmedProforma);
    expect(confirmQuantities(withPaymentIds(confirmedProforma, 'refunded'), { 1: 1 }).payments).toHaveLength(2);
  });

  it('does not refund again after a failed refund', () => {
    const proformaWithFailedRefund = withPaymentIds(
      confirmQuantities(aProforma(line(), bankPayment(3000)), { 1: 1 }),
      'refund_failed',
    );
    expect(confirmQuantities(proformaWithFailedRefund, { 1: 1 }).payments.slice(2)).toEqual([]);
    expect(confirmQuantities(proformaWithFailedRefund, { 1: 0 }).payments.slice(2)).toMatchObject([
      { amount: -1000, refundOf: 1 },
    ]);
  });

  it('confirms omitted lines at their requested quantities', () => {
    const reducedProforma = confirmQuantities(aProforma(...twoLines), { 1: 1 });
    const next = confirmQuantities(reducedProforma, { 2: 1 });
    expect(next.lines.map((productLine) => productLine.qtyConfirmed)).toEqual([3, 1]);
    expect(confirmQuantities(next)).toMatchObject({ status: 'confirmed', endSales: 4400 });
  });

  it('counts refunded money as debt when quantities rise again', () => {
    const reducedProforma = withPaymentIds(
      confirmQuantities(aProforma(line(), bankPayment(3000)), { 1: 1 }),
      'refunded',
    );
    const raisedProforma = confirmQuantities(reducedProforma, { 1: 2 });
    expect(raisedProforma).toMatchObject({ status: 'partial_confirmed', endSales: 2000 });
    expect(raisedProforma.payments).toHaveLength(2);
    expect(debtOf(raisedProforma)).toBe(1000);
  });

  it('refunds only the difference when quantities fall further', () => {
    const reducedProforma = withPaymentIds(confirmQuantities(aProforma(line(), bankPayment(3000)), { 1: 2 }));
    expect(confirmQuantities(reducedProforma, { 1: 1 }).payments.slice(2)).toMatchObject([
      { amount: -1000, refundOf: 1 },
    ]);
  });
});

describe('warehouseConfirm with invalid adjustments', () => {
  const proforma = aProforma(...twoLines, bankPayment(4400), refund(1, 100, 'refund_failed'));
  const validAdjustment = { lineId: 2, qtyConfirmed: 1 };

  it.each([-1, 4, 1.5, Number.NaN, Infinity, '2', '', true, [1], {}])(
    'refuses the quantity %p with its field',
    (qtyConfirmed) => {
      expect(confirmWith(proforma, validAdjustment, { lineId: 1, qtyConfirmed })).toEqual({
        refused: 'is invalid',
        field: 'adjustments.1.qty_confirmed',
      });
    },
  );

  it.each([null, undefined])('refuses the missing quantity %p with its field', (qtyConfirmed) => {
    expect(confirmWith(proforma, validAdjustment, { lineId: 1, qtyConfirmed })).toEqual({
      refused: "can't be blank",
      field: 'adjustments.1.qty_confirmed',
    });
  });

  it.each([0, 3, 99, -1, Number.NaN])('refuses the unknown item %p', (lineId) => {
    expect(confirmWith(proforma, validAdjustment, { lineId, qtyConfirmed: 1 })).toEqual({
      refused: 'is invalid',
      field: 'adjustments.1.proforma_order_item_id',
    });
  });

  it('refuses an item that occurs twice', () => {
    expect(confirmWith(proforma, validAdjustment, { lineId: 1, qtyConfirmed: 3 }, validAdjustment)).toEqual({
      refused: 'is invalid',
      field: 'adjustments.2.proforma_order_item_id',
    });
  });

  it('ignores the adjustments of a final proforma', () => {
    const finalProforma = aProforma(inStatus('expired'));
    expect(confirmWith(finalProforma, { lineId: 99, qtyConfirmed: -1 })).toEqual(ALREADY_FINAL);
  });
});

describe('warehouseConfirm with any quantities', () => {
  const lineFields = fc.record({
    qty: fc.integer({ min: 1, max: 50 }),
    price: fc.nat(1e7),
    vatRate: fc.constantFrom(0, 1000, 2000),
    confirmed: fc.nat(50),
  });

  it('returns consistent totals and refunds everything above the total', () => {
    fc.assert(
      fc.property(
        fc.array(lineFields, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(1e8), { maxLength: 4 }),
        (lines, payments) => {
          const proforma = aProforma(...lines.map((fields) => line(fields)), fee(990), ...payments.map(bankPayment));
          const quantities = lines.map(({ qty, confirmed: pieces }) => Math.min(pieces, qty));
          const next = confirmQuantities(
            proforma,
            Object.fromEntries(quantities.map((qty, index) => [index + 1, qty])),
          );

          const pieces = quantities.reduce((total, qty) => total + qty, 0);
          const goodsTotal = lines.reduce((total, { price }, index) => total + price * (quantities[index] ?? 0), 0);
          expect(next.endSales).toBe(pieces === 0 ? 0 : goodsTotal + 990);
          expect(next.endSales).toBe(next.sales - next.discount);
          expect(next.endSales).toBe(next.netSales + next.vat);
          expect(next.endSales).toBeLessThanOrEqual(next.originalEndSales);

          const capturedAmount = payments.reduce((total, amount) => total + amount, 0);
          const refundedAmount = next.payments.slice(payments.length).reduce((total, { amount }) => total - amount, 0);
          expect(refundedAmount).toBe(Math.max(capturedAmount - next.endSales, 0));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('vouchers after a later warehouseConfirm changes the total', () => {
  const voucherPayments = ({ payments }: Proforma): number[] =>
    payments.filter(({ kind }) => kind === 'voucher').map(({ amount }) => amount);

  it('pay the refunded part again, up to the debt', () => {
    const reducedProforma = withPaymentIds(
      confirmQuantities(aProforma(line({ qty: 5, price: 100 }), voucherPayment(500)), { 1: 2 }),
    );
    expect(voucherPayments(confirmQuantities(reducedProforma))).toEqual([500, -300, 300]);
    expect(voucherPayments(confirmQuantities(reducedProforma, { 1: 4 }))).toEqual([500, -300, 200]);
    expect(confirmQuantities(reducedProforma).payments.at(-1)).toMatchObject({
      id: 0,
      voucherId: 500,
      status: 'settled',
      date: NOW,
    });
  });

  it('do not pay the part that money covers', () => {
    const reducedProforma = withPaymentIds(
      confirmQuantities(aProforma(line({ qty: 5, price: 100 }), voucherPayment(500)), { 1: 2 }),
    );
    const proformaWithMoney = withPaymentIds(bankPayment(200)(reducedProforma));
    expect(voucherPayments(confirmQuantities(proformaWithMoney))).toEqual([500, -300, 100]);
  });

  it('pay the part of the total that money does not cover, after every change', () => {
    const voucherAmounts = fc.array(fc.integer({ min: 1, max: 450 }), { minLength: 1, maxLength: 2 });
    const corrections = fc.array(fc.nat(9), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        voucherAmounts,
        fc.nat(900),
        corrections,
        fc.boolean(),
        (vouchers, cash, quantities, isConvertible) => {
          const voucherTotal = sum(vouchers);
          const money = Math.min(cash, 900 - voucherTotal);
          const paymentTraits = [
            ...vouchers.map((amount, index) => voucherPayment(amount, 500 + index)),
            bankPayment(money),
          ];
          let proforma = aProforma(line({ qty: 9, price: 100 }), ...paymentTraits.slice(0, money > 0 ? undefined : -1));
          for (const qty of quantities) {
            proforma = withPaymentIds(confirmQuantities(proforma, { 1: qty }), 'refunded');
            const paidByVouchers = sum(voucherPayments(proforma));
            const remainingTotal = proforma.endSales - (paidAmountOf(proforma.payments) - paidByVouchers);
            expect([proforma.endSales, paidByVouchers]).toEqual([qty * 100, Math.min(voucherTotal, remainingTotal)]);
          }
          const isConverted = isConvertible && quantities.at(-1) !== 0;
          const spent = releasedVouchers(proforma, closeProforma(proforma, isConverted)).map(
            (releasedVoucher) => releasedVoucher.spent,
          );
          expect(spent).toHaveLength(vouchers.length);
          expect(sum(spent)).toBe(isConverted ? sum(voucherPayments(proforma)) : 0);
          for (const [index, amount] of spent.entries()) expect(amount).toBeLessThanOrEqual(vouchers[index] ?? 0);
        },
      ),
    );
  });
});

function closeProforma(proforma: Proforma, isConverted: boolean): Proforma {
  const result = isConverted
    ? convert(proforma, { orderNumber: 'O-2026-12345678', amountPerPoint: 0, now: NOW })
    : cancel(proforma, { reason: null, now: NOW });
  if (isRefusal(result)) throw new Error(result.refused);
  return result;
}
