import type { RefundRequest } from '@back-office/proforma';
import { ForeignRefundGateway } from './refund-module.js';

const request = { idempotencyKey: 'refund-1-2' } as RefundRequest;
const answering = (refund: () => unknown) =>
  new ForeignRefundGateway('their-gateway', { refund: refund as () => Promise<'refunded'> }, 50).refund(request);

describe('a refund gateway of somebody else’s', () => {
  let warnings: string[];
  const warn = (warning: Error): number => warnings.push(`${warning.name}: ${warning.message}`);
  beforeEach(() => {
    warnings = [];
    process.on('warning', warn);
  });
  afterEach(() => {
    process.off('warning', warn);
  });

  it.each(['refunded', 'failed', 'unknown'])('that answers %s is believed', async (outcome) => {
    expect(await answering(() => Promise.resolve(outcome))).toBe(outcome);
    expect(warnings).toEqual([]);
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
    ['answers something else', () => Promise.resolve(200), 'an answer that is no outcome: 200'],
    ['does not answer', () => new Promise(() => {}), 'no answer within 50 ms'],
  ])('that %s has an unknown outcome, and the cause is reported', async (_, refund, cause) => {
    expect(await answering(refund)).toBe('unknown');
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([`RefundGateway: their-gateway, refund-1-2: ${cause}`]);
  });
});
