import { decimalsOf } from '@back-office/kernel';
import type { Runner } from '@back-office/kernel/testing';
import type { RefundGateway, RefundRequest } from './refund-gateway.js';
import {
  refundGatewayContract,
  type RefundGatewayFixture,
  type PaidRefund,
  type PayerBehavior,
} from './testing/index.js';

interface SentRefund {
  readonly key: string;
  readonly refundId: number;
  readonly amount: number | undefined;
  readonly currency: string;
  readonly reference: string | null;
}

const correctRefund = (request: RefundRequest): SentRefund => {
  const { idempotencyKey: key, refundId, amount, currency, reference } = request;
  return { key, refundId, amount, currency, reference };
};

class FakePayer {
  private behavior: PayerBehavior = 'pays';
  private readonly paymentsByKey = new Map<string, PaidRefund & { readonly refundId: number }>();

  constructor(private readonly acceptsAllMethods = true) {}

  behave(behavior: PayerBehavior): void {
    this.behavior = behavior;
  }

  ask({ key, refundId, amount = 0, currency, reference }: SentRefund): 'refunded' | 'failed' | 'unknown' {
    if (this.behavior === 'refuses' || (reference === null && !this.acceptsAllMethods)) return 'failed';
    if (this.behavior === 'breaks' || this.behavior === 'is silent') return 'unknown';
    if (!this.paymentsByKey.has(key)) this.paymentsByKey.set(key, { refundId, amount, currency, reference });
    return this.behavior === 'pays' || this.behavior === 'loses the answer' ? 'refunded' : 'unknown';
  }

  paid({ refundId }: RefundRequest): PaidRefund[] {
    const payments = [...this.paymentsByKey.values()].filter((entry) => entry.refundId === refundId);
    return payments.map(({ amount, currency, reference }) => ({ amount, currency, reference }));
  }
}

async function failedTests(
  send: (request: RefundRequest) => SentRefund,
  payer = new FakePayer(),
  overrides: Partial<RefundGatewayFixture> = {},
): Promise<string[]> {
  const gateway: RefundGateway = { refund: async (request) => payer.ask(send(request)) };
  const tests: [string, () => unknown][] = [];
  const hooks: (() => unknown)[] = [];
  const runner: Runner = {
    describe: (_, define) => define(),
    it: (name, run) => void tests.push([name, run]),
    before: (run) => void hooks.push(run),
    beforeEach: (run) => void hooks.push(run),
    after: () => {},
  };
  refundGatewayContract(runner, async () => ({ gateway, payer, close: async () => {}, ...overrides }));
  const failedNames: string[] = [];
  for (const [name, run] of tests) {
    for (const prepare of hooks) await prepare();
    await Promise.resolve(run()).catch(() => failedNames.push(name));
  }
  return failedNames;
}

describe('the contract of refund gateways', () => {
  it('passes a correct gateway', async () => {
    expect(await failedTests(correctRefund)).toEqual([]);
  });

  it.each<[string, (request: RefundRequest) => Partial<SentRefund>]>([
    ['an amount multiplied by 100', ({ amount }) => ({ amount: amount * 100 })],
    ['no amount', () => ({ amount: undefined })],
    ['an amount as if every currency had two decimals', (request) => ({ amount: amountWithTwoDecimals(request) })],
    ['an amount truncated by floating point', ({ amount }) => ({ amount: Math.trunc((amount / 100) * 100) })],
    ['no reference', () => ({ reference: null })],
    ['always the same reference', ({ reference }) => ({ reference: reference && 'tx-1' })],
    ['always the same currency', () => ({ currency: 'RSD' })],
    ['another key each time', () => ({ key: String(Math.random()) })],
    ['one key for all refunds', () => ({ key: 'refund' })],
  ])('fails a gateway that sends %s', async (_, wrongFields) => {
    expect(await failedTests((request) => ({ ...correctRefund(request), ...wrongFields(request) }))).not.toEqual([]);
  });

  it('requires a gateway for cards to declare the refunds that it cannot pay', async () => {
    const canPay = ({ reference }: RefundRequest): boolean => reference !== null;
    expect(await failedTests(correctRefund, new FakePayer(false), { canPay })).toEqual([]);
    expect(await failedTests(correctRefund, new FakePayer(false))).toHaveLength(1);
    expect(await failedTests(correctRefund, new FakePayer(), { canPay })).toHaveLength(1);
  });
});

function amountWithTwoDecimals({ amount, currency }: RefundRequest): number {
  return amount * 10 ** (2 - decimalsOf(currency));
}
