import { EVENT_TYPES } from '@back-office/kernel';
import { parseSubject, rotatedSecrets, selectionOf } from './webhook-endpoint.js';

const NOW = new Date('2026-11-21T10:00:00Z');
const LATER = new Date('2026-11-22T10:00:00Z');

describe('parseSubject', () => {
  it('parses the kind and the ids of a record', () => {
    expect(parseSubject('stocks/5/2')).toEqual({ types: ['stock.changed'], record: { id: 5, warehouseId: 2 } });
    expect(parseSubject('consents/7')).toEqual({ types: ['consent.changed'], record: { id: 7 } });
  });

  it.each([
    '',
    'orders',
    'orders/',
    'orders/x',
    'orders/1/2',
    'stocks/1',
    'orders/01',
    'orders/+1',
    'stocks/1/x',
    'unknown/1',
  ])('refuses %j', (subject) => {
    expect(parseSubject(subject)).toBe(undefined);
  });
});

describe('selectionOf', () => {
  const ALL = { types: null, subject: null, areas: null };

  it('selects every type of event without a filter', () => {
    expect(selectionOf(ALL)).toEqual({ types: EVENT_TYPES });
  });

  it('selects only the types of event that every filter allows', () => {
    expect(selectionOf({ ...ALL, types: ['order.created', 'stock.changed'], areas: ['stock'] })).toEqual({
      types: ['stock.changed'],
    });
    expect(selectionOf({ ...ALL, types: ['order.created'], subject: 'orders/5' })).toEqual({
      types: ['order.created'],
      record: { id: 5 },
    });
    expect(selectionOf({ ...ALL, areas: [] })).toEqual({ types: [] });
  });
});

describe('rotatedSecrets', () => {
  it('never postpones the end of an old secret', () => {
    const soon = new Date('2026-11-21T11:00:00Z');
    const secrets = [
      { secret: 'b', expiresAt: null },
      { secret: 'a', expiresAt: soon },
      { secret: 'old', expiresAt: NOW },
    ];
    expect(rotatedSecrets(secrets, 'c', LATER, NOW)).toEqual([
      { secret: 'c', expiresAt: null },
      { secret: 'b', expiresAt: LATER },
      { secret: 'a', expiresAt: soon },
    ]);
  });

  it('keeps at most four old secrets', () => {
    let secrets = rotatedSecrets([], 's0', LATER, NOW);
    for (let index = 1; index < 9; index += 1) secrets = rotatedSecrets(secrets, `s${index}`, LATER, NOW);
    expect(secrets.map(({ secret }) => secret)).toEqual(['s8', 's7', 's6', 's5', 's4']);
  });
});
