import { InvalidPosition, isStorable, type Position, type Sorting } from '@back-office/kernel';
import { NAME_SEPARATOR } from '@back-office/database';
import type { Placeholder } from './placeholders.js';

export interface SortKey {
  readonly sql: string;
  readonly type: 'bigint' | 'text' | 'timestamptz';
  readonly direction: Sorting['direction'];
  /** Set only for nullable values, because PostgreSQL could otherwise not use the index. */
  readonly nulls?: 'first' | 'last';
  /** Text that all values contain. Positions of earlier releases lack it. */
  readonly mark?: string;
}

const MAX_KEY_LENGTH = 10_000;
const VALID_TEXTS: Readonly<Record<SortKey['type'], (text: string) => boolean>> = {
  bigint: (text) => /^-?\d{1,18}$/.test(text),
  text: (text) => isStorable(text) && text.length <= MAX_KEY_LENGTH,
  timestamptz: isTimestamp,
};

/**
 * Refuses the year 0 and days such as 30 February, because PostgreSQL refuses them. `Date` would move such a day to the
 * next month.
 */
function isTimestamp(text: string): boolean {
  const [, date = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{6}Z$/.exec(text) ?? [];
  const time = Date.parse(`${date}Z`);
  return !Number.isNaN(time) && !date.startsWith('0000') && new Date(time).toISOString().startsWith(date);
}

export function orderSql(keys: readonly Omit<SortKey, 'type'>[]): string {
  return keys
    .map(({ sql, direction, nulls }) => `${sql} ${direction}${nulls === undefined ? '' : ` nulls ${nulls}`}`)
    .join(', ');
}

export function positionSql(keys: readonly SortKey[]): string {
  const texts = keys.map(({ sql, type }) =>
    type === 'timestamptz' ? `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')` : `(${sql})::text`,
  );
  return `json_build_array(${texts.join(', ')})`;
}

/** Returns a condition that a row comes after `position`. Throws {@link InvalidPosition}. */
export function afterSql(keys: readonly SortKey[], position: Position, value: Placeholder): string {
  if (position.length !== keys.length) throw new InvalidPosition();
  const bounds = keys.map((key, index) => boundOf(key, position[index] ?? null, value));
  const [firstKey] = keys;
  if (keys.every(({ direction, nulls }) => nulls === undefined && direction === firstKey?.direction)) {
    const row = (texts: readonly (string | null)[]): string => `(${texts.join(', ')})`;
    return `${row(keys.map(({ sql }) => sql))} ${firstKey?.direction === 'asc' ? '>' : '<'} ${row(bounds)}`;
  }
  const isAfter = keys.reduceRight((followingKeys, key, index) => {
    const bound = bounds[index] ?? null;
    const isEqual = bound === null ? `${key.sql} is null` : `${key.sql} = ${bound}`;
    return `(${isAfterBound(key, bound)} or (${isEqual} and ${followingKeys}))`;
  }, 'false');
  // The range of the first key lets PostgreSQL skip earlier rows of the index.
  const range =
    firstKey?.nulls === undefined
      ? `${firstKey?.sql} ${firstKey?.direction === 'asc' ? '>=' : '<='} ${bounds[0]} and `
      : '';
  return `(${range}${isAfter})`;
}

function boundOf({ type, nulls, mark = '' }: SortKey, text: string | null, value: Placeholder): string | null {
  if (text === null) {
    if (nulls === undefined) throw new InvalidPosition();
    return null;
  }
  if (!VALID_TEXTS[type](text) || !text.includes(mark)) throw new InvalidPosition();
  return `${value(text)}::${type}`;
}

function isAfterBound({ sql, direction, nulls }: SortKey, bound: string | null): string {
  if (bound === null) return nulls === 'first' ? `${sql} is not null` : 'false';
  const isGreater = `${sql} ${direction === 'asc' ? '>' : '<'} ${bound}`;
  return nulls === 'last' ? `(${isGreater} or ${sql} is null)` : isGreater;
}

/**
 * Key that sorts by folded names, then by the names; null if both are. The order is the same in every database: most
 * collations ignore the separator, and would sort `Anna Bo` before `An Zec`.
 */
export function nameKey(name: string, secondName = 'null'): Pick<SortKey, 'sql' | 'type' | 'mark'> {
  return { sql: `name_sort_key(${name}, ${secondName}) collate "C"`, type: 'text', mark: NAME_SEPARATOR };
}

/** Returns a CTE with the ids of a page and their ordinals. `selectIds` must return the ids in order. */
export function pageCte(selectIds: string): string {
  return `page as (select id, row_number() over () as ordinal from (${selectIds}) as ids)`;
}
