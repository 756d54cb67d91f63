import { explanationOf } from './explanation.js';
import { matcherOf } from './match.js';

const shirt = { id: 1, code: 'SHIRT', barcode: '860' };
const shoe = { id: 2, code: 'SHOE', barcode: '861' };
const matcher = matcherOf<{ id: number | null; code: string; barcode: string }>(['code', 'barcode'], [shirt, shoe]);

describe('explanationOf', () => {
  it('contains the ids of the records', () => {
    expect(explanationOf('variant', matcher.explain({ code: 'SHIRT', barcode: '861' }))).toEqual({
      record: 'variant',
      identifier: 'code',
      id: 1,
      others: [{ identifier: 'barcode', value: '861', id: 2 }],
    });
  });

  it('contains nulls when no record matches', () => {
    const nothing = { record: 'variant', identifier: null, id: null, others: [] };
    expect(explanationOf('variant', matcher.explain({ code: 'SOCK' }))).toEqual(nothing);
  });

  it('has no id for a record that is not inserted', () => {
    matcher.add({ id: null, code: 'SOCK', barcode: '862' });
    expect(explanationOf('variant', matcher.explain({ barcode: '862' }))).toMatchObject({
      identifier: 'barcode',
      id: null,
    });
    expect(explanationOf('variant', matcher.explain({ code: 'SHIRT', barcode: '862' }))).toMatchObject({
      id: 1,
      others: [{ identifier: 'barcode', value: '862', id: null }],
    });
  });
});
