import { LARGEST_AMOUNT, toMinor } from '@back-office/kernel';
import { CANT_BE_BLANK, IS_INVALID, IS_TOO_LONG, judgeText, MALFORMED } from './request-fields.js';
import { HttpProblem } from './errors.js';

/** Most rows of one bulk call; more are answered 413: split the batch. */
export const MOST_ROWS = 10_000;

/** The rows below the expected key of a bulk call. They are checked one by one later, without decorators: there may be 10,000. */
export function rowsOf(body: object, key: string): readonly unknown[] {
  const rows = (body as Record<string, unknown>)[key];
  if (!Array.isArray(rows)) throw new HttpProblem(400);
  if (rows.length > MOST_ROWS) throw new HttpProblem(413);
  return rows;
}

/** Most entries of the lists of one kind in all rows of a call: what fits into 10 MB would take longer than a call may. */
const MOST_NESTED = 30_000;

export function assertFewNested(count: number): void {
  if (count > MOST_NESTED) throw new HttpProblem(413);
}

export function isRow(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null && !Array.isArray(row);
}

/** What is wrong with a text of a row: `malformed`, `can't be blank`, `is invalid`, `is too long`, or nothing. */
export function wrongText(value: unknown, max: number, required: boolean): string | undefined {
  if (value === undefined || value === null) return required ? CANT_BE_BLANK : undefined;
  return judgeText(value, max, !required);
}

/** A number with at most `decimals` decimals, and at least `min` in its smallest unit. */
export function wrongAmount(value: unknown, decimals: number, min = 0): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number') return MALFORMED;
  const minor = toMinor(value, decimals);
  return minor === undefined || minor < min ? IS_INVALID : undefined;
}

/** Percent with at most two decimals, and at least `min` basis points. */
export function wrongPercentage(value: unknown, min = 0): string | undefined {
  return wrongAmount(value, 2, min) ?? (Number(value ?? 0) > 100 ? IS_INVALID : undefined);
}

export function wrongFlag(value: unknown): string | undefined {
  return value === undefined || value === null || typeof value === 'boolean' ? undefined : MALFORMED;
}

export function isQuantity(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= LARGEST_AMOUNT;
}

const RULE_NAMES: Readonly<Record<string, string>> = {
  [CANT_BE_BLANK]: 'CantBeBlank',
  [IS_INVALID]: 'IsInvalid',
  [IS_TOO_LONG]: 'IsTooLong',
};

/** What rows of an area may hold, by how it is judged. */
interface RowFields {
  /** Texts that must be there. */
  readonly required?: readonly string[];
  /** Texts that may be absent. */
  readonly texts?: readonly string[];
  /** Numbers that must be there. */
  readonly numbers?: readonly string[];
  /** What may be absent and has a range or a form. */
  readonly others?: readonly string[];
}

/** All keys by which the rows of an area may break a rule of one of their fields. */
export function rowKeys(area: string, { required = [], texts = [], numbers = [], others = [] }: RowFields): string[] {
  const keysOf = (fields: readonly string[], wrong: string) => fields.map((field) => rowKey(area, field, wrong));
  return [
    rowKey(area, '', MALFORMED),
    ...keysOf([...required, ...numbers], CANT_BE_BLANK),
    ...keysOf([...required, ...texts, ...numbers, ...others], IS_INVALID),
    ...keysOf([...required, ...texts], IS_TOO_LONG),
  ];
}

/** The key of a bulk row's broken rule, naming area, field and rule: `API.Warehouses.NameCantBeBlank`. */
export function rowKey(area: string, field: string, wrong: string): string {
  if (wrong === MALFORMED) return `API.${area}.WrongDataType`;
  const name = field.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `API.${area}.${name}${RULE_NAMES[wrong]}`;
}
