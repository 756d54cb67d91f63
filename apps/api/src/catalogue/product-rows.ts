import { LARGEST_AMOUNT, LONGEST_STRING, LONGEST_TEXT, lookUpId, sum, toMinor } from '@back-office/kernel';
import {
  isRow,
  MOST_ROWS,
  rowKey,
  rowKeys,
  wrongAmount,
  wrongFlag,
  wrongPercentage,
  wrongText,
} from '../http/row-check.js';
import { MALFORMED } from '../http/request-fields.js';

export interface ImageWish {
  readonly imageUrl: string;
  readonly alt: string | null;
}

/** A field that was not sent is `undefined` and keeps its value; null clears it. Texts as matched: untrimmed. */
export interface VariantWish {
  readonly code?: string | null | undefined;
  readonly barcode?: string | null | undefined;
  readonly external_ref?: string | null | undefined;
  readonly name?: string | null | undefined;
  /** Minor units. */
  readonly price?: number | null | undefined;
  /** Basis points. */
  readonly vatRate?: number | null | undefined;
  readonly images: readonly ImageWish[];
}

export interface ProductWish {
  readonly id?: number | null | undefined;
  readonly code?: string | null | undefined;
  readonly external_ref?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly slug?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly price?: number | null | undefined;
  readonly vatRate?: number | null | undefined;
  readonly active?: boolean | undefined;
  readonly images: readonly ImageWish[];
  readonly variants: readonly VariantWish[];
}

type Row = Readonly<Record<string, unknown>>;

const PLANNED = ['VariantOfAnotherProduct', 'CodeAlreadyExists', 'BarcodeAlreadyExists', 'ExternalRefAlreadyExists'];

/** All keys by which a row may fail. */
export const PRODUCT_KEYS = [
  ...rowKeys('Products', {
    required: ['image_url'],
    texts: ['code', 'barcode', 'external_ref', 'name', 'slug', 'description', 'alt'],
    others: ['price', 'vat_rate'],
  }),
  ...['CodeCantBeBlank', 'NameCantBeBlank', ...PLANNED, 'SlugAlreadyExists'].map((rule) => `API.Products.${rule}`),
];

const WRONG_TYPE = rowKey('Products', '', MALFORMED);
const LONGEST_URL = 2_048;

/** How many variants and images all rows name, whether or not they can be read. */
export function nestedIn(rows: readonly unknown[]): { readonly variants: number; readonly images: number } {
  const variants = rows.flatMap((row) => entriesOf(row, 'variants'));
  const images = [...rows, ...variants].map((owner) => entriesOf(owner, 'images').length);
  return { variants: variants.length, images: sum(images) };
}

function entriesOf(row: unknown, field: string): readonly unknown[] {
  const list = isRow(row) ? row[field] : undefined;
  return Array.isArray(list) ? list : [];
}

/** A row of POST /int/products as a wish, or the key of the first rule that it breaks. */
export function productWish(row: unknown, decimals: number): ProductWish | string {
  if (!isRow(row)) return WRONG_TYPE;
  const wrong = wrongProduct(row, decimals);
  if (wrong !== undefined) return wrong;
  return {
    id: typeof row['id'] === 'number' ? lookUpId(row['id']) : undefined,
    code: row['code'] as string | undefined,
    external_ref: row['external_ref'] as string | undefined,
    name: row['name'] as string | undefined,
    slug: row['slug'] as string | undefined,
    description: row['description'] as string | undefined,
    price: minor(row['price'], decimals),
    vatRate: minor(row['vat_rate'], 2),
    active: (row['active'] as boolean | null | undefined) ?? undefined,
    images: imagesOf(row),
    variants: rowsIn(row, 'variants').map((variant) => variantWish(variant, decimals)),
  };
}

function variantWish(row: Row, decimals: number): VariantWish {
  return {
    code: row['code'] as string | undefined,
    barcode: row['barcode'] as string | undefined,
    external_ref: row['external_ref'] as string | undefined,
    name: row['name'] as string | undefined,
    price: minor(row['price'], decimals),
    vatRate: minor(row['vat_rate'], 2),
    images: imagesOf(row),
  };
}

function wrongProduct(row: Row, decimals: number): string | undefined {
  const id = row['id'];
  if (id !== undefined && id !== null && !Number.isInteger(id)) return WRONG_TYPE;
  if (!isListOfRows(row['images']) || !isListOfRows(row['variants'])) return WRONG_TYPE;
  return (
    firstWrong(row, decimals, ['code', 'external_ref', 'name', 'slug']) ??
    asKey('description', wrongText(row['description'], LONGEST_TEXT, false)) ??
    asKey('active', wrongFlag(row['active'])) ??
    wrongImages(row) ??
    firstOf(rowsIn(row, 'variants'), (variant) => wrongVariant(variant, decimals))
  );
}

function wrongVariant(row: Row, decimals: number): string | undefined {
  if (!isListOfRows(row['images'])) return WRONG_TYPE;
  return firstWrong(row, decimals, ['code', 'barcode', 'external_ref', 'name']) ?? wrongImages(row);
}

function firstWrong(row: Row, decimals: number, texts: readonly string[]): string | undefined {
  for (const field of texts) {
    const key = asKey(field, wrongText(row[field], LONGEST_STRING, false));
    if (key !== undefined) return key;
  }
  return asKey('price', wrongAmount(row['price'], decimals)) ?? asKey('vat_rate', wrongPercentage(row['vat_rate']));
}

function wrongImages(row: Row): string | undefined {
  return firstOf(
    rowsIn(row, 'images'),
    (image) =>
      asKey('image_url', wrongText(image['image_url'], LONGEST_URL, true)) ??
      asKey('alt', wrongText(image['alt'], LONGEST_TEXT, false)),
  );
}

function imagesOf(row: Row): readonly ImageWish[] {
  const images = rowsIn(row, 'images');
  if (images.length === 0) return NONE;
  return images.map((image) => ({
    imageUrl: image['image_url'] as string,
    alt: (image['alt'] as string | undefined) ?? null,
  }));
}

function asKey(field: string, wrong: string | undefined): string | undefined {
  return wrong === undefined ? undefined : rowKey('Products', field, wrong);
}

function firstOf(rows: readonly Row[], wrong: (row: Row) => string | undefined): string | undefined {
  for (const row of rows) {
    const key = wrong(row);
    if (key !== undefined) return key;
  }
  return undefined;
}

function isListOfRows(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) && value.length <= MOST_ROWS && value.every(isRow);
}

const NONE: readonly never[] = [];

function rowsIn(row: Row, field: string): readonly Row[] {
  return (row[field] as readonly Row[] | null | undefined) ?? NONE;
}

function minor(value: unknown, decimals: number): number | null | undefined {
  return typeof value === 'number'
    ? Math.min(toMinor(value, decimals) ?? 0, LARGEST_AMOUNT)
    : (value as null | undefined);
}
