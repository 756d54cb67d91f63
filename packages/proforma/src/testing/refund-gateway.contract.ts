import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { RefundGateway, RefundRequest } from '../refund-gateway.js';

/**
 * How the payer reacts to requests:
 *
 * - `pays`: pays each key once and confirms it.
 * - `refuses`: refuses for good and pays nothing.
 * - `breaks`: returns an error such as 500, or asks for patience, and pays nothing.
 * - `hangs up`: closes the connection without an answer; may have paid.
 * - `is silent`: never answers.
 */
export type PayerBehavior = 'pays' | 'refuses' | 'breaks' | 'hangs up' | 'is silent';

export interface PaidRefund {
  /** Minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
  /** The reference of the captured payment, as received. */
  readonly reference: string | null;
  /** The request as the payer received it; optional, checked if present. */
  readonly received?: Partial<RefundRequest>;
}

/** The payer behind a gateway: a fake of the payment service, or its sandbox. */
export interface GivenPayer {
  behave(behavior: PayerBehavior): void;
  /** Payments for this `refundId`, under any key. */
  paid(request: RefundRequest): readonly PaidRefund[] | Promise<readonly PaidRefund[]>;
}

export interface GivenGateway {
  readonly gateway: RefundGateway;
  /** Absent when the gateway calls no service and cannot fail. */
  readonly payer?: GivenPayer;
  /**
   * Whether the payment service supports this refund; by default it supports all. Unsupported ones, such as bank
   * transfers (`reference: null`) at a service for cards, must return `failed`.
   */
  canPay?(request: RefundRequest): boolean;
  /** The gateway's timeout, if the test shortens it; 10 s otherwise. */
  readonly timeoutMs?: number;
  close(): Promise<void>;
}

/** A payer may react in another way each time, such as by another status. */
const REPEATS = 10;
const MAX_ANSWER_MS = 10_000;
/** Tolerance for timers and transport. */
const TOLERANCE_MS = 1_000;
const SLOW_TEST_MS = 2 * MAX_ANSWER_MS;

/**
 * Tests for every refund gateway. The payer behind it must pay at most once per key. Keys are random. Call it in a test
 * file: `refundGatewayContract(runnerOf(globalThis), open)`.
 */
export function refundGatewayContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenGateway>,
): void {
  let given: GivenGateway;
  const run = Math.random().toString(36).slice(2, 12);
  let last = 0;

  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(() => given.payer?.behave('pays'));

  const aRequest = (more: Partial<RefundRequest> = {}): RefundRequest => {
    last += 1;
    return { ...REQUEST, idempotencyKey: `refund-1-${last}-${run}`, refundId: last, ...more };
  };
  const asked = (request: RefundRequest) => given.gateway.refund(request);
  const expectPaidOnce = async (request: RefundRequest): Promise<void> => {
    const { amount, currency, reference } = request;
    if (given.payer === undefined) return;
    const paid = await given.payer.paid(request);
    expect(paid).toMatchObject([{ amount, currency, reference }]);
    expect(request).toMatchObject(paid[0]?.received ?? {});
  };
  const expectNothingPaid = async (request: RefundRequest): Promise<void> => {
    if (given.payer) expect(await given.payer.paid(request)).toEqual([]);
  };

  describe('a refund', () => {
    it('is paid in its amount and currency', async () => {
      const request = aRequest();
      expect(await asked(request)).toBe('refunded');
      await expectPaidOnce(request);
    });

    eachCase(it, [
      ['of another payment', { reference: 'tx-2/Ž', paymentId: 41 }],
      ['without a reference', { reference: null, paymentMethod: 'Bank transfer' }],
      ['of the smallest amount', { amount: 1 }],
      ['of an amount that is no exact decimal', { amount: 115 }],
      ['of a large amount', { amount: 1_234_567_890 }],
      ['in another currency', { currency: 'EUR' }],
      ['in a currency without decimals', { currency: 'JPY', amount: 100 }],
      ['with a method in any script', { paymentMethod: 'Картица “Ž” 💳' }],
    ])('%s is paid, or failed where unsupported', async (_, more) => {
      const request = aRequest(more);
      const canPay = given.canPay?.(request) ?? true;
      expect(await asked(request)).toBe(canPay ? 'refunded' : 'failed');
      await (canPay ? expectPaidOnce(request) : expectNothingPaid(request));
    });
  });

  describe('one key', () => {
    it('pays once for repeated requests', async () => {
      const request = aRequest();
      for (let turn = 0; turn < 3; turn += 1) expect(await asked(request)).toBe('refunded');
      await expectPaidOnce(request);
    });

    it('pays once for concurrent requests', async () => {
      const request = aRequest();
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => asked(request)));
      expect(new Set(outcomes)).toEqual(new Set(['refunded']));
      await expectPaidOnce(request);
    });

    it('pays once when retried after no answer', async () => {
      const request = aRequest();
      given.payer?.behave('hangs up');
      expect(await asked(request)).toBe(given.payer ? 'unknown' : 'refunded');
      given.payer?.behave('pays');
      expect(await asked(request)).toBe('refunded');
      await expectPaidOnce(request);
    });

    it('does not affect another one', async () => {
      const requests = [aRequest(), aRequest()];
      expect(await Promise.all(requests.map(asked))).toEqual(['refunded', 'refunded']);
      for (const request of requests) await expectPaidOnce(request);
    });
  });

  describe('a payer that', () => {
    eachCase(it, [
      ['pays', 'refunded'],
      ['refuses', 'failed'],
      ['breaks', 'unknown'],
      ['hangs up', 'unknown'],
    ] as const)('%s, repeatedly: %s', async (behavior, outcome) => {
      if (given.payer === undefined) return;
      given.payer.behave(behavior);
      const requests = Array.from({ length: REPEATS }, () => aRequest());
      const outcomes: string[] = [];
      for (const request of requests) outcomes.push(await asked(request));
      expect(outcomes).toEqual(requests.map(() => outcome));
    });

    it('refuses pays nothing', async () => {
      if (given.payer === undefined) return;
      given.payer.behave('refuses');
      const request = aRequest();
      await asked(request);
      await expectNothingPaid(request);
    });

    it(
      'is silent: unknown, within 10 s',
      async () => {
        if (given.payer === undefined) return;
        given.payer.behave('is silent');
        const limitMs = Math.min(given.timeoutMs ?? MAX_ANSWER_MS, MAX_ANSWER_MS);
        const started = performance.now();
        const outcomes = await Promise.all([asked(aRequest()), asked(aRequest())]);
        expect(outcomes).toEqual(['unknown', 'unknown']);
        expect(performance.now() - started).toBeLessThan(limitMs + TOLERANCE_MS);
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
