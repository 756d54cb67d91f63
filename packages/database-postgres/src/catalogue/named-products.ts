import {
  defaultDetails,
  noImages,
  slugCandidates,
  type DesiredProduct,
  type FoundProducts,
  type ProductDraft,
  type VariantDraft,
} from '@back-office/catalogue';
import { asciiOf } from '@back-office/database';
import { fieldsOf } from '@back-office/kernel';
import { valuesOf } from '../connection/bulk.js';
import type { RowOf } from '../tables/define-table.js';
import type { PRODUCTS, VARIANTS } from '../tables/products.js';
import type { Transaction } from '../connection/transaction.js';
import {
  FIND_PRODUCTS,
  FIND_PRODUCTS_BY_SLUG,
  FIND_VARIANTS,
  PRODUCT_COLUMNS,
  RESERVE_IDS,
  type VARIANT_COLUMNS,
} from './product-statements.js';

type ProductRow = RowOf<typeof PRODUCT_COLUMNS> & Pick<RowOf<typeof PRODUCTS>, 'id' | 'external_ref'>;
type VariantRow = RowOf<typeof VARIANT_COLUMNS> & Pick<RowOf<typeof VARIANTS>, 'id' | 'product_id'>;

/** Finds the records that the rows name. */
export async function findNamedRecords(
  transaction: Transaction,
  appId: number,
  desiredProducts: readonly DesiredProduct[],
): Promise<FoundProducts> {
  const productRows = await transaction.rows<ProductRow>(FIND_PRODUCTS, [
    appId,
    ...productIdentifiers(desiredProducts),
  ]);
  const variantRows = await transaction.rows<VariantRow>(FIND_VARIANTS, [
    appId,
    ...variantIdentifiers(desiredProducts),
  ]);
  const products = productRows.map(toProductDraft);
  const productsById = new Map(products.map((product) => [product.id, product]));
  return { products, variants: variantRows.map((row) => toVariantDraft(row, productsById)) };
}

export type ReservedIds = Readonly<Record<'products' | 'variants', readonly number[]>>;

export async function areSlugsFree(
  transaction: Transaction,
  appId: number,
  slugs: readonly string[],
): Promise<boolean> {
  if (slugs.length === 0) return true;
  const holders = await transaction.rows<ProductRow>(FIND_PRODUCTS_BY_SLUG, [appId, slugs]);
  return holders.length === 0;
}

/** Reserves ids for new records. */
export async function reserveIds(
  transaction: Transaction,
  { products, variants }: FoundProducts,
): Promise<ReservedIds> {
  const counts = [products.length, variants.length];
  if (counts.every((count) => count === 0)) return { products: [], variants: [] };
  const [ids] = await transaction.rows<ReservedIds>(RESERVE_IDS, counts);
  return ids as ReservedIds;
}

/** Adds the products that have one of the slugs that the rows may get. */
export async function addHoldersOfCandidates(
  transaction: Transaction,
  appId: number,
  { products, variants }: FoundProducts,
  desiredProducts: readonly DesiredProduct[],
): Promise<FoundProducts> {
  const candidates = new Set(
    desiredProducts.flatMap(({ name, code }) => slugCandidates(name ?? '', code ?? '', asciiOf)),
  );
  const rows = await transaction.rows<ProductRow>(FIND_PRODUCTS_BY_SLUG, [appId, [...candidates]]);
  const knownIds = new Set(products.map(({ id }) => id));
  const holders = rows.filter(({ id }) => !knownIds.has(id)).map(toProductDraft);
  return { products: [...products, ...holders], variants };
}

function productIdentifiers(desiredProducts: readonly DesiredProduct[]): unknown[][] {
  const fields = ['id', 'code', 'external_ref'] as const;
  const stored = (['slug', 'barcode'] as const).map((field) =>
    valuesOf(desiredProducts, field).map((value) => value.trim()),
  );
  return [...fields.map((field) => identifiersOf(desiredProducts, field)), ...stored];
}

function variantIdentifiers(desiredProducts: readonly DesiredProduct[]): unknown[][] {
  const variants = desiredProducts.flatMap((row) => row.variants);
  return (['code', 'barcode', 'external_ref'] as const).map((field) => identifiersOf(variants, field));
}

/**
 * Returns the sent values, because rows match by them, and the trimmed values, because those are stored and must be
 * unique.
 */
function identifiersOf<Row>(rows: readonly Row[], field: keyof Row): unknown[] {
  const values = new Set<unknown>(valuesOf(rows, field));
  for (const value of values) if (typeof value === 'string') values.add(value.trim());
  return [...values];
}

function toProductDraft(row: ProductRow): ProductDraft {
  const { id, external_ref } = row;
  return { id, external_ref, ...fieldsOf(row, PRODUCT_COLUMNS.names), ...noImages(), isChanged: false };
}

function toVariantDraft(row: VariantRow, products: ReadonlyMap<number | null, ProductDraft>): VariantDraft {
  const { id, product_id: productId, code, barcode, external_ref, name, price, vat_rate: vatRate } = row;
  const product = products.get(productId) ?? placeholderProduct(productId);
  return { id, product, code, barcode, external_ref, name, price, vatRate, ...noImages(), isChanged: false };
}

function placeholderProduct(id: number): ProductDraft {
  const identity = { code: '', barcode: null, external_ref: null, slug: '', name: '' };
  return { id, isChanged: false, ...identity, ...defaultDetails(), ...noImages() };
}
