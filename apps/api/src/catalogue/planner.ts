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
import { isFresh, nameOf, type Found, type ProductDraft, type VariantDraft } from './product-drafts.js';
import { isEmptied, isGiven, pick, stored } from './product-fields.js';
import { Loans } from './loans.js';
import type { ImageWish, ProductWish, VariantWish } from './product-rows.js';
import { slugCandidates } from './slug.js';

export interface PlannedProduct {
  readonly product: ProductDraft;
  readonly created: boolean;
  readonly variants: readonly { readonly variant: VariantDraft; readonly created: boolean }[];
}

/** What becomes of a row, or the key of why nothing does. */
export type Outcome = PlannedProduct | string;

/** Refuses a row in the middle of its plan; caught by the row. */
class Refused extends Error {
  constructor(readonly key: string) {
    super(key);
  }
}

interface Kind {
  readonly record: 'product' | 'variant';
  readonly match: Match<ProductDraft | VariantDraft>;
}

/** Plans the rows of a call one after the other, each of them whole or not at all. */
export class Planner {
  private readonly matches = new Map<number, Kind[]>();
  private readonly loans = new Loans();
  private readonly products: Matcher<ProductDraft>;
  private readonly variants: Matcher<VariantDraft>;
  private readonly slugs: Map<string, ProductDraft>;
  private row = 0;
  private undo: (() => void)[] = [];

  constructor(
    private readonly found: Found,
    private readonly randomSlugEnd: () => string,
    private readonly options: { readonly lends: boolean; readonly explains: boolean },
  ) {
    this.products = matcherOf(MATCHING['POST /int/products'].product, found.products);
    this.variants = matcherOf(MATCHING['POST /int/products'].variant, found.variants);
    this.slugs = new Map(found.products.map((product) => [product.slug, product]));
  }

  /** A row that is known to fail is looked up all the same, so that it can be explained. */
  plan(wish: ProductWish, row: number, failure?: string): Outcome {
    this.row = row;
    this.undo = [];
    try {
      if (failure !== undefined) throw new Refused(failure);
      return this.planned(wish);
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      for (const undo of this.undo.reverse()) undo();
      if (this.options.explains) this.lookUpAgain(wish);
      return refused.key;
    }
  }

  private lookUpAgain(wish: ProductWish): void {
    this.matches.delete(this.row);
    this.find('product', this.products, wish);
    for (const variant of wish.variants) this.find('variant', this.variants, variant);
  }

  explain(row: number): Explanation[] {
    return (this.matches.get(row) ?? []).map(({ record, match }) => explanationOf(record, match));
  }

  /** The rows whose loans were not paid back, and the key of each. */
  unpaid(outcomes: readonly Outcome[]): ReadonlyMap<number, string> {
    return this.loans.unpaid(() => this.draftsOf(outcomes));
  }

  /** What there will be: what was found, and what the rows make. */
  private draftsOf(outcomes: readonly Outcome[]): ReadonlySet<ProductDraft | VariantDraft> {
    const made = outcomes.flatMap((outcome) =>
      typeof outcome === 'string' ? [] : [outcome.product, ...outcome.variants.map(({ variant }) => variant)],
    );
    return new Set([...this.found.products, ...this.found.variants, ...made]);
  }

  private find<Draft extends ProductDraft | VariantDraft>(
    record: Kind['record'],
    matcher: Matcher<Draft>,
    wish: Identified,
  ): Draft | undefined {
    if (!this.options.explains) return matcher.find(wish);
    const match = matcher.explain(wish);
    const matches = this.matches.get(this.row) ?? [];
    matches.push({ record, match });
    this.matches.set(this.row, matches);
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
    if (isEmptied(wish.name)) throw new Refused('API.Products.NameCantBeBlank');
    const code = isGiven(wish.code) ? wish.code : product.code;
    const slug = isGiven(wish.slug) ? wish.slug.trim() : product.slug;
    this.take(this.products, product, 'code', code, 'CodeAlreadyExists');
    this.takeSlug(product, slug);
    this.change(product, { ...pick(wish), code, slug });
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
    const identity = {
      code: isGiven(wish.code) ? wish.code.trim() : variant.code,
      barcode: wish.barcode === undefined ? variant.barcode : stored(wish.barcode),
      external_ref: wish.external_ref === undefined ? variant.external_ref : stored(wish.external_ref),
    };
    this.take(this.variants, variant, 'code', identity.code, 'CodeAlreadyExists');
    this.take(this.variants, variant, 'barcode', identity.barcode, 'BarcodeAlreadyExists');
    this.take(this.variants, variant, 'external_ref', identity.external_ref, 'ExternalRefAlreadyExists');
    const { name, price, vatRate } = wish;
    this.change(variant, { name, price, vatRate, ...identity });
    this.append(variant.images, wish.images);
  }

  /** Has a draft found by this value, which nobody else holds, or whose holder may still give it up. */
  private take<Draft extends ProductDraft | VariantDraft>(
    matcher: Matcher<Draft>,
    draft: Draft,
    identifier: Identifier & keyof Draft,
    value: string | null,
    rule: string,
  ): void {
    if (draft[identifier] === value && (value === null || !isFresh(draft))) return;
    const holder = matcher.holder(identifier, value);
    if (value !== null && holder && holder !== draft) this.borrow(holder, rule, nameOf(draft, identifier, value));
    this.undo.push(matcher.rename(draft, identifier, value));
    this.giveBack(matcher, draft, identifier);
  }

  /** What a draft had borrowed and is leaving now finds its lender again, should that one still hold it. */
  private giveBack<Draft extends ProductDraft | VariantDraft>(
    matcher: Matcher<Draft>,
    draft: Draft,
    identifier: Identifier & keyof Draft,
  ): void {
    const left = draft[identifier] as string | null;
    const lender = left === null ? undefined : this.loans.lenderOf(nameOf(draft, identifier, left));
    const isHeld = lender !== undefined && (lender as Draft)[identifier] === left;
    if (isHeld && !matcher.holder(identifier, left)) this.undo.push(matcher.rename(lender as Draft, identifier, left));
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
    if (!this.options.lends || holder.id === null) throw new Refused(key);
    this.undo.push(this.loans.take({ row: this.row, key, name, lender: holder }));
  }

  /** Changes a draft, and remembers how to take that back. What is undefined stays. */
  private change<Draft extends ProductDraft | VariantDraft>(
    draft: Draft,
    to: { readonly [Field in keyof Draft]?: Draft[Field] | undefined },
  ): void {
    // A fresh draft is nobody's any more when its row fails.
    if (!isFresh(draft)) {
      const before = { ...draft };
      this.undo.push(() => Object.assign(draft, before));
    }
    for (const field in to) if (to[field] !== undefined) draft[field] = to[field];
    draft.touched = true;
  }

  private append(images: ImageWish[], added: readonly ImageWish[]): void {
    if (added.length === 0) return;
    const { length } = images;
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
