import { isBlank } from '@back-office/kernel';

export type Identifier = 'id' | 'code' | 'barcode' | 'external_ref';

export type Identified = { readonly [Name in Identifier]?: unknown };

/** Finds the record with exactly this value of an identifier. */
export type Holder<Record> = (identifier: Identifier, value: unknown) => Record | undefined;

/** The record that a row finds, and the others that it names. */
export interface Match<Record> {
  /** The first identifier that finds a record. */
  readonly identifier: Identifier | undefined;
  readonly record: Record | undefined;
  /** Identifiers that name another record, in the order of attempts. */
  readonly others: readonly OtherMatch<Record>[];
}

export interface OtherMatch<Record> {
  readonly identifier: Identifier;
  readonly value: unknown;
  readonly record: Record;
}

/** Finds the records that the rows of a call name. */
export interface Matcher<Record extends Identified> {
  /** The record of the first identifier that finds one. */
  find(row: Identified): Record | undefined;
  /** Like {@link find}, with the identifiers that name other records. */
  explain(row: Identified): Match<Record>;
  /** The record with exactly this value of the identifier. */
  holder(identifier: Identifier, value: unknown): Record | undefined;
  /** Adds a record, which later rows of the call can find. */
  add(record: Record): void;
  /** Removes a record; it can be added again with other identifiers. */
  remove(record: Record): void;
  /**
   * Makes a record findable by a new value of one identifier, before the record itself changes. Returns a function that
   * undoes this; undo later changes first.
   */
  rename(record: Record, identifier: Identifier, to: unknown): () => void;
}

/**
 * Tries the identifiers in `order` for each row. Matching is exact: case and spaces count, and a number never matches a
 * text. Absent, null and blank values name nothing.
 */
export function matcherOf<Record extends Identified>(
  order: readonly Identifier[],
  records: readonly Record[],
): Matcher<Record> {
  const indexes = order.map((identifier) => ({ identifier, index: new Map<unknown, Record>() }));
  const indexOf = (identifier: Identifier) => indexes.find((each) => each.identifier === identifier)?.index;
  const holder: Holder<Record> = (identifier, value) => (isName(value) ? indexOf(identifier)?.get(value) : undefined);
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
        if (isName(record[identifier])) index.set(record[identifier], record);
      }
    },
    remove(record) {
      for (const { identifier, index } of indexes) {
        if (index.get(record[identifier]) === record) index.delete(record[identifier]);
      }
    },
    rename(record, identifier, to) {
      const index = indexOf(identifier);
      return index ? reindex(index, record, record[identifier], to) : () => {};
    },
  };
  for (const record of records) matcher.add(record);
  return matcher;
}

function reindex<Record>(index: Map<unknown, Record>, record: Record, from: unknown, to: unknown): () => void {
  const isHolder = index.get(from) === record;
  if (isHolder) index.delete(from);
  const before = index.get(to);
  if (isName(to)) index.set(to, record);
  return () => {
    if (before !== undefined) index.set(to, before);
    else index.delete(to);
    if (isHolder) index.set(from, record);
  };
}

/** Looks up every identifier of the row. Two identifiers agree when they find the same object. */
export function matchOf<Record>(order: readonly Identifier[], row: Identified, holder: Holder<Record>): Match<Record> {
  const named = order.flatMap((identifier): OtherMatch<Record>[] => {
    const record = holder(identifier, row[identifier]);
    return record === undefined ? [] : [{ identifier, value: row[identifier], record }];
  });
  const first = named[0];
  const others = named.filter(({ record }) => record !== first?.record);
  return { identifier: first?.identifier, record: first?.record, others };
}

function isName(value: unknown): boolean {
  return typeof value === 'string' ? !isBlank(value) : value !== undefined && value !== null;
}
