import type { DesiredAttribute, DesiredAttributes } from '@back-office/catalogue';
import {
  CANT_BE_BLANK,
  isBlank,
  isRow,
  MAX_STRING_LENGTH,
  toLookupId,
  MALFORMED,
  rowErrorKey,
  rowErrorKeys,
  checkTextField,
} from '@back-office/kernel';

type Row = Readonly<Record<string, unknown>>;

const AREA = 'ProductAttributes';
/** Error keys of rows on their own, without the database. */
export const ATTRIBUTE_KEYS = [
  ...rowErrorKeys(AREA, { required: ['external_ref', 'value'], texts: ['code', 'barcode', 'name'] }),
  rowErrorKey(AREA, 'attributes', CANT_BE_BLANK),
];

const WRONG_TYPE = rowErrorKey(AREA, '', MALFORMED);

/** Parses a row; returns the key of its first error. */
export function parseAttributes(row: unknown): DesiredAttributes | string {
  if (!isRow(row)) return WRONG_TYPE;
  const { code, barcode, external_ref, attributes } = row as Partial<DesiredAttributes> & Row;
  const error = firstError(row, { code: false, barcode: false, external_ref: false });
  if (error !== undefined) return error;
  if (attributes === undefined || attributes === null) return rowErrorKey(AREA, 'attributes', CANT_BE_BLANK);
  if (!Array.isArray(attributes) || !attributes.every(isRow)) return WRONG_TYPE;
  const desired = attributes.map(parseAttribute);
  const key = desired.find((each) => typeof each === 'string');
  return key ?? { code, barcode, external_ref, attributes: desired as DesiredAttribute[] };
}

function parseAttribute(row: Row): DesiredAttribute | string {
  const { product_attribute_def_id: id } = row;
  if (id !== undefined && id !== null && !Number.isInteger(id)) return WRONG_TYPE;
  const error = firstError(row, { external_ref: true, code: false, name: false, value: true });
  return (
    error ?? {
      external_ref: row['external_ref'] as string,
      definitionId: typeof id === 'number' ? toLookupId(id) : undefined,
      code: blankToUndefined(row['code']),
      name: blankToUndefined(row['name']),
      value: row['value'] as string,
    }
  );
}

/** Returns the key of the first invalid text; `fields` says which are required. */
function firstError(row: Row, fields: Readonly<Record<string, boolean>>): string | undefined {
  for (const [field, required] of Object.entries(fields)) {
    const error = checkTextField(row[field], MAX_STRING_LENGTH, required);
    if (error !== undefined) return rowErrorKey(AREA, field, error);
  }
  return undefined;
}

function blankToUndefined(value: unknown): string | undefined {
  return typeof value === 'string' && !isBlank(value) ? value : undefined;
}
