import { isBlank, LONGEST_STRING, lookUpId } from '@back-office/kernel';
import { CANT_BE_BLANK, MALFORMED } from '../http/request-fields.js';
import { isRow, rowKey, rowKeys, wrongText } from '../http/row-check.js';

/** A product, by one of its variants, and the attributes that it gets. */
export interface AttributesWish {
  readonly code?: string | null | undefined;
  readonly barcode?: string | null | undefined;
  readonly external_ref?: string | null | undefined;
  readonly attributes: readonly AttributeWish[];
}

export interface AttributeWish {
  readonly external_ref: string;
  /** Must be the id of the definition that the reference names. */
  readonly definitionId: number | undefined;
  /** Undefined keeps what the definition has. */
  readonly code: string | undefined;
  readonly name: string | undefined;
  readonly value: string;
}

type Row = Readonly<Record<string, unknown>>;

const AREA = 'ProductAttributes';
/** All keys by which the rows may break a rule by themselves. */
export const ATTRIBUTE_KEYS = [
  ...rowKeys(AREA, { required: ['external_ref', 'value'], texts: ['code', 'barcode', 'name'] }),
  rowKey(AREA, 'attributes', CANT_BE_BLANK),
];

const WRONG_TYPE = rowKey(AREA, '', MALFORMED);

/** A row of PUT /int/product_attributes as a wish, or the key of the first rule that it breaks. */
export function attributesWish(row: unknown): AttributesWish | string {
  if (!isRow(row)) return WRONG_TYPE;
  const { code, barcode, external_ref, attributes } = row as Partial<AttributesWish> & Row;
  const wrong = firstWrong(row, { code: false, barcode: false, external_ref: false });
  if (wrong !== undefined) return wrong;
  if (attributes === undefined || attributes === null) return rowKey(AREA, 'attributes', CANT_BE_BLANK);
  if (!Array.isArray(attributes) || !attributes.every(isRow)) return WRONG_TYPE;
  const wishes = attributes.map(attributeWish);
  const key = wishes.find((wish) => typeof wish === 'string');
  return key ?? { code, barcode, external_ref, attributes: wishes as AttributeWish[] };
}

function attributeWish(row: Row): AttributeWish | string {
  const { product_attribute_def_id: id } = row;
  if (id !== undefined && id !== null && !Number.isInteger(id)) return WRONG_TYPE;
  const wrong = firstWrong(row, { external_ref: true, code: false, name: false, value: true });
  return (
    wrong ?? {
      external_ref: row['external_ref'] as string,
      definitionId: typeof id === 'number' ? lookUpId(id) : undefined,
      code: textOf(row['code']),
      name: textOf(row['name']),
      value: row['value'] as string,
    }
  );
}

/** The key of the first text that breaks a rule; each field with whether it is required. */
function firstWrong(row: Row, fields: Readonly<Record<string, boolean>>): string | undefined {
  for (const [field, required] of Object.entries(fields)) {
    const wrong = wrongText(row[field], LONGEST_STRING, required);
    if (wrong !== undefined) return rowKey(AREA, field, wrong);
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && !isBlank(value) ? value : undefined;
}
