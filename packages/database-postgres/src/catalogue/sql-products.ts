import {
  newDrafts,
  ownersOfReplacedImages,
  planProductSteps,
  productChanges,
  priceEntries,
  productEvents,
  type CatalogueApp,
  type DesiredProduct,
  type FoundProducts,
  type ProductChanges,
  type ProductDraft,
  type ProductOptions,
  type ProductPlan,
  type Products,
  type UpsertedProducts,
  type VariantDraft,
} from '@back-office/catalogue';
import { columnsOf, jsonSteps, sum, type Clock } from '@back-office/kernel';
import { fileKeyOfUrl } from '@back-office/media';
import { randomBytes } from 'node:crypto';
import { checkStoredCurrency } from '../apps/app-currency.js';
import { beginLockedBulk } from '../connection/bulk.js';
import type { Transaction } from '../connection/transaction.js';
import type { Postgres } from '../connection/postgres.js';
import { asciiOf, foldName } from '@back-office/database';
import { nextPass, runInSlices } from '../connection/run-in-slices.js';
import {
  addHoldersOfCandidates,
  areSlugsFree,
  findNamedRecords,
  reserveIds,
  type ReservedIds,
} from './named-products.js';
import { findImages, imageStatements, type LibraryKeyFinder } from './product-images.js';
import {
  INSERT_PRODUCTS,
  INSERT_VARIANTS,
  UPDATE_PRODUCTS,
  UPDATE_VARIANTS,
  PRODUCT_COLUMNS,
} from './product-statements.js';

/** These statements also take the ids of their rows as a list, which the planner can count. */
const UPDATES = new Set([UPDATE_PRODUCTS, UPDATE_VARIANTS]);

const SLUG_TOOLS = { asciiOf, randomSuffix: () => randomBytes(4).toString('hex') };

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
      const records = sum(rows.map((row) => (typeof row === 'string' ? 0 : 1 + row.variants.length)));
      await beginLockedBulk(transaction, 'products', appId, records);
      await checkStoredCurrency(transaction, app);
      const { plan, foundProducts, created, ids } = await planWithIds(transaction, appId, rows, options);
      const storedImages = await findImages(transaction, appId, ownersOfReplacedImages(plan.drafts));
      await nextPass();
      const changes = productChanges(plan.drafts, foundProducts, storedImages);
      await nextPass();
      const writing = { now: this.clock.now(), libraryKeyOf };
      transaction.record(appId, writing.now, { entries: priceEntries(foundProducts, changes) });
      if (changes.products.length > 0) await writeChanges(transaction, appId, changes, ids, writing);
      if (dryRun) for (const draft of [...created.products, ...created.variants]) draft.id = null;
      const { outcomes, failedVariants } = plan;
      return { outcomes, failedVariants, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { dryRun });
  }
}

interface PlanWithIds {
  readonly plan: ProductPlan;
  readonly foundProducts: FoundProducts;
  readonly created: FoundProducts;
  /** Ids for the records that the plan creates. */
  readonly ids: ReservedIds;
}

/**
 * Plans the rows for the records that they name. If other products have one of the generated slugs, finds the products
 * that have any slug which the rows may get, and plans a second time.
 */
async function planWithIds(
  transaction: Transaction,
  appId: number,
  rows: readonly (DesiredProduct | string)[],
  options: ProductOptions,
): Promise<PlanWithIds> {
  const validRows = rows.filter((row) => typeof row !== 'string');
  let foundProducts = await findNamedRecords(transaction, appId, validRows);
  let plan = await runInSlices(planProductSteps(rows, foundProducts, SLUG_TOOLS, options));
  if (!(await areSlugsFree(transaction, appId, [...plan.generatedSlugs]))) {
    foundProducts = await addHoldersOfCandidates(transaction, appId, foundProducts, validRows);
    plan = await runInSlices(planProductSteps(rows, foundProducts, SLUG_TOOLS, options));
  }
  await nextPass();
  const created = newDrafts(plan.drafts);
  return { plan, foundProducts, created, ids: await reserveIds(transaction, created) };
}

/**
 * Writes changed records first, because new records may take over their codes. Writes variants before the product
 * columns that are derived from variants.
 */
async function writeChanges(
  transaction: Transaction,
  appId: number,
  { products, variants, withImages }: ProductChanges,
  ids: ReservedIds,
  { now, libraryKeyOf }: { readonly now: Date; readonly libraryKeyOf: LibraryKeyFinder },
): Promise<void> {
  const [knownProducts, newProducts] = partition(products, isKnown);
  const [knownVariants, newVariants] = partition(variants, isKnown);
  const [variantsOfKnownProducts, variantsOfNewProducts] = partition(newVariants, ({ product }) => isKnown(product));
  setIds(newProducts, ids.products);
  setIds(newVariants, ids.variants);
  const variantsOf = new Map(newProducts.map((product) => [product, [] as VariantDraft[]]));
  for (const variant of variantsOfNewProducts) variantsOf.get(variant.product)?.push(variant);
  const newProductRow = (product: ProductDraft) =>
    Object.assign(productRow(product), derivedColumns(product, variantsOf.get(product) ?? []));
  const write = async <Item extends Draft>(text: string, drafts: readonly Item[], toRow: (draft: Item) => object) => {
    if (drafts.length === 0) return;
    const values = [appId, await runInSlices(jsonSteps(drafts, toRow)), now];
    await transaction.rows(text, UPDATES.has(text) ? [...values, drafts.map(({ id }) => id)] : values);
  };
  transaction.record(appId, now, { events: productEvents(knownProducts, newProducts) });
  await write(UPDATE_VARIANTS, knownVariants, variantRow);
  await write(INSERT_VARIANTS, variantsOfKnownProducts, variantRow);
  await write(UPDATE_PRODUCTS, knownProducts, productRow);
  await write(INSERT_PRODUCTS, newProducts, newProductRow);
  await write(INSERT_VARIANTS, variantsOfNewProducts, variantRow);
  for (const { text, values } of imageStatements(appId, withImages, { now, libraryKeyOf }))
    await transaction.rows(text, values);
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

function setIds(drafts: readonly Draft[], ids: readonly number[]): void {
  for (const [index, draft] of drafts.entries()) draft.id = ids[index] ?? null;
}

function productRow(product: ProductDraft): object {
  const { id, name, external_ref } = product;
  return { id, ...columnsOf(product, PRODUCT_COLUMNS.names), external_ref, search_name: foldName(name) };
}

function derivedColumns({ code, barcode, price }: ProductDraft, variants: readonly VariantDraft[]): object {
  const codes = [code, barcode, ...variants.flatMap((variant) => [variant.code, variant.barcode])];
  const prices = [...variants.map((variant) => variant.price ?? price), ...(variants.length === 0 ? [price] : [])];
  return { lowest_price: lowestPrice(prices), search_codes: codes.filter((text) => text !== null).join(' ') };
}

function lowestPrice(prices: readonly (number | null)[]): number | null {
  const knownPrices = prices.filter((price) => price !== null);
  return knownPrices.length === 0 ? null : knownPrices.reduce((lowest, price) => Math.min(lowest, price));
}

function variantRow(variant: VariantDraft): object {
  const { id, code, barcode, external_ref, name, price, vatRate, product } = variant;
  return { id, product_id: product.id, code, barcode, external_ref, name, price, vat_rate: vatRate };
}
