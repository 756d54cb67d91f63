import { sum, type Clock } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import { usedKey } from '@back-office/media';
import { randomBytes } from 'node:crypto';
import { checkCurrencyOf } from '../apps/index.js';
import { valuesOf, waitForBulkTurn, type BulkOptions } from '../database/bulk.js';
import type { Database, Transaction } from '../database/database.js';
import { foldedName } from '../database/search-text.js';
import type { AppContext } from '../http/app-context.js';
import type { Found, ProductDraft, VariantDraft } from './product-drafts.js';
import type { PlannedProduct } from './planner.js';
import { planProducts, type Plan } from './product-plan.js';
import type { ImageWish, ProductWish } from './product-rows.js';
import {
  ADD_IMAGES,
  FIND_PRODUCTS,
  FIND_VARIANTS,
  INSERT_PRODUCTS,
  INSERT_VARIANTS,
  UPDATE_PRODUCTS,
  UPDATE_VARIANTS,
} from './product-statements.query.js';
import { slugCandidates } from './slug.js';

interface ProductRow extends Omit<ProductDraft, 'vatRate'> {
  readonly id: number;
  readonly vat_rate: number | null;
}

interface VariantRow extends Omit<VariantDraft, 'vatRate' | 'product'> {
  readonly product_id: number;
  readonly vat_rate: number | null;
}

export interface Upserted {
  /** In a dry run new records have no ids. */
  readonly outcomes: Plan['outcomes'];
  readonly explain: Explanations | undefined;
}

/** Writes products and their variants in bulk: the number of statements does not depend on the number of rows. */
export class TypeOrmProducts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly libraryBase: string,
  ) {}

  /** Upserts the rows; a row that already arrives as a key, or that breaks a rule, is written not at all. */
  upsert(
    app: Pick<AppContext, 'id' | 'currency' | 'settings'>,
    rows: readonly (ProductWish | string)[],
    { explain, dryRun }: BulkOptions = {},
  ): Promise<Upserted> {
    const { id: appId, settings } = app;
    const keyOf = (url: string) => usedKey(url, this.libraryBase, settings.media.prefix);
    const work = async (transaction: Transaction): Promise<Upserted> => {
      const wishes = rows.filter((row) => typeof row !== 'string');
      const records = sum(wishes.map((wish) => 1 + wish.variants.length));
      await waitForBulkTurn(transaction, 'products', appId, records);
      await checkCurrencyOf(transaction, app);
      const found = await find(transaction, appId, wishes);
      const plan = planProducts(rows, found, () => randomBytes(4).toString('hex'), { explains: explain === true });
      const drafts = draftsOf(plan.outcomes, found);
      const fresh = [...drafts.products, ...drafts.variants].filter((draft) => draft.id === null);
      if (drafts.products.length > 0) await write(transaction, appId, drafts, this.clock.now(), keyOf);
      if (dryRun) for (const draft of fresh) draft.id = null;
      return { outcomes: plan.outcomes, explain: plan.explain?.() };
    };
    return this.database.transaction(work, { rehearsal: dryRun });
  }
}

async function find(transaction: Transaction, appId: number, wishes: readonly ProductWish[]): Promise<Found> {
  const slugs = new Set<string>();
  for (const { slug, name, code } of wishes) {
    if (typeof slug === 'string') slugs.add(slug.trim());
    for (const candidate of slugCandidates(name ?? '', code ?? '')) slugs.add(candidate);
  }
  const rows = await transaction.rows<ProductRow>(FIND_PRODUCTS, [
    appId,
    namesOf(wishes, 'id'),
    namesOf(wishes, 'code'),
    namesOf(wishes, 'external_ref'),
    [...slugs],
  ]);
  const products = rows.map(({ vat_rate: vatRate, ...row }) => ({ ...row, vatRate, images: [], touched: false }));
  const variants = await findVariants(transaction, appId, wishes, new Map(products.map((each) => [each.id, each])));
  return { products, variants };
}

async function findVariants(
  transaction: Transaction,
  appId: number,
  wishes: readonly ProductWish[],
  products: ReadonlyMap<number, ProductDraft>,
): Promise<VariantDraft[]> {
  const variants = wishes.flatMap((wish) => wish.variants);
  if (variants.length === 0) return [];
  const named = (['code', 'barcode', 'external_ref'] as const).map((identifier) => namesOf(variants, identifier));
  const rows = await transaction.rows<VariantRow>(FIND_VARIANTS, [appId, ...named]);
  return rows.map(({ product_id: productId, vat_rate: vatRate, ...row }) => ({
    ...row,
    vatRate,
    product: products.get(productId) ?? strangerOf(productId),
    images: [],
    touched: false,
  }));
}

/** The values as sent, by which rows match, and trimmed, by which they would collide once stored. */
function namesOf<Row>(rows: readonly Row[], field: keyof Row): unknown[] {
  const values = new Set<unknown>(valuesOf(rows, field));
  for (const value of values) if (typeof value === 'string') values.add(value.trim());
  return [...values];
}

/** A product that no row names, known only as the owner of a variant that one names. */
function strangerOf(id: number): ProductDraft {
  const unknown = { external_ref: null, description: null, price: null, vatRate: null, active: true };
  return { id, code: '', slug: '', name: '', ...unknown, images: [], touched: false };
}

/** The file of the library that a URL uses, if it does. */
type KeyOf = (url: string) => string | undefined;

interface Drafts {
  readonly products: readonly ProductDraft[];
  readonly variants: readonly VariantDraft[];
  /** What gets images. */
  readonly pictured: readonly Draft[];
}

/** What is to be written, each record once: what is new, and what is not as it was. Most rows of a nightly synchronisation are. */
function draftsOf(outcomes: Plan['outcomes'], found: Found): Drafts {
  const planned = outcomes.filter((outcome): outcome is PlannedProduct => typeof outcome !== 'string');
  const named = {
    products: [...new Set(planned.map((each) => each.product))],
    variants: [...new Set(planned.flatMap((each) => each.variants.map(({ variant }) => variant)))],
  };
  const variants = named.variants.filter(differsFrom<VariantDraft>(found.variants, VARIANT_FIELDS));
  const pictured = [...named.products, ...named.variants].filter(({ images }) => images.length > 0);
  // A product has changed when something of it has, though its own row may say the same.
  const changed = new Set([...variants, ...pictured].map((each) => ('product' in each ? each.product : each)));
  const isOther = differsFrom<ProductDraft>(found.products, PRODUCT_FIELDS);
  const products = named.products.filter((product) => changed.has(product) || isOther(product));
  return { products, variants, pictured };
}

function differsFrom<Kind extends Draft>(
  found: readonly Kind[],
  fields: readonly (keyof Kind)[],
): (draft: Kind) => boolean {
  const known = new Map(found.map((each) => [each.id, each]));
  return (draft) => {
    const before = draft.id === null ? undefined : known.get(draft.id);
    return before === undefined || fields.some((field) => draft[field] !== before[field]);
  };
}

/** Changed records before new ones, which may take the codes that those give up; variants before what follows from them. */
async function write(
  transaction: Transaction,
  appId: number,
  { products, variants, pictured }: Drafts,
  now: Date,
  keyOf: KeyOf,
): Promise<void> {
  const send = <Row>(statement: string, rows: readonly object[], ...more: unknown[]): Promise<Row[]> =>
    rows.length === 0
      ? Promise.resolve([])
      : transaction.rows<Row>(statement, [appId, JSON.stringify(rows), now, ...more]);
  const [known, fresh] = parted(products, isKnown);
  const [knownVariants, freshVariants] = parted(variants, isKnown);
  const [added, brought] = parted(freshVariants, ({ product }) => isKnown(product));
  await send(UPDATE_VARIANTS, knownVariants.map(variantRow), idsOf(knownVariants));
  learnIds(added, await send(INSERT_VARIANTS, added.map(variantRow)));
  await send(UPDATE_PRODUCTS, known.map(productRow), idsOf(known));
  const theirs = new Map(fresh.map((product) => [product, [] as VariantDraft[]]));
  for (const variant of brought) theirs.get(variant.product)?.push(variant);
  const freshRow = (product: ProductDraft, place: number) =>
    Object.assign(productRow(product), offerOf(product, theirs.get(product) ?? []), { place });
  learnIds(fresh, await send(INSERT_PRODUCTS, fresh.map(freshRow)));
  learnIds(brought, await send(INSERT_VARIANTS, brought.map(variantRow)));
  if (pictured.length === 0) return;
  await transaction.last(ADD_IMAGES, [appId, JSON.stringify(imageRows(pictured, keyOf)), now]);
}

type Draft = ProductDraft | VariantDraft;

function idsOf(drafts: readonly Draft[]): (number | null)[] {
  return drafts.map(({ id }) => id);
}

function isKnown({ id }: Draft): boolean {
  return id !== null;
}

function parted<Item>(all: readonly Item[], is: (item: Item) => boolean): [those: Item[], others: Item[]] {
  return [all.filter(is), all.filter((item) => !is(item))];
}

function learnIds(drafts: readonly Draft[], written: readonly { readonly id: number; readonly code: string }[]): void {
  const ids = new Map(written.map(({ code, id }) => [code, id]));
  for (const draft of drafts) draft.id = ids.get(draft.code) ?? null;
}

/** What {@link productRow} writes of a product that is known; the name that is sought follows from the name. */
const PRODUCT_FIELDS = ['code', 'slug', 'name', 'description', 'price', 'vatRate', 'active'] as const;

function productRow({ id, code, slug, name, description, price, vatRate, active }: ProductDraft): object {
  return { id, code, slug, name, search_name: foldedName(name), description, price, vat_rate: vatRate, active };
}

/** Lowest price and search text of a new product follow from the variants that come with it. */
function offerOf({ code, price }: ProductDraft, variants: readonly VariantDraft[]): object {
  const codes = variants.flatMap((variant) => [variant.code, variant.barcode ?? []].flat());
  const prices = [...variants.map((variant) => variant.price ?? price), ...(variants.length === 0 ? [price] : [])];
  return { lowest_price: lowestOf(prices), search_codes: [code, ...codes].join(' ') };
}

function lowestOf(prices: readonly (number | null)[]): number | null {
  const known = prices.filter((price) => price !== null);
  return known.length === 0 ? null : known.reduce((lowest, price) => Math.min(lowest, price));
}

/** What {@link variantRow} writes of a variant that is known. */
const VARIANT_FIELDS = ['code', 'barcode', 'external_ref', 'name', 'price', 'vatRate'] as const;

function variantRow(variant: VariantDraft, place: number): object {
  const { id, code, barcode, external_ref, name, price, vatRate, product } = variant;
  return { place, id, product_id: product.id, code, barcode, external_ref, name, price, vat_rate: vatRate };
}

function imageRows(pictured: readonly Draft[], keyOf: KeyOf): object[] {
  return pictured
    .flatMap((owner) => owner.images.map((image) => imageRow(owner, image, keyOf)))
    .map((row, place) => Object.assign(row, { place }));
}

function imageRow(owner: Draft, { imageUrl, alt }: ImageWish, keyOf: KeyOf): object {
  const [product, variant] = 'product' in owner ? [owner.product, owner] : [owner, undefined];
  return { product_id: product.id, variant_id: variant?.id, image_url: imageUrl, alt, key: keyOf(imageUrl) };
}
