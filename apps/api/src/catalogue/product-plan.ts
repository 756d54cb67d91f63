import {
  explanationOf,
  MATCHING,
  matcherOf,
  type Explanation,
  type Identified,
  type Identifier,
  type Match,
  type Matcher,
} from '@back-office/matching';
import {
  copyOf,
  isFresh,
  nameOf,
  namesOf,
  type Found,
  type ProductDraft,
  type VariantDraft,
} from './product-drafts.js';
import { isEmptied, isGiven, pick, stored, withoutUndefined } from './product-fields.js';
import type { ImageWish, ProductWish, VariantWish } from './product-rows.js';
import { slugCandidates } from './slug.js';

export interface PlannedProduct {
  readonly product: ProductDraft;
  readonly created: boolean;
  readonly variants: readonly { readonly variant: VariantDraft; readonly created: boolean }[];
}

export interface Plan {
  /** In input order: what becomes of the row, or the key of why nothing does. */
  readonly outcomes: readonly (PlannedProduct | string)[];
  /** How each row has found its product and its variants; to be asked when new ones have their ids. */
  readonly explain: () => readonly (readonly Explanation[])[];
}

/** How often a call is planned anew before identifiers are no longer lent. */
const MOST_LENDING_PLANS = 3;

/**
 * Decides what each row of POST /int/products does, one after the other, so that a later row meets what an earlier
 * one has made. A row that fails leaves nothing behind. A row may take a code, barcode, reference or slug that its
 * holder gives up in a later row, so that two records can swap; if the holder then keeps it, the row fails after all.
 */
export function planProducts(rows: readonly (ProductWish | string)[], found: Found, randomSlugEnd: () => string): Plan {
  const refused = new Map<number, string>();
  for (let plan = 1; ; plan += 1) {
    const planner = new Planner(copyOf(found), randomSlugEnd, plan <= MOST_LENDING_PLANS);
    const outcomes = rows.map((row, index) =>
      typeof row === 'string' ? row : planner.plan(row, index, refused.get(index)),
    );
    const unpaid = planner.unpaid();
    if (unpaid.size === 0) return { outcomes, explain: () => rows.map((_, index) => planner.explain(index)) };
    for (const [row, key] of unpaid) refused.set(row, key);
  }
}

/** Refuses a row in the middle of its plan; caught by the row. */
class Refused extends Error {
  constructor(readonly key: string) {
    super(key);
  }
}

/** A name that a row has taken from a record that held it; should two records hold it in the end, the row fails. */
interface Loan {
  readonly row: number;
  readonly key: string;
  readonly name: string;
}

interface Kind {
  readonly record: 'product' | 'variant';
  readonly match: Match<ProductDraft | VariantDraft>;
}

class Planner {
  private readonly matches = new Map<number, Kind[]>();
  private readonly loans: Loan[] = [];
  private readonly drafts: Set<ProductDraft | VariantDraft>;
  private readonly products: Matcher<ProductDraft>;
  private readonly variants: Matcher<VariantDraft>;
  private readonly slugs: Map<string, ProductDraft>;
  private row = 0;
  private undo: (() => void)[] = [];

  constructor(
    found: Found,
    private readonly randomSlugEnd: () => string,
    private readonly lends: boolean,
  ) {
    this.products = matcherOf(MATCHING['POST /int/products'].product, found.products);
    this.variants = matcherOf(MATCHING['POST /int/products'].variant, found.variants);
    this.drafts = new Set([...found.products, ...found.variants]);
    this.slugs = new Map(found.products.map((product) => [product.slug, product]));
  }

  /** A row that is known to fail is looked up all the same, so that it can be explained. */
  plan(wish: ProductWish, row: number, failure?: string): PlannedProduct | string {
    this.row = row;
    this.undo = [];
    this.matches.set(row, []);
    try {
      if (failure !== undefined) throw new Refused(failure);
      return this.planned(wish);
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      for (const undo of this.undo.reverse()) undo();
      this.matches.set(row, []);
      this.find('product', this.products, wish);
      for (const variant of wish.variants) this.find('variant', this.variants, variant);
      return refused.key;
    }
  }

  explain(row: number): Explanation[] {
    return (this.matches.get(row) ?? []).map(({ record, match }) => explanationOf(record, match));
  }

  /** The rows whose loans were not paid back, and the key of each. */
  unpaid(): ReadonlyMap<number, string> {
    const holders = new Map(this.loans.map(({ name }) => [name, 0]));
    for (const name of this.loans.length === 0 ? [] : [...this.drafts].flatMap(namesOf)) {
      const count = holders.get(name);
      if (count !== undefined) holders.set(name, count + 1);
    }
    return new Map(this.loans.filter(({ name }) => (holders.get(name) ?? 0) > 1).map(({ row, key }) => [row, key]));
  }

  private find<Draft extends ProductDraft | VariantDraft>(
    record: Kind['record'],
    matcher: Matcher<Draft>,
    wish: Identified,
  ): Draft | undefined {
    const match = matcher.explain(wish);
    this.matches.get(this.row)?.push({ record, match });
    return match.record;
  }

  private planned(wish: ProductWish): PlannedProduct {
    const match = this.find('product', this.products, wish);
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
    const slug = isGiven(wish.slug) ? wish.slug.trim() : product.slug;
    this.take(this.products, product, 'code', code, 'CodeAlreadyExists');
    this.takeSlug(product, slug);
    this.change(this.products, product, withoutUndefined({ ...pick(wish), code, slug, touched: true }));
    this.append(product.images, wish.images);
  }

  private plannedVariant(product: ProductDraft, wish: VariantWish): PlannedProduct['variants'][number] {
    const match = this.find('variant', this.variants, wish);
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
    this.take(this.variants, variant, 'code', identity.code, 'CodeAlreadyExists');
    this.take(this.variants, variant, 'barcode', identity.barcode, 'BarcodeAlreadyExists');
    this.take(this.variants, variant, 'external_ref', identity.external_ref, 'ExternalRefAlreadyExists');
    const { name, price, vatRate } = wish;
    this.change(this.variants, variant, withoutUndefined({ name, price, vatRate, ...identity, touched: true }));
    this.append(variant.images, wish.images);
  }

  /** Makes sure that a draft may get this value: nobody else holds it, or the holder may still give it up. */
  private take<Draft extends ProductDraft | VariantDraft>(
    matcher: Matcher<Draft>,
    draft: Draft,
    identifier: Identifier & keyof Draft,
    value: string | null,
    rule: string,
  ): void {
    const holder = matcher.holder(identifier, value);
    if (value === null || !holder || holder === draft || (draft[identifier] === value && !isFresh(draft))) return;
    this.borrow(holder, rule, nameOf(draft, identifier, value));
    this.undo.push(() => matcher.add(holder));
  }

  private takeSlug(product: ProductDraft, slug: string): void {
    const holder = this.slugs.get(slug);
    if (slug === product.slug && !isFresh(product)) return;
    if (holder && holder !== product && holder.slug === slug) {
      this.borrow(holder, 'SlugAlreadyExists', nameOf(product, 'slug', slug));
    }
    this.slugs.set(slug, product);
    this.undo.push(() => (holder ? this.slugs.set(slug, holder) : this.slugs.delete(slug)));
  }

  private borrow(holder: ProductDraft | VariantDraft, rule: string, name: string): void {
    const key = `API.Products.${rule}`;
    // A record of this call has not held it before, and nobody who made it means to give it up.
    if (!this.lends || holder.id === null) throw new Refused(key);
    const { row, loans } = this;
    const { length } = loans;
    loans.push({ row, key, name });
    this.undo.push(() => loans.splice(length));
  }

  /** Changes a draft and what it is found by, and remembers how to take both back. */
  private change<Draft extends ProductDraft | VariantDraft>(matcher: Matcher<Draft>, draft: Draft, to: Partial<Draft>) {
    const before = { ...draft };
    const wasFresh = isFresh(draft);
    matcher.remove(draft);
    Object.assign(draft, to);
    matcher.add(draft);
    this.drafts.add(draft);
    this.undo.push(() => {
      matcher.remove(draft);
      Object.assign(draft, before);
      if (wasFresh) this.drafts.delete(draft);
      else matcher.add(draft);
    });
  }

  private append(images: ImageWish[], added: readonly ImageWish[]): void {
    const length = images.length;
    for (const image of added) images.push(image);
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
