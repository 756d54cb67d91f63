import type { Page } from '@back-office/kernel';

export type Keys<Row> = readonly ((row: Row) => string | number | null)[];

/** Sorts texts by code points. Null comes last. */
export function sortBy<Row>(rows: readonly Row[], keys: Keys<Row>): Row[] {
  return [...rows].sort((a, b) => {
    for (const key of keys) {
      const order = compare(key(a), key(b));
      if (order !== 0) return order;
    }
    return 0;
  });
}

export function compare(a: string | number | null, b: string | number | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  return a < b ? -1 : 1;
}

/** Compares UTF-8 bytes, because they sort like code points. UTF-16 units do not. */
function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function pageOf<Row>(rows: readonly Row[], { offset, limit }: Page): Row[] {
  return rows.slice(offset, offset + limit);
}

export function pick<Row, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;
}

export function groupBy<Row, Value>(rows: readonly Row[], key: (row: Row) => Value): Map<Value, Row[]> {
  const groups = new Map<Value, Row[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return groups;
}
