import { applyRefundOutcome, recordRefund, retryRefund } from './refund.js';
import { countOpenAlerts } from './alerts.js';
import { debtOf, paidAmountOf } from './payments.js';
import type { Proforma } from './proforma.js';
import { REFUND_NOT_OWED } from './refusals.js';
import { aProforma, assertAccepted, bankPayment, inStatus, line, NOW, refund } from './testing/index.js';
import { warehouseConfirm } from './warehouse-confirm.js';

const LATER = new Date('2026-03-02T12:05:00Z');
const REFUND = 2;

/** Of 3 pieces at 1,000, all paid, one is confirmed; the refund of the other two failed. */
const failedProforma = (outcome: 'failed' | 'unanswered' = 'failed'): Proforma =>
  applyRefundOutcome(aProforma(line({ qtyConfirmed: 1 }), bankPayment(3000), refund(1, 2000)), REFUND, outcome, NOW);
const confirm = (proforma: Proforma, qtyConfirmed: number): Proforma => {
  const confirmed = warehouseConfirm(proforma, { adjustments: [{ lineId: 1, qtyConfirmed }], now: LATER });
  const payments = assertAccepted(confirmed).payments.map((payment, index) => ({ ...payment, id: index + 1 }));
  return { ...assertAccepted(confirmed), payments };
};
const retry = (proforma: Proforma, refundId = REFUND) => retryRefund(proforma, { refundId, now: LATER });
const amounts = ({ payments }: Proforma) => payments.map(({ amount, status }) => [amount, status]);

describe('a refused refund whose debt comes back', () => {
  it('is withdrawn with its alert, and cannot be retried', () => {
    const raisedProforma = confirm(failedProforma(), 3);
    expect(amounts(raisedProforma)).toEqual([
      [3000, 'settled'],
      [-2000, 'failed'],
    ]);
    expect(raisedProforma.alerts).toMatchObject([{ resolvedAt: LATER, details: { withdrawn: true } }]);
    expect(retry(raisedProforma)).toEqual(REFUND_NOT_OWED);
  });

  it('is lowered with its alert when a part of the debt comes back, and the retry sends the rest', () => {
    const raisedProforma = confirm(failedProforma(), 2);
    expect(amounts(raisedProforma)).toEqual([
      [3000, 'settled'],
      [-1000, 'refund_failed'],
      [-1000, 'failed'],
    ]);
    expect(raisedProforma.alerts).toMatchObject([{ resolvedAt: null, details: { amount: 1000 } }]);
    const retriedProforma = assertAccepted(retry(raisedProforma));
    expect(retriedProforma.payments[1]).toMatchObject({ amount: -1000, status: 'pending' });
    expect(countOpenAlerts(retriedProforma)).toBe(0);
  });

  it('is made anew when the total falls again', () => {
    expect(amounts(confirm(confirm(failedProforma(), 3), 1))).toEqual([
      [3000, 'settled'],
      [-2000, 'failed'],
      [-2000, 'pending'],
    ]);
  });

  it('can still be recorded, which creates a debt and notes the balance in the alert', () => {
    const raisedProforma = confirm(failedProforma(), 3);
    const recordedProforma = assertAccepted(
      recordRefund(raisedProforma, { refundId: REFUND, reference: 'bank-17', now: LATER }),
    );
    expect([paidAmountOf(recordedProforma.payments), debtOf(recordedProforma)]).toEqual([1000, 2000]);
    expect(recordedProforma.alerts).toMatchObject([{ details: { recorded: true, paid: 1000, debt: 2000 } }]);
  });

  it('is withdrawn when the gateway refuses it afterwards', () => {
    const raisedProforma = confirm(aProforma(line({ qtyConfirmed: 1 }), bankPayment(3000), refund(1, 2000)), 3);
    const refusedProforma = applyRefundOutcome(raisedProforma, REFUND, 'failed', LATER);
    expect(refusedProforma.payments[1]).toMatchObject({ status: 'failed' });
    expect(countOpenAlerts(refusedProforma)).toBe(0);
  });
});

describe('an unanswered refund whose debt comes back', () => {
  it.each([
    [3, 0],
    [2, 1000],
  ])('keeps its amount, because it may have been paid; with %i pieces %i is owed', (qty, owed) => {
    const raisedProforma = confirm(failedProforma('unanswered'), qty);
    expect(amounts(raisedProforma)).toEqual([
      [3000, 'settled'],
      [-2000, 'refund_failed'],
    ]);
    expect(raisedProforma.alerts).toMatchObject([{ resolvedAt: null, details: { amount: owed } }]);
    expect(retry(raisedProforma)).toEqual(REFUND_NOT_OWED);
  });

  it('can be retried after the total has fallen again', () => {
    const loweredProforma = confirm(confirm(failedProforma('unanswered'), 3), 1);
    expect(loweredProforma.alerts).toMatchObject([{ details: { amount: 2000 } }]);
    expect(assertAccepted(retry(loweredProforma)).payments[1]).toMatchObject({ amount: -2000, status: 'pending' });
  });
});

describe('a failed refund that an earlier release kept', () => {
  const stored = (endSales: number, proforma = failedProforma()): Proforma => ({ ...proforma, endSales });

  it('is retried with what is overpaid now', () => {
    expect(assertAccepted(retry(stored(2500))).payments[1]).toMatchObject({ amount: -500, status: 'pending' });
    expect(retry(stored(3000))).toEqual(REFUND_NOT_OWED);
  });

  it.each(['canceled', 'expired'] as const)('is owed whole by a proforma that is %s', (status) => {
    expect(assertAccepted(retry(inStatus(status)(stored(3000)))).payments[1]).toMatchObject({ amount: -2000 });
  });

  it('is owed by a converted proforma only when its order is canceled', () => {
    const proforma = inStatus('converted')(stored(3000));
    expect(retry(proforma)).toEqual(REFUND_NOT_OWED);
    const converted = proforma.converted && { ...proforma.converted, isOrderCanceled: true };
    expect(assertAccepted(retry({ ...proforma, converted })).payments[1]).toMatchObject({ amount: -2000 });
  });

  it('shares what is overpaid with other failed refunds', () => {
    const first = applyRefundOutcome(
      aProforma(line({ qtyConfirmed: 1 }), bankPayment(3000), refund(1, 1000), refund(1, 1000)),
      2,
      'failed',
      NOW,
    );
    const proforma = stored(2000, applyRefundOutcome(first, 3, 'failed', NOW));
    const retriedProforma = assertAccepted(retry(proforma, 2));
    expect(retriedProforma.payments[1]).toMatchObject({ amount: -1000, status: 'pending' });
    expect(retry(retriedProforma, 3)).toEqual(REFUND_NOT_OWED);
  });
});
