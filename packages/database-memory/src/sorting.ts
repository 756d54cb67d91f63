import { NAME_SEPARATOR, nameSortKey } from '@back-office/database';
import { InvalidPosition, type ListedPage, type Page, type Position } from '@back-office/kernel';
import { compare } from './lists.js';

type KeyValue = string | number | null;

export interface SortKey<Row> {
  readonly value: (row: Row) => KeyValue;
  readonly direction: 'asc' | 'desc';
  /** By default, missing values are the largest, as in PostgreSQL. */
  readonly nulls?: 'last';
  /** Text that all values contain. */
  readonly mark?: string;
}

/** Key that sorts by folded names, then by the names. */
export function nameKey<Row>(names: (row: Row) => readonly (string | null)[]): Pick<SortKey<Row>, 'value' | 'mark'> {
  return { value: (row) => nameSortKey(...names(row)), mark: NAME_SEPARATOR };
}

/** Returns a page of the rows. The last key must be unique. */
export function listPage<Row>(
  rows: readonly Row[],
  keys: readonly SortKey<Row>[],
  { offset, limit, after }: Page,
): { readonly rows: readonly Row[]; readonly end: Position | null } {
  const sortedRows = rows
    .map((row) => ({ row, values: keys.map((key) => key.value(row)) }))
    .sort((a, b) => compareValues(keys, a.values, b.values));
  const position =
    after &&
    parsePosition(
      after,
      keys,
      sortedRows.map(({ values }) => values),
    );
  const followingRows = position
    ? sortedRows.filter(({ values }) => compareValues(keys, values, position) > 0)
    : sortedRows;
  const page = followingRows.slice(offset, offset + limit);
  const end = page[limit - 1]?.values.map((value) => (value === null ? null : String(value))) ?? null;
  return { rows: page.map(({ row }) => row), end };
}

export function listedPage<Row>(
  rows: readonly Row[],
  keys: readonly SortKey<Row>[],
  page: Page,
  present: (row: Row) => object,
): ListedPage {
  const listed = listPage(rows, keys, page);
  return { json: JSON.stringify(listed.rows.map(present)), end: listed.end };
}

/** Converts the texts of keys that have numbers in the rows to numbers. Throws {@link InvalidPosition}. */
function parsePosition<Row>(
  position: Position,
  keys: readonly SortKey<Row>[],
  rows: readonly (readonly KeyValue[])[],
): readonly KeyValue[] {
  if (position.length !== keys.length) throw new InvalidPosition();
  return position.map((text, index) => {
    if (text === null && rows.every((values) => values[index] !== null)) throw new InvalidPosition();
    if (text !== null && !text.includes(keys[index]?.mark ?? '')) throw new InvalidPosition();
    if (text === null || !rows.some((values) => typeof values[index] === 'number')) return text;
    const number = Number(text);
    if (text === '' || Number.isNaN(number)) throw new InvalidPosition();
    return number;
  });
}

function compareValues<Row>(keys: readonly SortKey<Row>[], a: readonly KeyValue[], b: readonly KeyValue[]): number {
  for (const [index, { direction, nulls }] of keys.entries()) {
    const [valueA = null, valueB = null] = [a[index], b[index]];
    const order = compare(valueA, valueB);
    if (order === 0) continue;
    const isMissingLast = nulls === 'last' && (valueA === null || valueB === null);
    return direction === 'asc' || isMissingLast ? order : -order;
  }
  return 0;
}
