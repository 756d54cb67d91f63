import { failedRows, plannedOf, planRows, rejectionOf } from './bulk-rows.js';

describe('rows of a bulk write', () => {
  const seen: [number, number][] = [];
  const outcomes = planRows<number, { readonly double: number }>([1, 'Unreadable', 3, 4], (row, index) => {
    seen.push([row, index]);
    return row === 3 ? 'Odd' : { double: 2 * row };
  });

  it('have one outcome each, in input order', () => {
    expect(outcomes).toEqual([{ double: 2 }, 'Unreadable', 'Odd', { double: 8 }]);
  });

  it('are planned with their position when valid', () => {
    expect(seen).toEqual([
      [1, 0],
      [3, 2],
      [4, 3],
    ]);
  });

  it('are split into planned and failed ones', () => {
    expect(plannedOf(outcomes)).toEqual([{ double: 2 }, { double: 8 }]);
    expect(failedRows(outcomes)).toEqual([
      { row: 1, key: 'Unreadable' },
      { row: 2, key: 'Odd' },
    ]);
  });

  it('are rejected together when any fails', () => {
    expect(rejectionOf(outcomes)).toEqual({ failures: ['Unreadable', 'Odd'] });
    expect(rejectionOf([{ double: 2 }])).toBeUndefined();
    expect(rejectionOf([])).toBeUndefined();
  });
});
