import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { RefundGateway, RefundRequest } from '../refund-gateway.js';

/**
 * `pays`: pays once per key and confirms the payment. `refuses`: finally refuses and pays nothing. `breaks`: returns an
 * error such as 500 or 429, and pays nothing. `loses the answer`: pays once per key, but closes the connection of the
 * refund; answers requests for its status. `hangs up`: closes every connection without an answer, and may have paid.
 * `is silent`: never answers.
 */
export type PayerBehavior = 'pays' | 'refuses' | 'breaks' | 'loses the answer' | 'hangs up' | 'is silent';

export interface PaidRefund {
  /** Minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | null;
  /** The request as the payer received it. The contract checks it if present. */
  readonly received?: Partial<RefundRequest>;
}

/** The payment service behind the gateway: a fake, or the sandbox of the real one. */
export interface PayerFixture {
  behave(behavior: PayerBehavior): void;
  paid(request: RefundRequest): readonly PaidRefund[] | Promise<readonly PaidRefund[]>;
}

export interface RefundGatewayFixture {
  readonly gateway: RefundGateway;
  /** Absent for a gateway that calls no service and cannot fail. */
  readonly payer?: PayerFixture;
  /**
   * Returns whether the payment service supports the refund. Without this method, the service supports all refunds. The
   * gateway must return `failed` for an unsupported refund, for example of a bank transfer (`reference: null`) through
   * a card processor.
   */
  canPay?(request: RefundRequest): boolean;
  /** Timeout of the gateway if the test shortens it; the default is 10 s. */
  readonly timeoutMs?: number;
  close(): Promise<void>;
}

/** Repeats each test, because the payer may react differently each time, for example with another status. */
const REPEATS = 10;
const MAX_ANSWER_MS = 10_000;
const TOLERANCE_MS = 1_000;
const SLOW_TEST_MS = 2 * MAX_ANSWER_MS;

/**
 * Tests for every refund gateway, with random keys. The payer must pay at most once per key. Example:
 * `refundGatewayContract(runnerOf(globalThis), open)` in a test file.
 */
export function refundGatewayContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<RefundGatewayFixture>,
): void {
  let fixture: RefundGatewayFixture;
  const runId = Math.random().toString(36).slice(2, 12);
  // A sandbox keeps the refunds of earlier runs.
  let lastRefundId = Math.floor(Math.random() * 1_000_000_000);

  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(() => fixture.payer?.behave('pays'));

  const aRequest = (overrides: Partial<RefundRequest> = {}): RefundRequest => {
    lastRefundId += 1;
    return { ...REQUEST, idempotencyKey: `refund-1-${lastRefundId}-${runId}`, refundId: lastRefundId, ...overrides };
  };
  const refund = (request: RefundRequest) => fixture.gateway.refund(request);
  const expectPaidOnce = async (request: RefundRequest): Promise<void> => {
    const { amount, currency, reference } = request;
    if (fixture.payer === undefined) return;
    const payments = await fixture.payer.paid(request);
    expect(payments).toMatchObject([{ amount, currency, reference }]);
    expect(request).toMatchObject(payments[0]?.received ?? {});
  };
  const expectNothingPaid = async (request: RefundRequest): Promise<void> => {
    if (fixture.payer) expect(await fixture.payer.paid(request)).toEqual([]);
  };

  describe('a refund through the gateway', () => {
    it('is paid once, with its amount and currency', async () => {
      const request = aRequest();
      expect(await refund(request)).toBe('refunded');
      await expectPaidOnce(request);
    });

    eachCase(it, [
      ['of another payment', { reference: 'tx-2/Ž', paymentId: 41 }],
      ['without a reference', { reference: null, paymentMethod: 'Bank transfer' }],
      ['of the smallest amount', { amount: 1 }],
      ['of an amount that a binary fraction cannot represent exactly', { amount: 115 }],
      ['of a large amount', { amount: 1_234_567_890 }],
      ['in another currency', { currency: 'EUR' }],
      ['in a currency without decimals', { currency: 'JPY', amount: 100 }],
      ['with a method in any script', { paymentMethod: 'Картица “Ž” 💳' }],
    ])('%s is paid, or fails if unsupported', async (_, overrides) => {
      const request = aRequest(overrides);
      const canPay = fixture.canPay?.(request) ?? true;
      expect(await refund(request)).toBe(canPay ? 'refunded' : 'failed');
      await (canPay ? expectPaidOnce(request) : expectNothingPaid(request));
    });
  });

  describe('refund requests with one idempotency key', () => {
    it('are paid once when repeated', async () => {
      const request = aRequest();
      for (let turn = 0; turn < 3; turn += 1) expect(await refund(request)).toBe('refunded');
      await expectPaidOnce(request);
    });

    it('are paid once when sent concurrently', async () => {
      const request = aRequest();
      const answers = await Promise.all(Array.from({ length: 8 }, () => refund(request)));
      expect(new Set(answers)).toEqual(new Set(['refunded']));
      await expectPaidOnce(request);
    });

    it('are paid once when retried after the payment service did not answer', async () => {
      const request = aRequest();
      fixture.payer?.behave('hangs up');
      expect(await refund(request)).toBe(fixture.payer ? 'unknown' : 'refunded');
      fixture.payer?.behave('pays');
      expect(await refund(request)).toBe('refunded');
      await expectPaidOnce(request);
    });

    it('are paid once when the payment service paid, but lost the answer', async () => {
      const request = aRequest();
      fixture.payer?.behave('loses the answer');
      expect(['unknown', 'refunded']).toContain(await refund(request));
      fixture.payer?.behave('pays');
      expect(await refund(request)).toBe('refunded');
      await expectPaidOnce(request);
    });

    it('do not affect requests with another key', async () => {
      const requests = [aRequest(), aRequest()];
      expect(await Promise.all(requests.map(refund))).toEqual(['refunded', 'refunded']);
      for (const request of requests) await expectPaidOnce(request);
    });

    it('do not affect requests of the same refund with another key', async () => {
      const request = aRequest();
      const { idempotencyKey } = request;
      for (const key of [idempotencyKey, `${idempotencyKey}-2`, idempotencyKey.replace(/.$/, '-')])
        expect(await refund({ ...request, idempotencyKey: key })).toBe('refunded');
      if (fixture.payer) expect(await fixture.payer.paid(request)).toHaveLength(3);
    });
  });

  describe('a refund request', () => {
    eachCase(it, [
      ['pays', 'refunded'],
      ['refuses', 'failed'],
      ['breaks', 'unknown'],
      ['hangs up', 'unknown'],
    ] as const)('when the payment service %s, has the result %s each time', async (behavior, answer) => {
      if (fixture.payer === undefined) return;
      fixture.payer.behave(behavior);
      const requests = Array.from({ length: REPEATS }, () => aRequest());
      const answers: string[] = [];
      for (const request of requests) answers.push(await refund(request));
      expect(answers).toEqual(requests.map(() => answer));
    });

    it('leads to no payment when the payment service refuses it', async () => {
      if (fixture.payer === undefined) return;
      fixture.payer.behave('refuses');
      const request = aRequest();
      await refund(request);
      await expectNothingPaid(request);
    });

    it(
      'has the result `unknown` within 10 s when the payment service does not answer',
      async () => {
        if (fixture.payer === undefined) return;
        fixture.payer.behave('is silent');
        const limitMs = Math.min(fixture.timeoutMs ?? MAX_ANSWER_MS, MAX_ANSWER_MS);
        const startedAt = performance.now();
        const answers = await Promise.all([refund(aRequest()), refund(aRequest())]);
        expect(answers).toEqual(['unknown', 'unknown']);
        expect(performance.now() - startedAt).toBeLessThan(limitMs + TOLERANCE_MS);
      },
      SLOW_TEST_MS,
    );
  });
}

const REQUEST: Omit<RefundRequest, 'idempotencyKey' | 'refundId'> = {
  appId: 1,
  proformaId: 7,
  proformaNumber: 'P-2026-7K2M9Q',
  paymentId: 40,
  paymentMethod: 'Card',
  reference: 'tx-1',
  amount: 129_050,
  currency: 'RSD',
};
