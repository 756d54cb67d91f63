import {
  blankFields,
  planProducts,
  productChanges,
  slugCandidates,
  type CatalogueApp,
  type DesiredImage,
  type DesiredProduct,
  type FoundProducts,
  type ProductChanges,
  type ProductDraft,
  type Products,
  type UpsertedProducts,
  type VariantDraft,
} from '@back-office/catalogue';
import { columnsOf, fieldsOf, sum, type BulkOptions, type Clock } from '@back-office/kernel';
import { usedKey } from '@back-office/media';
import { randomBytes } from 'node:crypto';
import { checkCurrencyOf } from '../apps/app-currency.js';
import { valuesOf, beginLockedBulk } from '../bulk.js';
import type { Transaction } from '../client-transaction.js';
import type { Postgres } from '../postgres.js';
import { asciiOf, foldName } from '@back-office/database-search';
import {
  ADD_IMAGES,
  FIND_PRODUCTS,
  FIND_VARIANTS,
  INSERT_PRODUCTS,
  INSERT_VARIANTS,
  UPDATE_PRODUCTS,
  UPDATE_VARIANTS,
  WRITTEN_PRODUCT,
  type WRITTEN_VARIANT,
} from './product-statements.js';
import type { RowOf } from '../tables/define-table.js';
import type { PRODUCTS, VARIANTS } from '../tables/products.js';

const SLUG_TOOLS = { asciiOf, randomEnd: () => randomBytes(4).toString('hex') };

type ProductRow = RowOf<typeof WRITTEN_PRODUCT> & Pick<RowOf<typeof PRODUCTS>, 'id' | 'external_ref'>;
type VariantRow = RowOf<typeof WRITTEN_VARIANT> & Pick<RowOf<typeof VARIANTS>, 'id' | 'product_id'>;

/** Writes products and variants in bulk, with a constant number of statements. */
export class SqlProducts implements Products {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
    private readonly publicBase: () => string,
  ) {}

  upsert(
    app: CatalogueApp,
    rows: readonly (DesiredProduct | string)[],
    { explain, dryRun }: BulkOptions = {},
  ): Promise<UpsertedProducts> {
    const { id: appId, settings } = app;
    const keyOf = (url: string) => usedKey(url, this.publicBase(), settings.media.prefix);
    const work = async (transaction: Transaction): Promise<UpsertedProducts> => {
      const desired = rows.filter((row) => typeof row !== 'string');
      const records = sum(desired.map((row) => 1 + row.variants.length));
      await beginLockedBulk(transaction, 'products', appId, records);
      await checkCurrencyOf(transaction, app);
      const found = await find(transaction, appId, desired);
      const plan = planProducts(rows, found, SLUG_TOOLS, { explains: explain === true });
      const changes = productChanges(plan.outcomes, found);
      const newDrafts = [...changes.products, ...changes.variants].filter((draft) => draft.id === null);
      if (changes.products.length > 0) await write(transaction, appId, changes, this.clock.now(), keyOf);
      if (dryRun) for (const draft of newDrafts) draft.id = null;
      return { outcomes: plan.outcomes, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { dryRun });
  }
}

async function find(
  transaction: Transaction,
  appId: number,
  desired: readonly DesiredProduct[],
): Promise<FoundProducts> {
  const slugs = new Set<string>();
  for (const { slug, name, code } of desired) {
    if (typeof slug === 'string') slugs.add(slug.trim());
    for (const candidate of slugCandidates(name ?? '', code ?? '', asciiOf)) slugs.add(candidate);
  }
  const rows = await transaction.rows<ProductRow>(FIND_PRODUCTS, [
    appId,
    namesOf(desired, 'id'),
    namesOf(desired, 'code'),
    namesOf(desired, 'external_ref'),
    [...slugs],
  ]);
  const products = rows.map((row) => {
    const { id, external_ref } = row;
    return { id, external_ref, ...fieldsOf(row, WRITTEN_PRODUCT.names), images: [], touched: false };
  });
  const variants = await findVariants(transaction, appId, desired, new Map(products.map((each) => [each.id, each])));
  return { products, variants };
}

async function findVariants(
  transaction: Transaction,
  appId: number,
  desired: readonly DesiredProduct[],
  products: ReadonlyMap<number, ProductDraft>,
): Promise<VariantDraft[]> {
  const variants = desired.flatMap((row) => row.variants);
  if (variants.length === 0) return [];
  const named = (['code', 'barcode', 'external_ref'] as const).map((identifier) => namesOf(variants, identifier));
  const rows = await transaction.rows<VariantRow>(FIND_VARIANTS, [appId, ...named]);
  return rows.map(({ product_id: productId, vat_rate: vatRate, ...row }) => ({
    ...row,
    vatRate,
    product: products.get(productId) ?? otherProduct(productId),
    images: [],
    touched: false,
  }));
}

/** Values as sent, which rows match by, and trimmed, as they are stored and may collide. */
function namesOf<Row>(rows: readonly Row[], field: keyof Row): unknown[] {
  const values = new Set<unknown>(valuesOf(rows, field));
  for (const value of values) if (typeof value === 'string') values.add(value.trim());
  return [...values];
}

/** Owner of a named variant; no row names the product itself. */
function otherProduct(id: number): ProductDraft {
  return { id, code: '', slug: '', name: '', external_ref: null, ...blankFields(), images: [], touched: false };
}

/** Key of the library file behind a URL, if any. */
type KeyOf = (url: string) => string | undefined;

/** Changed records before new ones, which may take their old codes; variants before the columns derived from them. */
async function write(
  transaction: Transaction,
  appId: number,
  { products, variants, withImages }: ProductChanges,
  now: Date,
  keyOf: KeyOf,
): Promise<void> {
  const send = <Row>(statement: string, rows: readonly object[], ...more: unknown[]): Promise<Row[]> =>
    rows.length === 0
      ? Promise.resolve([])
      : transaction.rows<Row>(statement, [appId, JSON.stringify(rows), now, ...more]);
  const [knownProducts, newProducts] = partition(products, isKnown);
  const [knownVariants, newVariants] = partition(variants, isKnown);
  const [variantsOfKnown, variantsOfNew] = partition(newVariants, ({ product }) => isKnown(product));
  await send(UPDATE_VARIANTS, knownVariants.map(variantRow), idsOf(knownVariants));
  setIds(variantsOfKnown, await send(INSERT_VARIANTS, variantsOfKnown.map(variantRow)));
  await send(UPDATE_PRODUCTS, knownProducts.map(productRow), idsOf(knownProducts));
  const variantsOf = new Map(newProducts.map((product) => [product, [] as VariantDraft[]]));
  for (const variant of variantsOfNew) variantsOf.get(variant.product)?.push(variant);
  const newRow = (product: ProductDraft, ordinal: number) =>
    Object.assign(productRow(product), derivedColumns(product, variantsOf.get(product) ?? []), { ordinal });
  setIds(newProducts, await send(INSERT_PRODUCTS, newProducts.map(newRow)));
  setIds(variantsOfNew, await send(INSERT_VARIANTS, variantsOfNew.map(variantRow)));
  if (withImages.length === 0) return;
  await transaction.last(ADD_IMAGES, [appId, JSON.stringify(imageRows(withImages, keyOf)), now]);
}

type Draft = ProductDraft | VariantDraft;

function idsOf(drafts: readonly Draft[]): (number | null)[] {
  return drafts.map(({ id }) => id);
}

function isKnown({ id }: Draft): boolean {
  return id !== null;
}

function partition<Item>(all: readonly Item[], is: (item: Item) => boolean): [those: Item[], others: Item[]] {
  return [all.filter(is), all.filter((item) => !is(item))];
}

function setIds(drafts: readonly Draft[], written: readonly { readonly id: number; readonly code: string }[]): void {
  const ids = new Map(written.map(({ code, id }) => [code, id]));
  for (const draft of drafts) draft.id = ids.get(draft.code) ?? null;
}

function productRow(product: ProductDraft): object {
  const { id, name } = product;
  return { id, ...columnsOf(product, WRITTEN_PRODUCT.names), search_name: foldName(name) };
}

/** Lowest price and search text of a new product. */
function derivedColumns({ code, price }: ProductDraft, variants: readonly VariantDraft[]): object {
  const codes = variants.flatMap((variant) => [variant.code, variant.barcode ?? []].flat());
  const prices = [...variants.map((variant) => variant.price ?? price), ...(variants.length === 0 ? [price] : [])];
  return { lowest_price: lowestOf(prices), search_codes: [code, ...codes].join(' ') };
}

function lowestOf(prices: readonly (number | null)[]): number | null {
  const known = prices.filter((price) => price !== null);
  return known.length === 0 ? null : known.reduce((lowest, price) => Math.min(lowest, price));
}

function variantRow(variant: VariantDraft, ordinal: number): object {
  const { id, code, barcode, external_ref, name, price, vatRate, product } = variant;
  return { ordinal, id, product_id: product.id, code, barcode, external_ref, name, price, vat_rate: vatRate };
}

function imageRows(withImages: readonly Draft[], keyOf: KeyOf): object[] {
  return withImages
    .flatMap((owner) => owner.images.map((image) => imageRow(owner, image, keyOf)))
    .map((row, ordinal) => Object.assign(row, { ordinal }));
}

function imageRow(owner: Draft, { imageUrl, alt }: DesiredImage, keyOf: KeyOf): object {
  const [product, variant] = 'product' in owner ? [owner.product, owner] : [owner, undefined];
  return { product_id: product.id, product_variant_id: variant?.id, image_url: imageUrl, alt, key: keyOf(imageUrl) };
}
