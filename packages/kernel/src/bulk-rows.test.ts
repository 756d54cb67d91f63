import { failedRows, plannedOf, planRows, rejectionOf } from './bulk-rows.js';

describe('a bulk write of rows', () => {
  const plannedRows: [number, number][] = [];
  const outcomes = planRows<number, { readonly double: number }>([1, 'Unreadable', 3, 4], (row, index) => {
    plannedRows.push([row, index]);
    return row === 3 ? 'Odd' : { double: 2 * row };
  });

  it('returns one outcome per row, in input order', () => {
    expect(outcomes).toEqual([{ double: 2 }, 'Unreadable', 'Odd', { double: 8 }]);
  });

  it('plans only the valid rows, each with its index', () => {
    expect(plannedRows).toEqual([
      [1, 0],
      [3, 2],
      [4, 3],
    ]);
  });

  it('returns planned rows and failed rows separately', () => {
    expect(plannedOf(outcomes)).toEqual([{ double: 2 }, { double: 8 }]);
    expect(failedRows(outcomes)).toEqual([
      { row: 1, key: 'Unreadable' },
      { row: 2, key: 'Odd' },
    ]);
  });

  it('rejects all rows when one fails', () => {
    expect(rejectionOf(outcomes)).toEqual({
      failures: [
        { row: 1, key: 'Unreadable' },
        { row: 2, key: 'Odd' },
      ],
    });
    expect(rejectionOf([{ double: 2 }])).toBeUndefined();
    expect(rejectionOf([])).toBeUndefined();
  });
});
