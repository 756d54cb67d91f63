import { merge } from './merge.js';

describe('merge', () => {
  it('adds and replaces fields in a new object', () => {
    const base = { code: 'A', qty: 1 };
    expect(merge(base, { qty: 2, price: 500 })).toEqual({ code: 'A', qty: 2, price: 500 });
    expect(base).toEqual({ code: 'A', qty: 1 });
  });

  it('keeps the order of the fields of its first object', () => {
    expect(Object.keys(merge({ code: 'A', qty: 1 }, { price: 500, code: 'B' }))).toEqual(['code', 'qty', 'price']);
  });
});
