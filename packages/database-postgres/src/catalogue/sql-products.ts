import {
  defaultDetails,
  noImages,
  ownersOfReplacedImages,
  planProducts,
  productChanges,
  productEvents,
  slugCandidates,
  type CatalogueApp,
  type DesiredProduct,
  type FoundProducts,
  type ProductChanges,
  type ProductDraft,
  type ProductOptions,
  type Products,
  type UpsertedProducts,
  type VariantDraft,
} from '@back-office/catalogue';
import { columnsOf, fieldsOf, sum, type Clock } from '@back-office/kernel';
import { fileKeyOfUrl } from '@back-office/media';
import { randomBytes } from 'node:crypto';
import { checkCurrency, currencyStatement, type StoredCurrency } from '../apps/app-currency.js';
import { beginLockedBulk, valuesOf } from '../bulk.js';
import type { Transaction } from '../transaction.js';
import { JsonRows } from '../json-rows.js';
import type { Postgres } from '../postgres.js';
import type { Statement } from '../sql.js';
import { asciiOf, foldName } from '@back-office/database-search';
import { findImages, imageStatements, type LibraryKeyFinder } from './product-images.js';
import {
  FIND_PRODUCTS,
  FIND_VARIANTS,
  INSERT_PRODUCTS,
  INSERT_VARIANTS,
  UPDATE_PRODUCTS,
  UPDATE_VARIANTS,
  PRODUCT_COLUMNS,
  RESERVE_IDS,
  type VARIANT_COLUMNS,
} from './product-statements.js';
import type { RowOf } from '../tables/define-table.js';
import type { PRODUCTS, VARIANTS } from '../tables/products.js';

const SLUG_TOOLS = { asciiOf, randomSuffix: () => randomBytes(4).toString('hex') };

type ProductRow = RowOf<typeof PRODUCT_COLUMNS> & Pick<RowOf<typeof PRODUCTS>, 'id' | 'external_ref'>;
type VariantRow = RowOf<typeof VARIANT_COLUMNS> & Pick<RowOf<typeof VARIANTS>, 'id' | 'product_id'>;

export class SqlProducts implements Products {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
    private readonly publicBase: () => string,
  ) {}

  upsert(
    app: CatalogueApp,
    rows: readonly (DesiredProduct | string)[],
    options: ProductOptions = {},
  ): Promise<UpsertedProducts> {
    const { id: appId, settings } = app;
    const { explain, dryRun } = options;
    const libraryKeyOf = (url: string) => fileKeyOfUrl(url, this.publicBase(), settings.media.prefix);
    const work = async (transaction: Transaction): Promise<UpsertedProducts> => {
      const validRows = rows.filter((row) => typeof row !== 'string');
      const records = sum(validRows.map((row) => 1 + row.variants.length));
      await beginLockedBulk(transaction, 'products', appId, records);
      const foundProducts = await findNamedRecords(transaction, app, validRows);
      const plan = planProducts(rows, foundProducts, SLUG_TOOLS, options);
      const storedImages = await findImages(transaction, appId, ownersOfReplacedImages(plan.outcomes));
      const changes = productChanges(plan.outcomes, foundProducts, storedImages);
      const newDrafts = [...changes.products, ...changes.variants].filter((draft) => draft.id === null);
      if (changes.products.length > 0) await writeChanges(transaction, appId, changes, this.clock.now(), libraryKeyOf);
      if (dryRun) for (const draft of newDrafts) draft.id = null;
      return { outcomes: plan.outcomes, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { dryRun });
  }
}

/** Finds the records that the rows name. Throws if the currency of the app has changed since the start of the call. */
async function findNamedRecords(
  transaction: Transaction,
  { id: appId, currency }: CatalogueApp,
  desiredProducts: readonly DesiredProduct[],
): Promise<FoundProducts> {
  const [currencies, productRows, variantRows] = await transaction.rowsOfEach<[StoredCurrency, ProductRow, VariantRow]>(
    [
      currencyStatement(appId),
      { text: FIND_PRODUCTS, values: [appId, ...productIdentifiers(desiredProducts)] },
      { text: FIND_VARIANTS, values: [appId, ...variantIdentifiers(desiredProducts)] },
    ],
  );
  checkCurrency(currencies[0]?.currency, currency);
  const products = productRows.map((row) => {
    const { id, external_ref } = row;
    return { id, external_ref, ...fieldsOf(row, PRODUCT_COLUMNS.names), ...noImages(), isChanged: false };
  });
  const productsById = new Map(products.map((product) => [product.id, product]));
  return { products, variants: variantRows.map((row) => toVariantDraft(row, productsById)) };
}

function productIdentifiers(desiredProducts: readonly DesiredProduct[]): unknown[][] {
  const slugs = new Set<string>();
  for (const { slug, name, code } of desiredProducts) {
    if (typeof slug === 'string') slugs.add(slug.trim());
    for (const candidate of slugCandidates(name ?? '', code ?? '', asciiOf)) slugs.add(candidate);
  }
  const fields = ['id', 'code', 'external_ref'] as const;
  return [...fields.map((field) => identifiersOf(desiredProducts, field)), [...slugs]];
}

function variantIdentifiers(desiredProducts: readonly DesiredProduct[]): unknown[][] {
  const variants = desiredProducts.flatMap((row) => row.variants);
  return (['code', 'barcode', 'external_ref'] as const).map((field) => identifiersOf(variants, field));
}

/** Names each field, because V8 copies the rest of an object to a slow and large one. */
function toVariantDraft(row: VariantRow, products: ReadonlyMap<number, ProductDraft>): VariantDraft {
  const { id, product_id: productId, code, barcode, external_ref, name, price, vat_rate: vatRate } = row;
  const product = products.get(productId) ?? placeholderProduct(productId);
  return { id, product, code, barcode, external_ref, name, price, vatRate, ...noImages(), isChanged: false };
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

function placeholderProduct(id: number): ProductDraft {
  return { id, code: '', slug: '', name: '', external_ref: null, ...defaultDetails(), ...noImages(), isChanged: false };
}

/**
 * Writes changed records first, because new records may take over their codes. Writes variants before the product
 * columns that are derived from variants.
 */
async function writeChanges(
  transaction: Transaction,
  appId: number,
  { products, variants, withImages }: ProductChanges,
  now: Date,
  libraryKeyOf: LibraryKeyFinder,
): Promise<void> {
  const [knownProducts, newProducts] = partition(products, isKnown);
  const [knownVariants, newVariants] = partition(variants, isKnown);
  const [variantsOfKnownProducts, variantsOfNewProducts] = partition(newVariants, ({ product }) => isKnown(product));
  await reserveIds(transaction, newProducts, newVariants);
  const variantsOf = new Map(newProducts.map((product) => [product, [] as VariantDraft[]]));
  for (const variant of variantsOfNewProducts) variantsOf.get(variant.product)?.push(variant);
  const newProductRow = (product: ProductDraft) =>
    Object.assign(productRow(product), derivedColumns(product, variantsOf.get(product) ?? []));
  type RowMaker<Item> = (draft: Item) => object;
  const write = <Item extends Draft>(text: string, drafts: readonly Item[], rowOf: RowMaker<Item>): Statement[] =>
    drafts.length === 0 ? [] : [{ text, values: [appId, new JsonRows(drafts, rowOf), now] }];
  const update: typeof write = (text, drafts, rowOf) =>
    write(text, drafts, rowOf).map(({ values }) => ({ text, values: [...values, drafts.map(({ id }) => id)] }));
  transaction.publish(appId, now, productEvents(knownProducts, newProducts));
  await transaction.runAllLast([
    ...update(UPDATE_VARIANTS, knownVariants, variantRow),
    ...write(INSERT_VARIANTS, variantsOfKnownProducts, variantRow),
    ...update(UPDATE_PRODUCTS, knownProducts, productRow),
    ...write(INSERT_PRODUCTS, newProducts, newProductRow),
    ...write(INSERT_VARIANTS, variantsOfNewProducts, variantRow),
    ...imageStatements(appId, withImages, { now, libraryKeyOf }),
  ]);
}

type Draft = ProductDraft | VariantDraft;

function isKnown({ id }: Draft): boolean {
  return id !== null;
}

function partition<Item>(
  items: readonly Item[],
  hasProperty: (item: Item) => boolean,
): [those: Item[], others: Item[]] {
  return [items.filter(hasProperty), items.filter((item) => !hasProperty(item))];
}

async function reserveIds(
  transaction: Transaction,
  products: readonly ProductDraft[],
  variants: readonly VariantDraft[],
): Promise<void> {
  if (products.length + variants.length === 0) return;
  const [ids] = await transaction.rows<Record<'products' | 'variants', readonly number[]>>(RESERVE_IDS, [
    products.length,
    variants.length,
  ]);
  for (const [index, draft] of products.entries()) draft.id = ids?.products[index] ?? null;
  for (const [index, draft] of variants.entries()) draft.id = ids?.variants[index] ?? null;
}

function productRow(product: ProductDraft): object {
  const { id, name, external_ref } = product;
  return { id, ...columnsOf(product, PRODUCT_COLUMNS.names), external_ref, search_name: foldName(name) };
}

function derivedColumns({ code, price }: ProductDraft, variants: readonly VariantDraft[]): object {
  const codes = variants.flatMap((variant) => [variant.code, variant.barcode ?? []].flat());
  const prices = [...variants.map((variant) => variant.price ?? price), ...(variants.length === 0 ? [price] : [])];
  return { lowest_price: lowestPrice(prices), search_codes: [code, ...codes].join(' ') };
}

function lowestPrice(prices: readonly (number | null)[]): number | null {
  const knownPrices = prices.filter((price) => price !== null);
  return knownPrices.length === 0 ? null : knownPrices.reduce((lowest, price) => Math.min(lowest, price));
}

function variantRow(variant: VariantDraft): object {
  const { id, code, barcode, external_ref, name, price, vatRate, product } = variant;
  return { id, product_id: product.id, code, barcode, external_ref, name, price, vat_rate: vatRate };
}
