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

/** Returns the parsed row, or the key of its first error. */
export function parseAttributes(row: unknown): DesiredAttributes | string {
  if (!isRow(row)) return WRONG_TYPE;
  const { code, barcode, external_ref, attributes } = row as Partial<DesiredAttributes> & Row;
  const error = firstErrorKey(row, { code: false, barcode: false, external_ref: false });
  if (error !== undefined) return error;
  if (attributes === undefined || attributes === null) return rowErrorKey(AREA, 'attributes', CANT_BE_BLANK);
  if (!Array.isArray(attributes) || !attributes.every(isRow)) return WRONG_TYPE;
  const desiredAttributes = attributes.map(parseAttribute);
  const errorKey = desiredAttributes.find((attribute) => typeof attribute === 'string');
  return errorKey ?? { code, barcode, external_ref, attributes: desiredAttributes as DesiredAttribute[] };
}

function parseAttribute(row: Row): DesiredAttribute | string {
  const { product_attribute_def_id: id } = row;
  if (id !== undefined && id !== null && !Number.isInteger(id)) return WRONG_TYPE;
  const error = firstErrorKey(row, { external_ref: true, code: false, name: false, value: true });
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

function firstErrorKey(row: Row, isRequiredByField: Readonly<Record<string, boolean>>): string | undefined {
  for (const [field, isRequired] of Object.entries(isRequiredByField)) {
    const error = checkTextField(row[field], MAX_STRING_LENGTH, isRequired);
    if (error !== undefined) return rowErrorKey(AREA, field, error);
  }
  return undefined;
}

function blankToUndefined(value: unknown): string | undefined {
  return typeof value === 'string' && !isBlank(value) ? value : undefined;
}
