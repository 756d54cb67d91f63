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
export const ATTRIBUTE_ERROR_KEYS = [
  ...rowErrorKeys(AREA, { required: ['external_ref', 'value'], texts: ['code', 'barcode', 'name'] }),
  rowErrorKey(AREA, 'attributes', CANT_BE_BLANK),
];

const WRONG_TYPE = rowErrorKey(AREA, '', MALFORMED);

/** Returns the parsed row, or the message key of its first error. */
export function parseAttributes(row: unknown): DesiredAttributes | string {
  if (!isRow(row)) return WRONG_TYPE;
  const error = checkRow(row);
  if (error !== undefined) return error.key;
  const { code, barcode, external_ref } = row as Partial<DesiredAttributes> & Row;
  return { code, barcode, external_ref, attributes: (row['attributes'] as readonly Row[]).map(parseAttribute) };
}

/** Returns the path of the invalid field within the row; `undefined` when the rule concerns several fields. */
export function fieldOfAttributeError(row: unknown): string | undefined {
  return isRow(row) ? checkRow(row)?.field : undefined;
}

interface RowError {
  readonly field: string;
  readonly key: string;
}

function checkRow(row: Row): RowError | undefined {
  const error = findFirstError(row, { code: false, barcode: false, external_ref: false });
  if (error !== undefined) return error;
  const { attributes } = row;
  if (attributes === undefined || attributes === null) return rowError('attributes', CANT_BE_BLANK);
  if (!Array.isArray(attributes) || !attributes.every(isRow)) return rowError('attributes', MALFORMED);
  for (const [index, attribute] of attributes.entries()) {
    const entryError = checkAttribute(attribute);
    if (entryError !== undefined) return { ...entryError, field: `attributes.${index}.${entryError.field}` };
  }
  return undefined;
}

function checkAttribute(row: Row): RowError | undefined {
  const { product_attribute_def_id: id } = row;
  if (id !== undefined && id !== null && !Number.isInteger(id)) return rowError('product_attribute_def_id', MALFORMED);
  return findFirstError(row, { external_ref: true, code: false, name: false, value: true });
}

function parseAttribute(row: Row): DesiredAttribute {
  const { product_attribute_def_id: id } = row;
  return {
    external_ref: row['external_ref'] as string,
    definitionId: typeof id === 'number' ? toLookupId(id) : undefined,
    code: blankToUndefined(row['code']),
    name: blankToUndefined(row['name']),
    value: row['value'] as string,
  };
}

function findFirstError(row: Row, isRequiredByField: Readonly<Record<string, boolean>>): RowError | undefined {
  for (const [field, isRequired] of Object.entries(isRequiredByField)) {
    const error = checkTextField(row[field], MAX_STRING_LENGTH, isRequired);
    if (error !== undefined) return rowError(field, error);
  }
  return undefined;
}

function rowError(field: string, error: string): RowError {
  return { field, key: rowErrorKey(AREA, field, error) };
}

function blankToUndefined(value: unknown): string | undefined {
  return typeof value === 'string' && !isBlank(value) ? value : undefined;
}
