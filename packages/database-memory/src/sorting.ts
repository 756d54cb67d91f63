import { compare, type Keys } from './lists.js';

/**
 * Sorts by the keys in one direction; ties are sorted newest first. Missing values are the largest, as in PostgreSQL,
 * or last in both directions.
 */
export function compareByField<Row extends { readonly id: number }>(
  keys: Keys<Row>,
  direction: 'asc' | 'desc',
  nullOrder: 'largest' | 'last',
): (a: Row, b: Row) => number {
  const sign = direction === 'asc' ? 1 : -1;
  return (a, b) => {
    for (const key of keys) {
      const [keyA, keyB] = [key(a), key(b)];
      const order = compare(keyA, keyB);
      const isMissingLast = nullOrder === 'last' && (keyA === null || keyB === null);
      if (order !== 0) return isMissingLast ? order : sign * order;
    }
    return b.id - a.id;
  };
}
