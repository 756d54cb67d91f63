import { isRefusal, refuse } from './refusal.js';

describe('a refusal', () => {
  it('carries its key, and the field only when one is at fault', () => {
    expect(refuse('API.Products.MissingVat')).toStrictEqual({ refused: 'API.Products.MissingVat' });
    expect(refuse('is invalid', 'qty')).toStrictEqual({ refused: 'is invalid', field: 'qty' });
  });

  it('is told apart from every other outcome', () => {
    expect(isRefusal(refuse('is invalid'))).toBe(true);
    for (const outcome of [undefined, null, 'refused', 0, {}, [], { status: 'paid' }]) {
      expect(isRefusal(outcome)).toBe(false);
    }
  });
});
