import { decimalsOf } from '@back-office/kernel';
import type { Runner } from '@back-office/kernel/testing';
import type { RefundGateway, RefundRequest } from './refund-gateway.js';
import {
  refundGatewayContract,
  type RefundGatewayFixture,
  type PaidRefund,
  type PayerBehavior,
} from './testing/index.js';

interface Sent {
  readonly key: string;
  readonly refundId: number;
  readonly amount: number | undefined;
  readonly currency: string;
  readonly reference: string | null;
}

const asGiven = (request: RefundRequest): Sent => {
  const { idempotencyKey: key, refundId, amount, currency, reference } = request;
  return { key, refundId, amount, currency, reference };
};

class FakePayer {
  private behavior: PayerBehavior = 'pays';
  private readonly books = new Map<string, PaidRefund & { readonly refundId: number }>();

  constructor(private readonly acceptsAllMethods = true) {}

  behave(behavior: PayerBehavior): void {
    this.behavior = behavior;
  }

  ask({ key, refundId, amount = 0, currency, reference }: Sent): 'refunded' | 'failed' | 'unknown' {
    if (this.behavior === 'refuses' || (reference === null && !this.acceptsAllMethods)) return 'failed';
    if (this.behavior === 'breaks' || this.behavior === 'is silent') return 'unknown';
    if (!this.books.has(key)) this.books.set(key, { refundId, amount, currency, reference });
    return this.behavior === 'pays' ? 'refunded' : 'unknown';
  }

  paid({ refundId }: RefundRequest): PaidRefund[] {
    const made = [...this.books.values()].filter((each) => each.refundId === refundId);
    return made.map(({ amount, currency, reference }) => ({ amount, currency, reference }));
  }
}

async function failures(
  send: (request: RefundRequest) => Sent,
  payer = new FakePayer(),
  more: Partial<RefundGatewayFixture> = {},
): Promise<string[]> {
  const gateway: RefundGateway = { refund: async (request) => payer.ask(send(request)) };
  const tests: [string, () => unknown][] = [];
  const around: (() => unknown)[] = [];
  const runner: Runner = {
    describe: (_, define) => define(),
    it: (name, run) => void tests.push([name, run]),
    before: (run) => void around.push(run),
    beforeEach: (run) => void around.push(run),
    after: () => {},
  };
  refundGatewayContract(runner, async () => ({ gateway, payer, close: async () => {}, ...more }));
  const failed: string[] = [];
  for (const [name, run] of tests) {
    for (const prepare of around) await prepare();
    await Promise.resolve(run()).catch(() => failed.push(name));
  }
  return failed;
}

describe('the contract of refund gateways', () => {
  it('passes a correct gateway', async () => {
    expect(await failures(asGiven)).toEqual([]);
  });

  it.each<[string, (request: RefundRequest) => Partial<Sent>]>([
    ['an amount multiplied by 100', ({ amount }) => ({ amount: amount * 100 })],
    ['no amount', () => ({ amount: undefined })],
    ['an amount as if every currency had two decimals', (request) => ({ amount: shiftedFor(request) })],
    ['an amount truncated by floating point', ({ amount }) => ({ amount: Math.trunc((amount / 100) * 100) })],
    ['no reference', () => ({ reference: null })],
    ['always the same reference', ({ reference }) => ({ reference: reference && 'tx-1' })],
    ['always the same currency', () => ({ currency: 'RSD' })],
    ['another key each time', () => ({ key: String(Math.random()) })],
    ['one key for all refunds', () => ({ key: 'refund' })],
  ])('fails one that sends %s', async (_, wrong) => {
    expect(await failures((request) => ({ ...asGiven(request), ...wrong(request) }))).not.toEqual([]);
  });

  it('requires a payer of cards to declare what it cannot pay', async () => {
    const canPay = ({ reference }: RefundRequest): boolean => reference !== null;
    expect(await failures(asGiven, new FakePayer(false), { canPay })).toEqual([]);
    expect(await failures(asGiven, new FakePayer(false))).toHaveLength(1);
    expect(await failures(asGiven, new FakePayer(), { canPay })).toHaveLength(1);
  });
});

function shiftedFor({ amount, currency }: RefundRequest): number {
  return amount * 10 ** (2 - decimalsOf(currency));
}
