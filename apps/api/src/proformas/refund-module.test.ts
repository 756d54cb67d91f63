import type { RefundRequest } from '@back-office/proforma';
import { messageOf } from '../adapters/index.js';
import { ForeignRefundGateway, type UnansweredRefund } from './refund-module.js';

const request = { idempotencyKey: 'refund-1-2' } as RefundRequest;
const reports: [UnansweredRefund, unknown][] = [];
const report = (refund: UnansweredRefund, error: unknown) => void reports.push([refund, error]);
const refundThrough = (refund: () => unknown) =>
  new ForeignRefundGateway('their-gateway', { refund: refund as () => Promise<'refunded'> }, report, 50).refund(
    request,
  );

describe('a refund gateway of a module', () => {
  beforeEach(() => {
    reports.length = 0;
  });

  it.each(['refunded', 'failed', 'unknown'])('returns the answer %s', async (outcome) => {
    expect(await refundThrough(() => Promise.resolve(outcome))).toBe(outcome);
    expect(reports).toEqual([]);
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
    expect(await refundThrough(refund)).toBe('unknown');
    const expectedRefund = { gateway: 'their-gateway', idempotency_key: 'refund-1-2' };
    expect(reports.map(([reportedRefund, error]) => [reportedRefund, messageOf(error)])).toEqual([
      [expectedRefund, cause],
    ]);
  });
});
