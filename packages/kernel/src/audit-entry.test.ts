import { changedFields, changedRecords } from './audit-entry.js';

describe('changedFields', () => {
  it('returns the fields whose values differ', () => {
    const before = { name: 'A', list: [1], same: { a: 1 }, removed: 1 };
    const after = { name: 'B', list: [1, 2], same: { a: 1 }, added: null };
    expect(changedFields(before, after)).toEqual({
      before: { name: 'A', list: [1], removed: 1 },
      after: { name: 'B', list: [1, 2], added: null },
    });
  });

  it('returns no field of equal records', () => {
    expect(changedFields({ a: [1] }, { a: [1] })).toEqual({ before: {}, after: {} });
  });
});

describe('changedRecords', () => {
  const before = new Map([
    ['A', { price: 1, name: 'a' }],
    ['B', { price: 2 }],
  ]);

  it('counts the records and shows their changed fields', () => {
    const after = new Map([
      ['A', { price: 5, name: 'a' }],
      ['B', { price: 2 }],
      ['C', { price: 3 }],
    ]);
    expect(changedRecords(before, after)).toEqual({
      before: { A: { price: 1 } },
      after: { created: 1, changed: 1, records: { A: { price: 5 }, C: { price: 3 } } },
    });
  });

  it('is undefined when nothing changes', () => {
    expect(changedRecords(before, new Map([['B', { price: 2 }]]))).toBeUndefined();
    expect(changedRecords(before, new Map())).toBeUndefined();
  });

  it('lists at most 100 records, and replaces long values by their length', () => {
    const after = new Map(Array.from({ length: 300 }, (_, index) => [`N${index}`, { codes: 'x'.repeat(600) }]));
    const { after: shown } = changedRecords(new Map(), after) as { after: { created: number; records: object } };
    expect([shown.created, Object.keys(shown.records).length]).toEqual([300, 100]);
    expect(Object.values(shown.records)[0]).toEqual({ codes: { length: 602 } });
  });
});
