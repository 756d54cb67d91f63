import { PLAIN_SPEECH } from '@back-office/apps';
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
    observerOf(logger, { observe: () => {}, countOverLimit: () => {} }).onFailed(error, request);
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

  it('shows the violated constraint without the values of the row', () => {
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

describe('a caller above a limit in the log', () => {
  it('appears only once', () => {
    const countedLimits: string[] = [];
    const observer = observerOf(logger, { observe: () => {}, countOverLimit: (limit) => countedLimits.push(limit) });
    const stranger = { appId: undefined, tokenId: undefined, address: '203.0.113.7' };
    const app = { appId: 3, tokenId: 5, address: '203.0.113.8' };
    for (let call = 0; call < 3; call += 1) observer.onLimit('address_rate', stranger);
    observer.onLimit('token_rate', app);
    expect(logLines).toMatchObject([
      { msg: 'limit exceeded', limit: 'address_rate', address: '203.0.113.7' },
      { msg: 'limit exceeded', limit: 'token_rate', app_id: 3, token_id: 5, address: '203.0.113.8' },
    ]);
    expect(countedLimits).toEqual(['address_rate', 'address_rate', 'address_rate', 'token_rate']);
  });
});

describe('a rejected token in the log', () => {
  const makeObserver = () => observerOf(logger, { observe: () => {}, countOverLimit: () => {} });

  it('is shown with its address and the start of its hash', () => {
    const token = { hashPrefix: '0123abcd' };
    const observer = makeObserver();
    for (let call = 0; call < 3; call += 1)
      observer.onRejected({ failure: 'API.Tokens.Invalid', speech: PLAIN_SPEECH, token }, '192.0.2.1');
    expect(logLines).toMatchObject([
      { msg: 'token failed', key: 'API.Tokens.Invalid', address: '192.0.2.1', token_hash: '0123abcd', count: 1 },
    ]);
  });

  it('is shown with its id and the missing scope', () => {
    const token = { tokenId: 5, appId: 2, hashPrefix: '0123abcd' };
    const observer = makeObserver();
    for (const scope of ['stock:read', 'stock:read', 'orders:read'] as const)
      observer.onRejected({ missingScope: scope, speech: PLAIN_SPEECH, token }, '192.0.2.1');
    expect(logLines).toMatchObject([
      { msg: 'scope refused', scope: 'stock:read', token_id: 5, app_id: 2, address: '192.0.2.1', count: 1 },
      { msg: 'scope refused', scope: 'orders:read', token_id: 5, count: 1 },
    ]);
  });
});
