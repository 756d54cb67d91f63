import type { DesiredImage, DesiredProduct, DesiredVariant } from '@back-office/catalogue';
import {
  isRow,
  MAX_AMOUNT,
  MAX_STRING_LENGTH,
  MAX_TEXT_LENGTH,
  toLookupId,
  MALFORMED,
  rowErrorKey,
  rowErrorKeys,
  sum,
  toMinor,
  checkAmount,
  checkFlag,
  checkPercentage,
  checkTextField,
  checkImageUrlField,
} from '@back-office/kernel';
import { fieldOfMessageKey } from '../http/failed-rows.js';
import { MAX_ROWS } from '../http/row-check.js';

type Row = Readonly<Record<string, unknown>>;

/** Null clears a stored field. In a new record, null means that the field is absent. */
const typeOrNull = (type: string) => [type, 'null'] as never;
const stringSchema = (maxLength = 255) => ({ type: typeOrNull('string'), maxLength });
const amountSchema = { type: typeOrNull('number'), minimum: 0 };
const rateSchema = { type: typeOrNull('number'), minimum: 0, maximum: 100 };
const imageListSchema = {
  type: typeOrNull('array'),
  description: 'appended on every call',
  maxItems: MAX_ROWS,
  items: {
    type: 'object' as const,
    properties: { image_url: { type: 'string' as const, maxLength: 2_048 }, alt: stringSchema(5_000) },
    required: ['image_url'],
  },
};

export const PRODUCT_ROW_SCHEMA = {
  type: 'object' as const,
  properties: {
    id: { type: typeOrNull('integer') },
    code: stringSchema(),
    barcode: { ...stringSchema(), description: 'stored, but not used for matching' },
    external_ref: { ...stringSchema(), description: 'used for matching only, never stored' },
    name: stringSchema(),
    slug: stringSchema(),
    description: stringSchema(5_000),
    vat_rate: rateSchema,
    price: amountSchema,
    active: { type: typeOrNull('boolean') },
    images: imageListSchema,
    variants: {
      type: typeOrNull('array'),
      maxItems: MAX_ROWS,
      items: {
        type: 'object' as const,
        properties: {
          code: stringSchema(),
          barcode: stringSchema(),
          external_ref: stringSchema(),
          name: stringSchema(),
          price: amountSchema,
          vat_rate: rateSchema,
          images: imageListSchema,
        },
      },
    },
  },
};

const PLAN_ERRORS = [
  'VariantOfAnotherProduct',
  'CodeAlreadyExists',
  'BarcodeAlreadyExists',
  'ExternalRefAlreadyExists',
];

export const PRODUCT_ERROR_KEYS = [
  ...rowErrorKeys('Products', {
    required: ['image_url'],
    texts: ['code', 'barcode', 'external_ref', 'name', 'slug', 'description', 'alt'],
    optionalValues: ['price', 'vat_rate'],
  }),
  ...['CodeCantBeBlank', 'NameCantBeBlank', ...PLAN_ERRORS, 'SlugAlreadyExists'].map((rule) => `API.Products.${rule}`),
];

const WRONG_TYPE = rowErrorKey('Products', '', MALFORMED);
const MAX_URL_LENGTH = 2_048;

export function countNested(rows: readonly unknown[]): { readonly variants: number; readonly images: number } {
  let [variantCount, imageCount] = [0, 0];
  for (const row of rows) {
    const variants = nestedList(row, 'variants');
    variantCount += variants.length;
    imageCount +=
      nestedList(row, 'images').length + sum(variants.map((variant) => nestedList(variant, 'images').length));
  }
  return { variants: variantCount, images: imageCount };
}

function nestedList(row: unknown, field: string): readonly unknown[] {
  const list = isRow(row) ? row[field] : undefined;
  return Array.isArray(list) ? list : [];
}

/** Returns the parsed row, or the message key of its first error. */
export function parseProductRow(row: unknown, decimals: number): DesiredProduct | string {
  if (!isRow(row)) return WRONG_TYPE;
  const error = checkProduct(row, decimals);
  if (error !== undefined) return error.key;
  return {
    id: typeof row['id'] === 'number' ? toLookupId(row['id']) : undefined,
    code: row['code'] as string | undefined,
    barcode: row['barcode'] as string | undefined,
    external_ref: row['external_ref'] as string | undefined,
    name: row['name'] as string | undefined,
    slug: row['slug'] as string | undefined,
    description: row['description'] as string | undefined,
    price: toMinorUnits(row['price'], decimals),
    vatRate: toMinorUnits(row['vat_rate'], 2),
    active: (row['active'] as boolean | null | undefined) ?? undefined,
    images: parseImages(row),
    variants: entriesOf(row, 'variants').map((variant) => parseVariant(variant, decimals)),
  };
}

export interface ProductFailure {
  readonly key: string;
  /** Index of the variant that broke the rule; `undefined` if it was the product. */
  readonly variantIndex: number | undefined;
}

/** Returns the path of the invalid field within the row, such as `variants.0.barcode`. */
export function fieldOfProductError(
  row: unknown,
  { key, variantIndex }: ProductFailure,
  decimals: number,
): string | undefined {
  if (!isRow(row)) return undefined;
  const error = checkProduct(row, decimals);
  if (error !== undefined) return error.field;
  const field = fieldOfMessageKey(key);
  if (variantIndex === undefined) return field;
  return ['variants', variantIndex, field].filter((part) => part !== undefined).join('.');
}

function parseVariant(row: Row, decimals: number): DesiredVariant {
  return {
    code: row['code'] as string | undefined,
    barcode: row['barcode'] as string | undefined,
    external_ref: row['external_ref'] as string | undefined,
    name: row['name'] as string | undefined,
    price: toMinorUnits(row['price'], decimals),
    vatRate: toMinorUnits(row['vat_rate'], 2),
    images: parseImages(row),
  };
}

interface RowError {
  readonly field: string;
  readonly key: string;
}

function checkProduct(row: Row, decimals: number): RowError | undefined {
  const id = row['id'];
  if (id !== undefined && id !== null && !Number.isInteger(id)) return wrongType('id');
  return (
    checkLists(row, ['images', 'variants']) ??
    checkFields(row, decimals, ['code', 'barcode', 'external_ref', 'name', 'slug']) ??
    toRowError('description', checkTextField(row['description'], MAX_TEXT_LENGTH, false)) ??
    toRowError('active', checkFlag(row['active'])) ??
    checkImages(row) ??
    findFirstError(row, 'variants', (variant) => checkVariant(variant, decimals))
  );
}

function checkLists(row: Row, fields: readonly string[]): RowError | undefined {
  const invalidField = fields.find((field) => !isListOfObjects(row[field]));
  return invalidField === undefined ? undefined : wrongType(invalidField);
}

function checkVariant(row: Row, decimals: number): RowError | undefined {
  if (!isListOfObjects(row['images'])) return wrongType('images');
  return checkFields(row, decimals, ['code', 'barcode', 'external_ref', 'name']) ?? checkImages(row);
}

function checkFields(row: Row, decimals: number, texts: readonly string[]): RowError | undefined {
  for (const field of texts) {
    const error = toRowError(field, checkTextField(row[field], MAX_STRING_LENGTH, false));
    if (error !== undefined) return error;
  }
  return (
    toRowError('price', checkAmount(row['price'], decimals)) ?? toRowError('vat_rate', checkPercentage(row['vat_rate']))
  );
}

function checkImages(row: Row): RowError | undefined {
  return findFirstError(
    row,
    'images',
    (image) =>
      toRowError('image_url', checkImageUrlField(image['image_url'], MAX_URL_LENGTH, true)) ??
      toRowError('alt', checkTextField(image['alt'], MAX_TEXT_LENGTH, false)),
  );
}

/** Absent images stay `undefined`, because an empty list can mean that stored images are removed. */
function parseImages(row: Row): readonly DesiredImage[] | undefined {
  const images = row['images'] as readonly Row[] | null | undefined;
  return images?.map((image) => ({
    imageUrl: image['image_url'] as string,
    alt: (image['alt'] as string | undefined) ?? null,
  }));
}

function toRowError(field: string, error: string | undefined): RowError | undefined {
  return error === undefined ? undefined : { field, key: rowErrorKey('Products', field, error) };
}

function wrongType(field: string): RowError {
  return { field, key: WRONG_TYPE };
}

function findFirstError(row: Row, list: string, check: (entry: Row) => RowError | undefined): RowError | undefined {
  for (const [index, entry] of entriesOf(row, list).entries()) {
    const error = check(entry);
    if (error !== undefined) return { ...error, field: `${list}.${index}.${error.field}` };
  }
  return undefined;
}

function isListOfObjects(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) && value.length <= MAX_ROWS && value.every(isRow);
}

const NO_ENTRIES: readonly never[] = [];

function entriesOf(row: Row, field: string): readonly Row[] {
  return (row[field] as readonly Row[] | null | undefined) ?? NO_ENTRIES;
}

function toMinorUnits(value: unknown, decimals: number): number | null | undefined {
  return typeof value === 'number' ? Math.min(toMinor(value, decimals) ?? 0, MAX_AMOUNT) : (value as null | undefined);
}
