export type Identifier = 'id' | 'code' | 'barcode' | 'external_ref';

export type Identified = { readonly [Name in Identifier]?: unknown };

/** Which record each row names, as far as the identifiers of its call find one. */
export interface Matcher<Record extends Identified> {
  /** The record that the first finding identifier of the row names. Whether the others agree is not asked. */
  find(row: Identified): Record | undefined;
  /** The record that holds exactly this value of one identifier. */
  holder(identifier: Identifier, value: unknown): Record | undefined;
  /** Makes a record findable, also by rows that come later in the same call. */
  add(record: Record): void;
  /** Takes a record out, so that it can be added again with other identifiers. */
  remove(record: Record): void;
}

/**
 * Tries `order` from left to right for each row. Matching is exact: case and spaces count, and a number never
 * matches a text. Absent, null and empty values name nothing.
 */
export function matcherOf<Record extends Identified>(
  order: readonly Identifier[],
  records: readonly Record[],
): Matcher<Record> {
  const indexes = new Map(order.map((identifier) => [identifier, new Map<unknown, Record>()]));
  const holder = (identifier: Identifier, value: unknown): Record | undefined =>
    names(value) ? indexes.get(identifier)?.get(value) : undefined;
  const matcher: Matcher<Record> = {
    holder,
    find(row) {
      for (const identifier of order) {
        const found = holder(identifier, row[identifier]);
        if (found) return found;
      }
      return undefined;
    },
    add(record) {
      for (const [identifier, index] of indexes) if (names(record[identifier])) index.set(record[identifier], record);
    },
    remove(record) {
      for (const [identifier, index] of indexes) {
        if (index.get(record[identifier]) === record) index.delete(record[identifier]);
      }
    },
  };
  for (const record of records) matcher.add(record);
  return matcher;
}

function names(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
