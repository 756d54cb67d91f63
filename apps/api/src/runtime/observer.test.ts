import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import type { Request } from 'express';
import { pino } from 'pino';
import { Unavailable } from '../http/errors.js';
import { observerOf, refundReportOf } from './observer.js';

const logLines: Record<string, unknown>[] = [];
const logger = pino(
  { base: null },
  { write: (line: string) => void logLines.push(JSON.parse(line) as Record<string, unknown>) },
);
beforeEach(() => {
  logLines.length = 0;
});

describe('a failed request in the log', () => {
  const logFailure = (error: unknown): Record<string, unknown> | undefined => {
    const request = { headers: { 'x-request-id': 'r-1' } } as unknown as Request;
    observerOf(logger, { observe: () => {} }).onFailed(error, request);
    return logLines.at(-1);
  };

  it.each([
    ['unavailable', new Unavailable('The store cannot be read')],
    ['unavailable', new DatabaseUnavailable('Database unavailable (53300)')],
    ['unknown', new UnknownOutcome('The connection was lost')],
    ['bug', new TypeError('undefined is not a function')],
  ])('has the failure class %s after %s', (failure, error) => {
    expect(logFailure(error)).toMatchObject({ request_id: 'r-1', failure, error: { type: error.name } });
  });

  it('names the violated constraint without the values', () => {
    const violation = {
      code: '23505',
      constraint: 'cards_barcode_key',
      detail: 'Key (barcode)=(4006381333931) exists.',
    };
    const line = logFailure(Object.assign(new Error('duplicate key value violates unique constraint'), violation));
    expect(line).toMatchObject({ failure: 'bug', error: { code: '23505', constraint: 'cards_barcode_key' } });
    expect(JSON.stringify(line)).not.toContain('4006381333931');
  });
});

describe('a refund without an answer', () => {
  it('is logged in one line with gateway, key and cause', () => {
    refundReportOf(logger)({ gateway: 'their-gateway', idempotency_key: 'refund-1-2' }, new Error('No key'));
    expect(logLines).toEqual([
      expect.objectContaining({
        level: 40,
        msg: 'refund not answered',
        gateway: 'their-gateway',
        idempotency_key: 'refund-1-2',
        error: expect.objectContaining({ type: 'Error', message: 'No key' }),
      }),
    ]);
  });
});
