import { isRow, type FailedRow, type RejectionReason } from '@back-office/kernel';
import type { Speech } from '@back-office/apps';
import { Type } from '@sinclair/typebox';
import type { Problem } from './problems.js';
import { described, integer, listOf, nullable, record, text } from './shapes.js';

/** Index and field of a failed row in a bulk call. */
export const FailedPlaceShape = {
  index: described(integer, 'index of the row in the request, from 0'),
  field: described(nullable(text), 'field of the row that broke the rule; null when the rule concerns several'),
};

const FailedRowShape = record({
  input: Type.Unknown(),
  error: record({ message: text }),
  ...FailedPlaceShape,
});
export const FailedRowsShape = listOf(FailedRowShape);

/** Returns the path of the invalid field within a row; `undefined` when the rule concerns several fields. */
export type FieldOf = (row: unknown, key: string, index: number) => string | undefined;

export function presentFailedRows(
  failed: readonly FailedRow[],
  rows: readonly unknown[],
  speech: Speech,
  fieldOf: FieldOf = (_row, key) => fieldOfMessageKey(key),
) {
  return failed.map(({ row, key }) => ({
    input: rows[row],
    error: { message: speech.say(key) },
    ...presentFailedPlace(row, fieldOf(rows[row], key, row)),
  }));
}

export function presentFailedPlace(index: number, field: string | undefined) {
  return { index, field: field ?? null };
}

const NAMED_FIELD = /^API\.\w+\.([A-Z]\w{0,40})(?:CantBeBlank|IsInvalid|IsTooLong|AlreadyExists)$/;

/** Returns the field named in a message key: `API.Warehouses.AddressLine1IsInvalid` → `address_line_1`. */
export function fieldOfMessageKey(key: string): string | undefined {
  const [, name] = NAMED_FIELD.exec(key) ?? [];
  return name?.replaceAll(/(?<!^)([A-Z]|\d+)/g, '_$1').toLowerCase();
}

/** Rows of a bulk call and the field of the body that contains them. */
export interface SentRows {
  readonly field: string;
  readonly rows: readonly unknown[];
}

export function rowProblem(
  { row, key }: RejectionReason,
  { field: rowsField, rows }: SentRows,
  speech: Speech,
  fieldOf: FieldOf = (_row, rowKey) => fieldOfMessageKey(rowKey),
): Problem {
  const message = speech.say(key);
  if (row === undefined) return { key, message };
  const field = fieldOf(rows[row], key, row);
  const identifiers = identifiersOf(rows[row]);
  return { key, message, row, rowsField, ...(field !== undefined && { field }), ...(identifiers && { identifiers }) };
}

const IDENTIFIERS = ['id', 'code', 'sku', 'barcode', 'external_ref', 'warehouse_code', 'order_number', 'name'];
const MAX_SHOWN_LENGTH = 255;

function identifiersOf(row: unknown): Problem['identifiers'] {
  if (!isRow(row)) return undefined;
  const entries = IDENTIFIERS.map((name) => [name, row[name]] as const).filter(
    ([, value]) => typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_SHOWN_LENGTH),
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
