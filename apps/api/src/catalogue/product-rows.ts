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
  checkUrlField,
} from '@back-office/kernel';
import { MAX_ROWS } from '../http/row-check.js';

type Row = Readonly<Record<string, unknown>>;

/** Null clears a stored field, and counts as absent in a new record. */
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
  const variants = rows.flatMap((row) => nestedList(row, 'variants'));
  const images = [...rows, ...variants].map((owner) => nestedList(owner, 'images').length);
  return { variants: variants.length, images: sum(images) };
}

function nestedList(row: unknown, field: string): readonly unknown[] {
  const list = isRow(row) ? row[field] : undefined;
  return Array.isArray(list) ? list : [];
}

export function parseProductRow(row: unknown, decimals: number): DesiredProduct | string {
  if (!isRow(row)) return WRONG_TYPE;
  const error = checkProduct(row, decimals);
  if (error !== undefined) return error;
  return {
    id: typeof row['id'] === 'number' ? toLookupId(row['id']) : undefined,
    code: row['code'] as string | undefined,
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

function checkProduct(row: Row, decimals: number): string | undefined {
  const id = row['id'];
  if (id !== undefined && id !== null && !Number.isInteger(id)) return WRONG_TYPE;
  if (!isListOfObjects(row['images']) || !isListOfObjects(row['variants'])) return WRONG_TYPE;
  return (
    checkFields(row, decimals, ['code', 'external_ref', 'name', 'slug']) ??
    toErrorKey('description', checkTextField(row['description'], MAX_TEXT_LENGTH, false)) ??
    toErrorKey('active', checkFlag(row['active'])) ??
    checkImages(row) ??
    findFirstError(entriesOf(row, 'variants'), (variant) => checkVariant(variant, decimals))
  );
}

function checkVariant(row: Row, decimals: number): string | undefined {
  if (!isListOfObjects(row['images'])) return WRONG_TYPE;
  return checkFields(row, decimals, ['code', 'barcode', 'external_ref', 'name']) ?? checkImages(row);
}

function checkFields(row: Row, decimals: number, texts: readonly string[]): string | undefined {
  for (const field of texts) {
    const key = toErrorKey(field, checkTextField(row[field], MAX_STRING_LENGTH, false));
    if (key !== undefined) return key;
  }
  return (
    toErrorKey('price', checkAmount(row['price'], decimals)) ?? toErrorKey('vat_rate', checkPercentage(row['vat_rate']))
  );
}

function checkImages(row: Row): string | undefined {
  return findFirstError(
    entriesOf(row, 'images'),
    (image) =>
      toErrorKey('image_url', checkUrlField(image['image_url'], MAX_URL_LENGTH, true)) ??
      toErrorKey('alt', checkTextField(image['alt'], MAX_TEXT_LENGTH, false)),
  );
}

function parseImages(row: Row): readonly DesiredImage[] {
  const images = entriesOf(row, 'images');
  if (images.length === 0) return NO_ENTRIES;
  return images.map((image) => ({
    imageUrl: image['image_url'] as string,
    alt: (image['alt'] as string | undefined) ?? null,
  }));
}

function toErrorKey(field: string, error: string | undefined): string | undefined {
  return error === undefined ? undefined : rowErrorKey('Products', field, error);
}

function findFirstError(rows: readonly Row[], check: (row: Row) => string | undefined): string | undefined {
  for (const row of rows) {
    const key = check(row);
    if (key !== undefined) return key;
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
