import {
  assertAccepted,
  aProforma,
  inStatus,
  line,
  NOW,
  bankPayment,
  voucherPayment,
  payment,
  refund,
} from './testing/index.js';
import { countOpenAlerts } from './alerts.js';
import { debtOf, paidAmountOf, refundEntry } from './payments.js';
import type { Payment, Proforma } from './proforma.js';
import {
  pendingRefunds,
  recordRefund,
  refundKey,
  retryRefund,
  applyRefundOutcome,
  withKeyParts,
  type RefundOutcome,
} from './refund.js';
import { REFUND_PENDING } from './refusals.js';

const twoOfThree = line({ qtyConfirmed: 2 });
const LATER = new Date('2026-03-02T12:05:00Z');

describe('applyRefundOutcome with the outcome `refunded`', () => {
  const next = applyRefundOutcome(aProforma(twoOfThree, bankPayment(3000), refund(1, 1000)), 2, 'refunded', LATER);

  it('subtracts the refund from the paid amount', () => {
    expect(next.payments[1]).toMatchObject({ id: 2, amount: -1000, status: 'refunded', date: LATER, refundOf: 1 });
    expect(paidAmountOf(next.payments)).toBe(2000);
    expect(debtOf(next)).toBe(0);
  });

  it('leaves the payment settled and raises no alert', () => {
    expect(next.payments[0]).toMatchObject({ amount: 3000, status: 'settled' });
    expect(next).toMatchObject({ alerts: [], status: 'draft', updatedAt: LATER });
  });
});

describe('applyRefundOutcome with the outcome `failed`', () => {
  const next = applyRefundOutcome(aProforma(twoOfThree, bankPayment(3000), refund(1, 1000)), 2, 'failed', LATER);

  it('keeps the refund, but does not subtract it from the paid amount', () => {
    expect(next.payments[1]).toMatchObject({ amount: -1000, status: 'refund_failed', date: LATER });
    expect(paidAmountOf(next.payments)).toBe(3000);
  });

  it('raises one alert with the id of the refund', () => {
    expect(next.alerts).toEqual([
      {
        kind: 'refund_failed',
        message: expect.any(String) as unknown,
        details: { reason: 'failed', payment_id: 2, refund_of: 1, payment_method: 'Bank transfer', amount: 1000 },
        resolvedAt: null,
        insertedAt: LATER,
      },
    ]);
    expect(countOpenAlerts(next)).toBe(1);
  });

  it.each([
    ['expired', 'expiry_refund_failed'],
    ['canceled', 'refund_failed'],
    ['converted', 'refund_failed'],
    ['partial_confirmed', 'refund_failed'],
  ] as const)('for a proforma that is %s raises the alert %s and keeps the status', (status, kind) => {
    const settledProforma = applyRefundOutcome(
      aProforma(twoOfThree, bankPayment(3000), refund(1, 1000), inStatus(status)),
      2,
      'failed',
      LATER,
    );
    expect(settledProforma).toMatchObject({ status, alerts: [{ kind }] });
  });
});

describe('a refund with an outcome', () => {
  it.each(['refunded', 'failed'] as const)('stays %s when another outcome arrives', (firstOutcome) => {
    const settledProforma = applyRefundOutcome(
      aProforma(twoOfThree, bankPayment(3000), refund(1, 1000)),
      2,
      firstOutcome,
      NOW,
    );
    expect(applyRefundOutcome(settledProforma, 2, 'refunded', LATER)).toBe(settledProforma);
    expect(applyRefundOutcome(settledProforma, 2, 'failed', LATER)).toBe(settledProforma);
  });
});

describe('an outcome for a payment or refund that is not a pending refund', () => {
  it('changes nothing', () => {
    const proforma = aProforma(payment({ amount: 500, status: 'pending' }), bankPayment(3000));
    for (const id of [0, 1, 2, 99]) expect(applyRefundOutcome(proforma, id, 'failed', LATER)).toBe(proforma);
  });
});

describe('pendingRefunds', () => {
  it('excludes pending payments', () => {
    const proforma = aProforma(
      bankPayment(3000),
      payment({ amount: 500, status: 'pending' }),
      refund(1, 10),
      refund(1, 20, 'refunded'),
      refund(1, 30, 'refund_failed'),
      refund(1, 40),
    );
    expect(pendingRefunds(proforma).map((pendingRefund) => pendingRefund.id)).toEqual([3, 6]);
  });
});

describe('a failed refund', () => {
  const failedProforma = (outcome: RefundOutcome = 'failed') =>
    applyRefundOutcome(aProforma(twoOfThree, bankPayment(3000), refund(1, 1000)), 2, outcome, NOW);
  const record = (proforma = failedProforma(), reference: string | null = 'tx-9') =>
    assertAccepted(recordRefund(proforma, { refundId: 2, reference, now: LATER }));

  it('can be recorded as paid, which resolves its alert', () => {
    const recordedProforma = record();
    expect(recordedProforma.payments[1]).toMatchObject({
      status: 'refunded',
      amount: -1000,
      reference: 'tx-9',
      date: LATER,
    });
    expect(paidAmountOf(recordedProforma.payments)).toBe(2000);
    expect(recordedProforma.alerts).toMatchObject([
      { kind: 'refund_failed', resolvedAt: LATER, details: { payment_id: 2, recorded: true, reference: 'tx-9' } },
    ]);
  });

  it('keeps its reference when it is recorded as paid without one', () => {
    const [capturedPayment, failedRefund] = failedProforma().payments as [Payment, Payment];
    const proforma = { ...failedProforma(), payments: [capturedPayment, { ...failedRefund, reference: 'tx-1' }] };
    expect(record(proforma, null).payments[1]).toMatchObject({ reference: 'tx-1' });
  });

  it('is pending after a retry, and its alert is resolved', () => {
    const retriedProforma = assertAccepted(retryRefund(failedProforma(), { refundId: 2, now: LATER }));
    expect(retriedProforma.payments[1]).toMatchObject({ status: 'pending', date: LATER });
    expect(countOpenAlerts(retriedProforma)).toBe(0);
    expect(countOpenAlerts(applyRefundOutcome(retriedProforma, 2, 'failed', LATER))).toBe(1);
    expect(applyRefundOutcome(retriedProforma, 2, 'refunded', LATER).payments[1]).toMatchObject({ status: 'refunded' });
  });

  it('keeps the alerts of other payments open', () => {
    const failedOnce = applyRefundOutcome(
      aProforma(line({ qtyConfirmed: 1 }), bankPayment(3000), refund(1, 1000), refund(1, 500)),
      2,
      'failed',
      NOW,
    );
    const failedTwice = applyRefundOutcome(failedOnce, 3, 'failed', NOW);
    expect(record(failedTwice).alerts.map(({ resolvedAt }) => resolvedAt)).toEqual([LATER, null]);
  });

  it('is retried with its idempotency key when the gateway did not answer, and with a new key after a refusal', () => {
    const keyOf = (proforma: Proforma) => refundKey(7, proforma, 2);
    const retry = (proforma: Proforma) => assertAccepted(retryRefund(proforma, { refundId: 2, now: LATER }));
    expect(keyOf(aProforma(twoOfThree, bankPayment(3000), refund(1, 1000)))).toBe('refund-7-2');
    const unansweredProforma = retry(failedProforma('unanswered'));
    expect(keyOf(unansweredProforma)).toBe('refund-7-2');
    const refusedProforma = retry(applyRefundOutcome(unansweredProforma, 2, 'failed', LATER));
    expect(keyOf(refusedProforma)).toBe('refund-7-2-2');
    expect(keyOf(retry(applyRefundOutcome(refusedProforma, 2, 'unanswered', LATER)))).toBe('refund-7-2-2');
    expect(keyOf(retry(applyRefundOutcome(refusedProforma, 2, 'failed', LATER)))).toBe('refund-7-2-3');
  });

  it('keeps the random part of its idempotency key in the new key after a refusal', () => {
    const [capturedPayment, pendingRefund] = aProforma(twoOfThree, bankPayment(3000), refund(1, 1000)).payments as [
      Payment,
      Payment,
    ];
    const proforma = { ...aProforma(twoOfThree), payments: [capturedPayment, { ...pendingRefund, keyPart: 'k3y' }] };
    expect(refundKey(7, proforma, 2)).toBe('refund-7-2-k3y');
    const refusedProforma = assertAccepted(
      retryRefund(applyRefundOutcome(proforma, 2, 'failed', NOW), { refundId: 2, now: LATER }),
    );
    expect(refundKey(7, refusedProforma, 2)).toBe('refund-7-2-k3y-2');
  });
});

describe('withKeyParts', () => {
  const drawKeyPart = () => 'k3y';
  const keysOf = (proforma: Proforma) => proforma.payments.map(({ keyPart }) => keyPart);

  it('generates a key part only for new pending refunds', () => {
    const originalProforma = aProforma(twoOfThree, bankPayment(3000), voucherPayment(500), refund(1, 1000));
    const moneyRefund = refundEntry(originalProforma.payments[0] as Payment, 500, NOW);
    const voucherRefund = refundEntry(originalProforma.payments[1] as Payment, 500, NOW);
    const proforma = { ...originalProforma, payments: [...originalProforma.payments, moneyRefund, voucherRefund] };
    expect(keysOf(withKeyParts(proforma, drawKeyPart))).toEqual([null, null, null, 'k3y', null]);
    expect(withKeyParts(originalProforma, drawKeyPart)).toBe(originalProforma);
  });

  it('does not copy the key part of the refunded payment', () => {
    const capturedPayment = { ...(aProforma(bankPayment(1)).payments[0] as Payment), keyPart: 'k3y' };
    expect(refundEntry(capturedPayment, 1, NOW).keyPart).toBeNull();
  });
});

describe('a refund that has not failed', () => {
  const pendingProforma = aProforma(twoOfThree, bankPayment(3000), refund(1, 1000));
  const refundedProforma = aProforma(twoOfThree, bankPayment(3000), refund(1, 1000, 'refunded'));

  it('cannot be retried', () => {
    for (const proforma of [pendingProforma, refundedProforma]) {
      expect(retryRefund(proforma, { refundId: 2, now: LATER })).toBe(proforma);
    }
  });

  it('cannot be recorded as paid while pending, and does not change once refunded', () => {
    expect(recordRefund(pendingProforma, { refundId: 2, reference: null, now: LATER })).toEqual(REFUND_PENDING);
    expect(recordRefund(refundedProforma, { refundId: 2, reference: 'x', now: LATER })).toBe(refundedProforma);
  });
});
