import { sum, type Clock } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import { usedKey } from '@back-office/media';
import { randomBytes } from 'node:crypto';
import { valuesOf, waitForBulkTurn, type BulkOptions } from '../database/bulk.js';
import type { Database, Transaction } from '../database/database.js';
import { foldedName } from '../database/search-text.js';
import type { AppContext } from '../http/app-context.js';
import { RECORD_USAGES } from '../media/index.js';
import type { Found, ProductDraft, VariantDraft } from './product-drafts.js';
import { planProducts, type Plan, type PlannedProduct } from './product-plan.js';
import type { ProductWish } from './product-rows.js';
import { slugCandidates } from './slug.js';

// Not `for update`: a stock row or a proforma that names one of the records need not wait.
const FIND_PRODUCTS = `
  select id, code, external_ref, slug, name, description, price, vat_rate, active from products
  where app_id = $1
    and (id = any($2::bigint[]) or code = any($3::text[]) or external_ref = any($4::text[]) or slug = any($5::text[]))
  order by id for no key update`;

const FIND_VARIANTS = `
  select id, product_id, code, barcode, external_ref, name, price, vat_rate from product_variants
  where app_id = $1 and (code = any($2::text[]) or barcode = any($3::text[]) or external_ref = any($4::text[]))
  order by id for no key update`;

const PRODUCT = `
  (place int, id bigint, code text, slug text, name text, search_name text, description text, price bigint, vat_rate int,
    active bool, lowest_price bigint, search_all text)`;

// Changed rows are written before new ones: a new product may take the code that an old one gives up in the same call.
const UPDATE_PRODUCTS = `
  update products p
  set code = row.code, slug = row.slug, name = row.name, search_name = row.search_name, description = row.description, price = row.price,
      vat_rate = row.vat_rate, active = row.active, updated_at = $3
  from json_to_recordset($2) as row ${PRODUCT}
  where p.app_id = $1 and p.id = row.id`;

const INSERT_PRODUCTS = `
  insert into products (app_id, code, slug, name, search_name, description, price, vat_rate, active, lowest_price,
    search_all, inserted_at, updated_at)
  select $1, code, slug, name, search_name, description, price, vat_rate, active, lowest_price, search_all, $3, $3
  from json_to_recordset($2) as row ${PRODUCT} order by place
  returning id, code`;

const VARIANT = `
  (place int, id bigint, product_id bigint, code text, barcode text, external_ref text, name text, price bigint, vat_rate int)`;

const UPDATE_VARIANTS = `
  update product_variants v
  set code = row.code, barcode = row.barcode, external_ref = row.external_ref, name = row.name, price = row.price,
      vat_rate = row.vat_rate, updated_at = $3
  from json_to_recordset($2) as row ${VARIANT}
  where v.app_id = $1 and v.id = row.id`;

const INSERT_VARIANTS = `
  insert into product_variants
    (app_id, product_id, code, barcode, external_ref, name, price, vat_rate, inserted_at, updated_at)
  select $1, product_id, code, barcode, external_ref, name, price, vat_rate, $3, $3
  from json_to_recordset($2) as row ${VARIANT} order by place
  returning id, code`;

const FINISH = `
  with image as (
    select * from json_to_recordset($3)
      as row (place int, product_id bigint, variant_id bigint, image_url text, alt text, key text)
  ), images as (
    insert into product_images (app_id, product_id, product_variant_id, image_url, alt, inserted_at)
    select $1, product_id, variant_id, image_url, alt, $4 from image order by place
  ), usages as (
    ${RECORD_USAGES}
    select $1, key, case when variant_id is null then 'product' else 'product_variant' end,
      coalesce(variant_id, product_id)::text, 'images', null, image_url, $4
    from image where key is not null order by place
  )
  update products p set lowest_price = l.lowest_price, search_all = l.search_all
  from (
    select o.id,
      case when v.least is null then o.price when v.inherits then least(v.least, o.price) else v.least end as lowest_price,
      concat_ws(' ', o.search_name, lower(o.code), v.codes) as search_all
    from products o
    left join (
      select product_id, min(price) as least, bool_or(price is null) as inherits,
        string_agg(concat_ws(' ', lower(code), lower(barcode)), ' ' order by id) as codes
      from product_variants where app_id = $1 and product_id = any($2::bigint[]) group by product_id
    ) as v on v.product_id = o.id
    where o.app_id = $1 and o.id = any($2::bigint[])
  ) as l
  where p.app_id = $1 and p.id = l.id and p.id = any($2::bigint[])
    and (p.lowest_price is distinct from l.lowest_price or p.search_all is distinct from l.search_all)`;

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
    { id: appId, settings }: Pick<AppContext, 'id' | 'settings'>,
    rows: readonly (ProductWish | string)[],
    { explain, dryRun }: BulkOptions = {},
  ): Promise<Upserted> {
    const keyOf = (url: string) => usedKey(url, this.libraryBase, settings.media.prefix);
    const work = async (transaction: Transaction): Promise<Upserted> => {
      const wishes = rows.filter((row) => typeof row !== 'string');
      const records = sum(wishes.map((wish) => 1 + wish.variants.length));
      await waitForBulkTurn(transaction, 'products', appId, records);
      const found = await find(transaction, appId, wishes);
      const plan = planProducts(rows, found, () => randomBytes(4).toString('hex'));
      const drafts = draftsOf(plan.outcomes);
      const fresh = [...drafts.products, ...drafts.variants].filter((draft) => draft.id === null);
      if (drafts.products.length > 0) await write(transaction, appId, drafts, this.clock.now(), keyOf);
      if (dryRun) for (const draft of fresh) draft.id = null;
      return { outcomes: plan.outcomes, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { rehearsal: dryRun });
  }
}

async function find(transaction: Transaction, appId: number, wishes: readonly ProductWish[]): Promise<Found> {
  const slugs = new Set(
    wishes.flatMap(({ slug, name, code }) => [slug?.trim() ?? '', ...slugCandidates(name ?? '', code ?? '')]),
  );
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
  const values: unknown[] = valuesOf(rows, field);
  return [...new Set(values.flatMap((value) => (typeof value === 'string' ? [value, value.trim()] : [value])))];
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
}

/** What is to be written, each record once. */
function draftsOf(outcomes: Plan['outcomes']): Drafts {
  const planned = outcomes.filter((outcome): outcome is PlannedProduct => typeof outcome !== 'string');
  return {
    products: [...new Set(planned.map((each) => each.product))],
    variants: [...new Set(planned.flatMap((each) => each.variants.map(({ variant }) => variant)))],
  };
}

async function write(
  transaction: Transaction,
  appId: number,
  { products, variants }: Drafts,
  now: Date,
  keyOf: KeyOf,
): Promise<void> {
  const theirs = new Map(products.map((product) => [product, [] as VariantDraft[]]));
  for (const variant of variants) theirs.get(variant.product)?.push(variant);
  const row = (product: ProductDraft, place: number) => productRow(product, theirs.get(product) ?? [], place);
  await upsert(transaction, [UPDATE_PRODUCTS, INSERT_PRODUCTS], appId, products, row, now);
  await upsert(transaction, [UPDATE_VARIANTS, INSERT_VARIANTS], appId, variants, variantRow, now);
  const ids = products.map((product) => product.id);
  await transaction.last(FINISH, [appId, ids, JSON.stringify(imageRows(products, variants, keyOf)), now]);
}

/** Writes changed drafts, then new ones, which learn their ids by their codes. */
async function upsert<Draft extends { id: number | null; readonly code: string }>(
  transaction: Transaction,
  [update, insert]: readonly [string, string],
  appId: number,
  drafts: readonly Draft[],
  rowOf: (draft: Draft, place: number) => object,
  now: Date,
): Promise<void> {
  const known = drafts.filter((draft) => draft.id !== null);
  const fresh = drafts.filter((draft) => draft.id === null);
  await transaction.rows(update, [appId, JSON.stringify(known.map(rowOf)), now]);
  const inserted = await transaction.rows<{ id: number; code: string }>(insert, [
    appId,
    JSON.stringify(fresh.map(rowOf)),
    now,
  ]);
  const ids = new Map(inserted.map((row) => [row.code, row.id]));
  for (const draft of fresh) draft.id = ids.get(draft.code) ?? null;
}

/** Lowest price and search text of a new product follow from the variants that come with it; {@link FINISH} mends the rest. */
function productRow(product: ProductDraft, variants: readonly VariantDraft[], place: number): object {
  const { id, code, slug, name, description, price, vatRate, active } = product;
  const search_name = foldedName(name);
  const codes = variants.flatMap((variant) => [variant.code, variant.barcode ?? []].flat());
  const prices = [...variants.map((variant) => variant.price ?? price), ...(variants.length === 0 ? [price] : [])];
  return {
    place,
    id,
    code,
    slug,
    name,
    search_name,
    description,
    price,
    vat_rate: vatRate,
    active,
    lowest_price: lowestOf(prices),
    search_all: [search_name, ...[code, ...codes].map((each) => each.toLowerCase())].join(' '),
  };
}

function lowestOf(prices: readonly (number | null)[]): number | null {
  const known = prices.filter((price) => price !== null);
  return known.length === 0 ? null : known.reduce((lowest, price) => Math.min(lowest, price));
}

function variantRow(variant: VariantDraft, place: number): object {
  const { id, code, barcode, external_ref, name, price, vatRate, product } = variant;
  return { place, id, product_id: product.id, code, barcode, external_ref, name, price, vat_rate: vatRate };
}

function imageRows(products: readonly ProductDraft[], variants: readonly VariantDraft[], keyOf: KeyOf): object[] {
  const ofProducts = products.flatMap(({ id, images }) =>
    images.map((image) => ({ product_id: id, variant_id: null, image })),
  );
  const ofVariants = variants.flatMap(({ id, product, images }) =>
    images.map((image) => ({ product_id: product.id, variant_id: id, image })),
  );
  return [...ofProducts, ...ofVariants].map(({ image, ...owner }, place) => ({
    ...owner,
    place,
    image_url: image.imageUrl,
    alt: image.alt,
    key: keyOf(image.imageUrl),
  }));
}
