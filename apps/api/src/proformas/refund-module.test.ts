import type { RefundRequest } from '@back-office/proforma';
import { messageOf } from '../adapters/index.js';
import { ForeignRefundGateway, type UnansweredRefund } from './refund-module.js';

const request = { idempotencyKey: 'refund-1-2' } as RefundRequest;
const reported: [UnansweredRefund, unknown][] = [];
const report = (refund: UnansweredRefund, error: unknown) => void reported.push([refund, error]);
const answering = (refund: () => unknown) =>
  new ForeignRefundGateway('their-gateway', { refund: refund as () => Promise<'refunded'> }, report, 50).refund(
    request,
  );

describe('a refund gateway of a module', () => {
  beforeEach(() => {
    reported.length = 0;
  });

  it.each(['refunded', 'failed', 'unknown'])('passes on the answer %s', async (outcome) => {
    expect(await answering(() => Promise.resolve(outcome))).toBe(outcome);
    expect(reported).toEqual([]);
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('No key');
      },
      'No key',
    ],
    ['rejects', () => Promise.reject(new Error('No line')), 'No line'],
    ['rejects with nothing', () => Promise.reject(undefined as unknown as Error), 'undefined'],
    ['answers with another value', () => Promise.resolve(200), 'an invalid answer: 200'],
    ['does not answer', () => new Promise(() => {}), 'no answer within 50 ms'],
  ])('answers unknown and reports the cause when the module %s', async (_, refund, cause) => {
    expect(await answering(refund)).toBe('unknown');
    const asked = { gateway: 'their-gateway', idempotency_key: 'refund-1-2' };
    expect(reported.map(([at, error]) => [at, messageOf(error)])).toEqual([[asked, cause]]);
  });
});
