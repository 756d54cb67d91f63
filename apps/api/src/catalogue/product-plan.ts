import { isBlank } from '@back-office/kernel';
import { MATCHING, matcherOf, type Matcher } from '@back-office/matching';
import type { ImageWish, ProductWish, VariantWish } from './product-rows.js';
import { slugCandidates } from './slug.js';

/** A product as it is, or as it will be; `id` is null until it is inserted. */
export interface ProductDraft {
  id: number | null;
  code: string;
  external_ref: string | null;
  slug: string;
  name: string;
  description: string | null;
  price: number | null;
  vatRate: number | null;
  active: boolean;
  readonly images: ImageWish[];
  touched: boolean;
}

export interface VariantDraft {
  id: number | null;
  product: ProductDraft;
  code: string;
  barcode: string | null;
  external_ref: string | null;
  name: string | null;
  price: number | null;
  vatRate: number | null;
  readonly images: ImageWish[];
  touched: boolean;
}

/** Every record that a row of the call could name or collide with. */
export interface Found {
  readonly products: readonly ProductDraft[];
  readonly variants: readonly VariantDraft[];
  /** Slugs of the app among those that the call wishes for or could be given. */
  readonly takenSlugs: ReadonlySet<string>;
}

export interface PlannedProduct {
  readonly product: ProductDraft;
  readonly created: boolean;
  readonly variants: readonly { readonly variant: VariantDraft; readonly created: boolean }[];
}

export interface Plan {
  /** In input order: what becomes of the row, or the key of why nothing does. */
  readonly outcomes: readonly (PlannedProduct | string)[];
}

/**
 * Decides what each row of POST /int/products does, one after the other, so that a later row meets what an earlier
 * one has made. A row that fails leaves nothing behind.
 */
export function planProducts(rows: readonly (ProductWish | string)[], found: Found, randomSlugEnd: () => string): Plan {
  const planner = new Planner(found, randomSlugEnd);
  return { outcomes: rows.map((row) => (typeof row === 'string' ? row : planner.plan(row))) };
}

/** Refuses a row in the middle of its plan; caught by the row. */
class Refused extends Error {
  constructor(readonly key: string) {
    super(key);
  }
}

class Planner {
  private readonly products: Matcher<ProductDraft>;
  private readonly variants: Matcher<VariantDraft>;
  private readonly slugs: Map<string, ProductDraft | undefined>;
  private undo: (() => void)[] = [];

  constructor(
    found: Found,
    private readonly randomSlugEnd: () => string,
  ) {
    this.products = matcherOf(MATCHING['POST /int/products'].product, found.products);
    this.variants = matcherOf(MATCHING['POST /int/products'].variant, found.variants);
    this.slugs = new Map([...found.takenSlugs].map((slug) => [slug, undefined]));
    for (const product of found.products) this.slugs.set(product.slug, product);
  }

  plan(wish: ProductWish): PlannedProduct | string {
    this.undo = [];
    try {
      return this.planned(wish);
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      for (const undo of this.undo.reverse()) undo();
      return refused.key;
    }
  }

  private planned(wish: ProductWish): PlannedProduct {
    const match = this.products.find(wish);
    const product = match ?? this.newProduct(wish);
    this.applyToProduct(product, wish);
    const variants = wish.variants.map((each) => this.plannedVariant(product, each));
    return { product, created: match === undefined, variants };
  }

  private newProduct({ code, name }: ProductWish): ProductDraft {
    if (!isGiven(code)) throw new Refused('API.Products.CodeCantBeBlank');
    if (!isGiven(name)) throw new Refused('API.Products.NameCantBeBlank');
    const slug = this.freeSlug(name, code);
    const fresh = { external_ref: null, description: null, price: null, vatRate: null, active: true };
    return { id: null, code, slug, name, ...fresh, images: [], touched: false };
  }

  private applyToProduct(product: ProductDraft, wish: ProductWish): void {
    if (isEmptied(wish.code)) throw new Refused('API.Products.CodeCantBeBlank');
    if (isEmptied(wish.name)) throw new Refused('API.Products.NameCantBeBlank');
    const code = wish.code ?? product.code;
    const holder = this.products.holder('code', code);
    if (holder && holder !== product) throw new Refused('API.Products.CodeAlreadyExists');
    const slug = isGiven(wish.slug) ? wish.slug.trim() : product.slug;
    if (this.slugs.has(slug) && this.slugs.get(slug) !== product) throw new Refused('API.Products.SlugAlreadyExists');
    if (!this.slugs.has(slug)) this.undo.push(() => this.slugs.delete(slug));
    this.slugs.set(slug, product);
    const changed = withoutUndefined({ ...pick(wish), code, slug, touched: true });
    this.change(this.products, product, changed);
    this.append(product.images, wish.images);
  }

  private plannedVariant(product: ProductDraft, wish: VariantWish): PlannedProduct['variants'][number] {
    const match = this.variants.find(wish);
    if (match && match.product !== product) throw new Refused('API.Products.VariantOfAnotherProduct');
    const variant = match ?? newVariant(product, wish);
    this.applyToVariant(variant, wish);
    return { variant, created: match === undefined };
  }

  private applyToVariant(variant: VariantDraft, wish: VariantWish): void {
    if (isEmptied(wish.code)) throw new Refused('API.Products.CodeCantBeBlank');
    const identity = {
      code: wish.code?.trim() ?? variant.code,
      barcode: wish.barcode === undefined ? variant.barcode : stored(wish.barcode),
      external_ref: wish.external_ref === undefined ? variant.external_ref : stored(wish.external_ref),
    };
    this.refuseTaken(variant, 'code', identity.code, 'CodeAlreadyExists');
    this.refuseTaken(variant, 'barcode', identity.barcode, 'BarcodeAlreadyExists');
    this.refuseTaken(variant, 'external_ref', identity.external_ref, 'ExternalRefAlreadyExists');
    const { name, price, vatRate } = wish;
    this.change(this.variants, variant, withoutUndefined({ name, price, vatRate, ...identity, touched: true }));
    this.append(variant.images, wish.images);
  }

  private refuseTaken(
    variant: VariantDraft,
    identifier: 'code' | 'barcode' | 'external_ref',
    value: unknown,
    rule: string,
  ) {
    const holder = this.variants.holder(identifier, value);
    if (holder && holder !== variant) throw new Refused(`API.Products.${rule}`);
  }

  /** Changes a draft and what it is found by, and remembers how to take both back. */
  private change<Draft extends ProductDraft | VariantDraft>(matcher: Matcher<Draft>, draft: Draft, to: Partial<Draft>) {
    const before = { ...draft };
    const isNew = !draft.touched && draft.id === null;
    matcher.remove(draft);
    Object.assign(draft, to);
    matcher.add(draft);
    this.undo.push(() => {
      matcher.remove(draft);
      Object.assign(draft, before);
      if (!isNew) matcher.add(draft);
    });
  }

  private append(images: ImageWish[], added: readonly ImageWish[]): void {
    const length = images.length;
    images.push(...added);
    this.undo.push(() => images.splice(length));
  }

  private freeSlug(name: string, code: string): string {
    const candidates = slugCandidates(name, code);
    return candidates.find((slug) => !this.slugs.has(slug)) ?? `${candidates[0]}-${this.randomSlugEnd()}`;
  }
}

function newVariant(product: ProductDraft, { code }: VariantWish): VariantDraft {
  if (!isGiven(code)) throw new Refused('API.Products.CodeCantBeBlank');
  const fresh = { barcode: null, external_ref: null, name: null, price: null, vatRate: null };
  return { id: null, product, code: code.trim(), ...fresh, images: [], touched: false };
}

function pick({ name, description, price, vatRate, active }: ProductWish) {
  return { name: name ?? undefined, description, price, vatRate, active };
}

/** Variant barcodes and references are trimmed when stored, not when looked up; an empty one is none. */
function stored(text: string | null): string | null {
  return text === null || isBlank(text) ? null : text.trim();
}

function isGiven(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && !isBlank(text);
}

function isEmptied(text: string | null | undefined): boolean {
  return text !== undefined && text !== null && isBlank(text);
}

function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
