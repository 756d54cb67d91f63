import { isBlank, storedIdentifier } from '@back-office/kernel';

export type Identifier = 'id' | 'code' | 'barcode' | 'external_ref';

export type IdentifierValues = { readonly [Name in Identifier]?: unknown };

export type FindHolder<Record> = (identifier: Identifier, value: unknown) => Record | undefined;

export interface Match<Record> {
  readonly identifier: Identifier | undefined;
  readonly record: Record | undefined;
  readonly others: readonly OtherMatch<Record>[];
}

export interface OtherMatch<Record> {
  readonly identifier: Identifier;
  readonly value: unknown;
  readonly record: Record;
}

export interface FoundRecord<Record> {
  /** The identifier that found the record. */
  readonly identifier: Identifier;
  readonly record: Record;
}

export interface Matcher<Record extends IdentifierValues> {
  find(row: IdentifierValues): Record | undefined;
  findMatch(row: IdentifierValues): FoundRecord<Record> | undefined;
  explain(row: IdentifierValues): Match<Record>;
  findHolder(identifier: Identifier, value: unknown): Record | undefined;
  add(record: Record): void;
  remove(record: Record): void;
  /**
   * Indexes a record under a new value of an identifier, before the record itself changes. Returns a function that
   * undoes this. These functions must be called in reverse order.
   */
  rename(record: Record, identifier: Identifier, newValue: unknown): () => void;
}

/**
 * Tries the identifiers in `order` for each row. Matching is exact, including case and spaces; a number never matches a
 * text. Absent, null and blank values match nothing. A row that matches nothing is tried again with the stored forms of
 * its `trimmed` identifiers.
 */
export function matcherOf<Record extends IdentifierValues>(
  order: readonly Identifier[],
  records: readonly Record[],
  trimmed: readonly Identifier[] = [],
): Matcher<Record> {
  const indexes = order.map((identifier) => ({ identifier, index: new Map<unknown, Record>() }));
  const indexFor = (identifier: Identifier) => indexes.find((candidate) => candidate.identifier === identifier)?.index;
  const findHolder: FindHolder<Record> = (identifier, value) =>
    canMatch(value) ? indexFor(identifier)?.get(value) : undefined;
  const matcher: Matcher<Record> = {
    findHolder,
    explain: (row) => {
      const match = matchOf(order, row, findHolder);
      return match.record === undefined ? matchStoredForms(trimmed, row, findHolder) : match;
    },
    find: (row) => matcher.findMatch(row)?.record,
    findMatch: (row) => findExact(indexes, row) ?? findStoredForm(trimmed, row, findHolder),
    add(record) {
      for (const { identifier, index } of indexes)
        if (canMatch(record[identifier])) index.set(record[identifier], record);
    },
    remove(record) {
      for (const { identifier, index } of indexes)
        if (index.get(record[identifier]) === record) index.delete(record[identifier]);
    },
    rename(record, identifier, newValue) {
      const index = indexFor(identifier);
      return index ? reindex(index, record, record[identifier], newValue) : () => {};
    },
  };
  for (const record of records) matcher.add(record);
  return matcher;
}

interface IdentifierIndex<Record> {
  readonly identifier: Identifier;
  readonly index: ReadonlyMap<unknown, Record>;
}

function findExact<Record>(
  indexes: readonly IdentifierIndex<Record>[],
  row: IdentifierValues,
): FoundRecord<Record> | undefined {
  for (const { identifier, index } of indexes) {
    const record = index.get(row[identifier]);
    if (record) return { identifier, record };
  }
  return undefined;
}

function findStoredForm<Record>(
  trimmed: readonly Identifier[],
  row: IdentifierValues,
  findHolder: FindHolder<Record>,
): FoundRecord<Record> | undefined {
  if (!trimmed.some((identifier) => isPadded(row[identifier]))) return undefined;
  const { identifier, record } = matchStoredForms(trimmed, row, findHolder);
  return identifier && record && { identifier, record };
}

function isPadded(value: unknown): boolean {
  return typeof value === 'string' && value !== storedIdentifier(value);
}

function matchStoredForms<Record>(
  order: readonly Identifier[],
  row: IdentifierValues,
  findHolder: FindHolder<Record>,
): Match<Record> {
  const forms = order.map((identifier) => {
    const value = row[identifier];
    return [identifier, typeof value === 'string' ? storedIdentifier(value) : value];
  });
  return matchOf(order, Object.fromEntries(forms) as IdentifierValues, findHolder);
}

function reindex<Record>(
  index: Map<unknown, Record>,
  record: Record,
  oldValue: unknown,
  newValue: unknown,
): () => void {
  const isHolder = index.get(oldValue) === record;
  if (isHolder) index.delete(oldValue);
  const previousHolder = index.get(newValue);
  if (canMatch(newValue)) index.set(newValue, record);
  return () => {
    if (previousHolder !== undefined) index.set(newValue, previousHolder);
    else index.delete(newValue);
    if (isHolder) index.set(oldValue, record);
  };
}

/** Looks up every identifier of the row. `others` lists the identifiers that belong to other records than the match. */
export function matchOf<Record>(
  order: readonly Identifier[],
  row: IdentifierValues,
  findHolder: FindHolder<Record>,
): Match<Record> {
  const matches = order.flatMap((identifier): OtherMatch<Record>[] => {
    const record = findHolder(identifier, row[identifier]);
    return record === undefined ? [] : [{ identifier, value: row[identifier], record }];
  });
  const firstMatch = matches[0];
  const others = matches.filter(({ record }) => record !== firstMatch?.record);
  return { identifier: firstMatch?.identifier, record: firstMatch?.record, others };
}

function canMatch(value: unknown): boolean {
  return typeof value === 'string' ? !isBlank(value) : value !== undefined && value !== null;
}
