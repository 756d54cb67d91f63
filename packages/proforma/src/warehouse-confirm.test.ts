import { isRefusal, sum, type Refusal } from '@back-office/kernel';
import fc from 'fast-check';
import { aProforma, fee, inStatus, line, NOW, paid, paidByVoucher, refund } from '../testing/index.js';
import { vouchersLetGo } from './benefits.js';
import { cancel, convert } from './close.js';
import { debtOf, paidOf } from './payments.js';
import { proformaBrackets } from './pricing.js';
import type { Payment, Proforma } from './proforma.js';
import { ALREADY_FINAL } from './refusals.js';
import { warehouseConfirm, type Adjustment } from './warehouse-confirm.js';

function confirming(proforma: Proforma, ...adjustments: readonly Adjustment[]): Proforma | Refusal {
  return warehouseConfirm(proforma, { adjustments, now: NOW });
}

/** Confirms these quantities by line id; lines left out are not named. */
function confirmed(proforma: Proforma, quantities: Readonly<Record<number, number>> = {}): Proforma {
  const adjustments = Object.entries(quantities).map(([id, qtyConfirmed]) => ({ lineId: Number(id), qtyConfirmed }));
  const outcome = confirming(proforma, ...adjustments);
  if (isRefusal(outcome)) throw new Error(outcome.refused);
  return outcome;
}

/** Payments as the store would give them back: each with an id. */
function stored(proforma: Proforma, settled?: Payment['status']): Proforma {
  const payments = proforma.payments.map((each, index) => ({
    ...each,
    id: index + 1,
    ...(each.status === 'pending' && settled && { status: settled }),
  }));
  return { ...proforma, payments };
}

const twoLines = [line({ qty: 3, price: 1000, vatRate: 2000 }), line({ qty: 2, price: 550, vatRate: 1000 }), fee(300)];

describe('a warehouse that confirms everything', () => {
  it.each([
    ['without naming a line', {}],
    ['naming one of two', { 1: 3 }],
    ['naming both', { 1: 3, 2: 2 }],
  ])('%s leaves the amounts as they were', (_, quantities) => {
    const proforma = aProforma(...twoLines, paid(1000));
    const next = confirmed(proforma, quantities);
    expect(next).toMatchObject({ status: 'confirmed', warehouseConfirmedAt: NOW, updatedAt: NOW });
    expect(next.lines.map((each) => each.qtyConfirmed)).toEqual([3, 2]);
    expect(next.payments).toEqual(proforma.payments);
    expect([next.sales, next.discount, next.netSales, next.vat, next.endSales]).toEqual([4400, 0, 3750, 650, 4400]);
    expect(next.fees).toEqual(proforma.fees);
  });
});

describe('a warehouse that confirms less', () => {
  const next = confirmed(aProforma(...twoLines), { 1: 1 });

  it('confirms in part, and in full what it left out', () => {
    expect(next.status).toBe('partial_confirmed');
    expect(next.lines.map((each) => [each.qty, each.qtyConfirmed])).toEqual([
      [3, 1],
      [2, 2],
    ]);
  });

  it('has the proforma repriced, fees included', () => {
    expect(next.lines.map((each) => each.sales)).toEqual([1000, 1100]);
    expect(next).toMatchObject({ sales: 2400, discount: 0, endSales: 2400, vat: 317, netSales: 2083 });
    expect(proformaBrackets(next)).toEqual([
      { vatRate: 1000, net: 1000, vat: 100, gross: 1100 },
      { vatRate: 2000, net: 1083, vat: 217, gross: 1300 },
    ]);
  });

  it('asks nobody for money and gives none back when nothing was overpaid', () => {
    expect(next.payments).toEqual([]);
    expect(confirmed(aProforma(line(), paid(1000)), { 1: 1 }).payments).toHaveLength(1);
  });

  it('gives back what was overpaid, the newest payment first and vouchers last', () => {
    const told = confirmed(aProforma(line(), paid(500), paidByVoucher(1500), paid(1000)), { 1: 1 });
    expect(told.payments.slice(3).map((each) => [each.refundOf, each.amount, each.status])).toEqual([
      [3, -1000, 'pending'],
      [1, -500, 'pending'],
      [2, -500, 'refunded'],
    ]);
  });

  it('stays partly confirmed when it was paid in full', () => {
    expect(confirmed(aProforma(line(), paid(3000), inStatus('paid')), { 1: 2 }).status).toBe('partial_confirmed');
  });
});

describe('a warehouse that confirms nothing', () => {
  const next = confirmed(aProforma(...twoLines, paid(1000), paidByVoucher(400), paid(3000)), { 1: 0, 2: 0 });

  it('leaves a proforma without fees that comes to 0', () => {
    expect(next.status).toBe('partial_confirmed');
    expect(next.fees).toEqual([]);
    expect(next).toMatchObject({ sales: 0, discount: 0, netSales: 0, vat: 0, endSales: 0 });
  });

  it('gives everything back', () => {
    expect(next.payments.slice(3).map((each) => [each.refundOf, each.amount])).toEqual([
      [3, -3000],
      [1, -1000],
      [2, -400],
    ]);
  });

  it('gets its fees and amounts back when it confirms something after all', () => {
    const again = confirmed(next, { 1: 1 });
    expect(again.fees).toEqual(aProforma(...twoLines).fees);
    expect(again.endSales).toBe(2400);
  });
});

describe('a confirmation that is repeated', () => {
  it('changes no amount and gives nothing back twice', () => {
    const once = stored(confirmed(aProforma(line(), paid(3000)), { 1: 1 }));
    const twice = confirmed(once, { 1: 1 });
    expect(twice).toEqual(once);
    expect(confirmed(stored(once, 'refunded'), { 1: 1 }).payments).toHaveLength(2);
  });

  it('leaves what could not be refunded to the person who was alerted', () => {
    const failed = stored(confirmed(aProforma(line(), paid(3000)), { 1: 1 }), 'refund_failed');
    expect(confirmed(failed, { 1: 1 }).payments.slice(2)).toEqual([]);
    expect(confirmed(failed, { 1: 0 }).payments.slice(2)).toMatchObject([{ amount: -1000, refundOf: 1 }]);
  });

  it('starts from the requested quantities, so what is not named again is confirmed in full', () => {
    const reduced = confirmed(aProforma(...twoLines), { 1: 1 });
    const next = confirmed(reduced, { 2: 1 });
    expect(next.lines.map((each) => each.qtyConfirmed)).toEqual([3, 1]);
    expect(confirmed(next)).toMatchObject({ status: 'confirmed', endSales: 4400 });
  });

  it('leaves what was refunded meanwhile as debt when it raises quantities again', () => {
    const reduced = stored(confirmed(aProforma(line(), paid(3000)), { 1: 1 }), 'refunded');
    const raised = confirmed(reduced, { 1: 2 });
    expect(raised).toMatchObject({ status: 'partial_confirmed', endSales: 2000 });
    expect(raised.payments).toHaveLength(2);
    expect(debtOf(raised)).toBe(1000);
  });

  it('gives back only the rest when it reduces further', () => {
    const reduced = stored(confirmed(aProforma(line(), paid(3000)), { 1: 2 }));
    expect(confirmed(reduced, { 1: 1 }).payments.slice(2)).toMatchObject([{ amount: -1000, refundOf: 1 }]);
  });
});

describe('adjustments that the warehouse cannot mean', () => {
  const proforma = aProforma(...twoLines, paid(4400), refund(1, 100, 'refund_failed'));
  const good = { lineId: 2, qtyConfirmed: 1 };

  it.each([-1, 4, 1.5, Number.NaN, Infinity, '2', '', true, [1], {}])(
    'a quantity of %p is invalid, and names its place',
    (qtyConfirmed) => {
      expect(confirming(proforma, good, { lineId: 1, qtyConfirmed })).toEqual({
        refused: 'is invalid',
        field: 'adjustments.1.qty_confirmed',
      });
    },
  );

  it.each([null, undefined])('a quantity of %p is missing, and names its place', (qtyConfirmed) => {
    expect(confirming(proforma, good, { lineId: 1, qtyConfirmed })).toEqual({
      refused: "can't be blank",
      field: 'adjustments.1.qty_confirmed',
    });
  });

  it.each([0, 3, 99, -1, Number.NaN])('an item %p that is not the proforma’s is invalid', (lineId) => {
    expect(confirming(proforma, good, { lineId, qtyConfirmed: 1 })).toEqual({
      refused: 'is invalid',
      field: 'adjustments.1.proforma_order_item_id',
    });
  });

  it('an item named twice is invalid the second time', () => {
    expect(confirming(proforma, good, { lineId: 1, qtyConfirmed: 3 }, good)).toEqual({
      refused: 'is invalid',
      field: 'adjustments.2.proforma_order_item_id',
    });
  });

  it('are not even read when the proforma is final', () => {
    const final = aProforma(inStatus('expired'));
    expect(confirming(final, { lineId: 99, qtyConfirmed: -1 })).toEqual(ALREADY_FINAL);
  });
});

describe('any proforma and any confirmed quantities', () => {
  const wanted = fc.record({
    qty: fc.integer({ min: 1, max: 50 }),
    price: fc.nat(1e7),
    vatRate: fc.constantFrom(0, 1000, 2000),
    confirmed: fc.nat(50),
  });

  it('come to totals that agree, and to money held that covers no more than the total', () => {
    fc.assert(
      fc.property(
        fc.array(wanted, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(1e8), { maxLength: 4 }),
        (lines, payments) => {
          const proforma = aProforma(...lines.map((each) => line(each)), fee(990), ...payments.map(paid));
          const quantities = lines.map(({ qty, confirmed: pieces }) => Math.min(pieces, qty));
          const next = confirmed(proforma, Object.fromEntries(quantities.map((qty, index) => [index + 1, qty])));

          const pieces = quantities.reduce((total, qty) => total + qty, 0);
          const goods = lines.reduce((total, { price }, index) => total + price * (quantities[index] ?? 0), 0);
          expect(next.endSales).toBe(pieces === 0 ? 0 : goods + 990);
          expect(next.endSales).toBe(next.sales - next.discount);
          expect(next.endSales).toBe(next.netSales + next.vat);
          expect(next.endSales).toBeLessThanOrEqual(next.originalEndSales);

          const captured = payments.reduce((total, amount) => total + amount, 0);
          const back = next.payments.slice(payments.length).reduce((total, { amount }) => total - amount, 0);
          expect(back).toBe(Math.max(captured - next.endSales, 0));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a warehouse that corrects itself', () => {
  const voucherPayments = ({ payments }: Proforma): number[] =>
    payments.filter(({ kind }) => kind === 'voucher').map(({ amount }) => amount);

  it('lets a voucher pay again what it got back, as far as something is owed', () => {
    const reduced = stored(confirmed(aProforma(line({ qty: 5, price: 100 }), paidByVoucher(500)), { 1: 2 }));
    expect(voucherPayments(confirmed(reduced))).toEqual([500, -300, 300]);
    expect(voucherPayments(confirmed(reduced, { 1: 4 }))).toEqual([500, -300, 200]);
    expect(confirmed(reduced).payments.at(-1)).toMatchObject({ id: 0, voucherId: 500, status: 'settled', date: NOW });
  });

  it('lets no voucher pay what money covers by now', () => {
    const reduced = stored(confirmed(aProforma(line({ qty: 5, price: 100 }), paidByVoucher(500)), { 1: 2 }));
    const covered = stored(paid(200)(reduced));
    expect(voucherPayments(confirmed(covered))).toEqual([500, -300, 100]);
  });

  it('again and again: vouchers pay what money leaves of the total, and just that is spent', () => {
    const offered = fc.array(fc.integer({ min: 1, max: 450 }), { minLength: 1, maxLength: 2 });
    const story = fc.array(fc.nat(9), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(offered, fc.nat(900), story, fc.boolean(), (vouchers, wish, quantities, converts) => {
        const brought = sum(vouchers);
        const money = Math.min(wish, 900 - brought);
        const paying = [...vouchers.map((amount, place) => paidByVoucher(amount, 500 + place)), paid(money)];
        let proforma = aProforma(line({ qty: 9, price: 100 }), ...paying.slice(0, money > 0 ? undefined : -1));
        for (const qty of quantities) {
          proforma = stored(confirmed(proforma, { 1: qty }), 'refunded');
          const byVoucher = sum(voucherPayments(proforma));
          const left = proforma.endSales - (paidOf(proforma.payments) - byVoucher);
          expect([proforma.endSales, byVoucher]).toEqual([qty * 100, Math.min(brought, left)]);
        }
        const isConverted = converts && quantities.at(-1) !== 0;
        const spent = vouchersLetGo(proforma, ended(proforma, isConverted)).map((each) => each.spent);
        expect(spent).toHaveLength(vouchers.length);
        expect(sum(spent)).toBe(isConverted ? sum(voucherPayments(proforma)) : 0);
        for (const [place, amount] of spent.entries()) expect(amount).toBeLessThanOrEqual(vouchers[place] ?? 0);
      }),
    );
  });
});

function ended(proforma: Proforma, isConverted: boolean): Proforma {
  const outcome = isConverted
    ? convert(proforma, { orderNumber: 'O-2026-12345678', amountPerPoint: 0, now: NOW })
    : cancel(proforma, { reason: null, now: NOW });
  if (isRefusal(outcome)) throw new Error(outcome.refused);
  return outcome;
}
