import { isRefusal, refuse, refuseValue } from './refusal.js';

describe('a refusal', () => {
  it('carries its key, and the field only when one is at fault', () => {
    expect(refuse('API.Products.MissingVat')).toStrictEqual({ refused: 'API.Products.MissingVat' });
    expect(refuse('is invalid', 'qty')).toStrictEqual({ refused: 'is invalid', field: 'qty' });
  });

  it('shows no more than the beginning of a long value', () => {
    const shown = (value: unknown) => refuseValue('K', 'state', value).values?.['state'];
    expect(shown('x'.repeat(255))).toBe('x'.repeat(255));
    expect(shown('\u{1f45f}'.repeat(9_000))).toBe('\u{1f45f}'.repeat(255));
    expect(shown(['x'.repeat(9_000)])).toBe(`["${'x'.repeat(253)}`);
    expect(shown({ a: [1] })).toEqual({ a: [1] });
  });

  it('shows the value that is at fault, null when none was sent', () => {
    const key = 'API.CustomerChannelConsents.InvalidState';
    expect(refuseValue(key, 'state', 5)).toStrictEqual({ refused: key, values: { state: 5 } });
    expect(refuseValue(key, 'state', undefined)).toStrictEqual({ refused: key, values: { state: null } });
  });

  it('is told apart from every other outcome', () => {
    expect(isRefusal(refuse('is invalid'))).toBe(true);
    for (const outcome of [undefined, null, 'refused', 0, {}, [], { status: 'paid' }]) {
      expect(isRefusal(outcome)).toBe(false);
    }
  });
});
