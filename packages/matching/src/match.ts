import { isBlank } from '@back-office/kernel';

export type Identifier = 'id' | 'code' | 'barcode' | 'external_ref';

export type Identified = { readonly [Name in Identifier]?: unknown };

/** Finds the record that holds exactly this value of an identifier. */
export type Holder<Record> = (identifier: Identifier, value: unknown) => Record | undefined;

/** How a row finds its record, and which others it names beside it. */
export interface Match<Record> {
  /** The first identifier that finds a record; `undefined` like the record when none does. */
  readonly identifier: Identifier | undefined;
  readonly record: Record | undefined;
  /** The row's identifiers that name another record than the one it finds, in the order in which they are tried. */
  readonly others: readonly Naming<Record>[];
}

export interface Naming<Record> {
  readonly identifier: Identifier;
  readonly value: unknown;
  readonly record: Record;
}

/** Which record each row names, as far as the identifiers of its call find one. */
export interface Matcher<Record extends Identified> {
  /** The record that the first finding identifier of the row names. Whether the others agree is not asked. */
  find(row: Identified): Record | undefined;
  /** As {@link find}, and whether the others agree. */
  explain(row: Identified): Match<Record>;
  /** The record that holds exactly this value of one identifier. */
  holder(identifier: Identifier, value: unknown): Record | undefined;
  /** Makes a record findable, also by rows that come later in the same call. */
  add(record: Record): void;
  /** Takes a record out, so that it can be added again with other identifiers. */
  remove(record: Record): void;
  /**
   * Makes a record, which still has its old value, findable by another value of one identifier, whoever was found by
   * it before; answers how to take that back, once everything that came later has been taken back.
   */
  rename(record: Record, identifier: Identifier, to: unknown): () => void;
}

/**
 * Tries `order` from left to right for each row. Matching is exact: case and spaces count, and a number never
 * matches a text. Absent, null and blank values name nothing.
 */
export function matcherOf<Record extends Identified>(
  order: readonly Identifier[],
  records: readonly Record[],
): Matcher<Record> {
  const indexes = order.map((identifier) => ({ identifier, index: new Map<unknown, Record>() }));
  const indexOf = (identifier: Identifier) => indexes.find((each) => each.identifier === identifier)?.index;
  const holder: Holder<Record> = (identifier, value) => (names(value) ? indexOf(identifier)?.get(value) : undefined);
  const matcher: Matcher<Record> = {
    holder,
    explain: (row) => matchOf(order, row, holder),
    find(row) {
      for (const { identifier, index } of indexes) {
        const found = index.get(row[identifier]);
        if (found) return found;
      }
      return undefined;
    },
    add(record) {
      for (const { identifier, index } of indexes) {
        if (names(record[identifier])) index.set(record[identifier], record);
      }
    },
    remove(record) {
      for (const { identifier, index } of indexes) {
        if (index.get(record[identifier]) === record) index.delete(record[identifier]);
      }
    },
    rename(record, identifier, to) {
      const index = indexOf(identifier);
      return index ? renamed(index, record, record[identifier], to) : () => {};
    },
  };
  for (const record of records) matcher.add(record);
  return matcher;
}

function renamed<Record>(index: Map<unknown, Record>, record: Record, from: unknown, to: unknown): () => void {
  const isHolder = index.get(from) === record;
  if (isHolder) index.delete(from);
  const before = index.get(to);
  if (names(to)) index.set(to, record);
  return () => {
    if (before !== undefined) index.set(to, before);
    else index.delete(to);
    if (isHolder) index.set(from, record);
  };
}

/** Asks for the holder of each identifier of the row; two identifiers agree when they are answered the same object. */
export function matchOf<Record>(order: readonly Identifier[], row: Identified, holder: Holder<Record>): Match<Record> {
  const named = order.flatMap((identifier): Naming<Record>[] => {
    const record = holder(identifier, row[identifier]);
    return record === undefined ? [] : [{ identifier, value: row[identifier], record }];
  });
  const first = named[0];
  const others = named.filter(({ record }) => record !== first?.record);
  return { identifier: first?.identifier, record: first?.record, others };
}

function names(value: unknown): boolean {
  return typeof value === 'string' ? !isBlank(value) : value !== undefined && value !== null;
}
