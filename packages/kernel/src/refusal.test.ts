import { isRefusal, refuse, refuseValue } from './refusal.js';

describe('a refusal', () => {
  it('has a key, and a field when one is passed', () => {
    expect(refuse('API.Products.MissingVat')).toStrictEqual({ refused: 'API.Products.MissingVat' });
    expect(refuse('is invalid', 'qty')).toStrictEqual({ refused: 'is invalid', field: 'qty' });
  });

  it('truncates a long value', () => {
    const shownValue = (value: unknown) => refuseValue('K', 'state', value).values?.['state'];
    expect(shownValue('x'.repeat(255))).toBe('x'.repeat(255));
    expect(shownValue('\u{1f45f}'.repeat(9_000))).toBe('\u{1f45f}'.repeat(255));
    expect(shownValue(['x'.repeat(9_000)])).toBe(`["${'x'.repeat(253)}`);
    expect(shownValue({ a: [1] })).toEqual({ a: [1] });
  });

  it('shows the invalid value, or null if missing', () => {
    const key = 'API.CustomerChannelConsents.InvalidState';
    expect(refuseValue(key, 'state', 5)).toStrictEqual({ refused: key, values: { state: 5 } });
    expect(refuseValue(key, 'state', undefined)).toStrictEqual({ refused: key, values: { state: null } });
  });

  it('is recognized by isRefusal', () => {
    expect(isRefusal(refuse('is invalid'))).toBe(true);
    for (const outcome of [undefined, null, 'refused', 0, {}, [], { status: 'paid' }]) {
      expect(isRefusal(outcome)).toBe(false);
    }
  });
});
