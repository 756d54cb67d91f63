import { pick, type RowOutcome } from '@back-office/kernel';
import {
  type Explanation,
  explanationOf,
  type Identified,
  type Identifier,
  type Match,
  type Matcher,
  matcherOf,
  MATCHING,
} from '@back-office/matching';
import { isFresh, nameOf, type FoundProducts, type ProductDraft, type VariantDraft } from './product-drafts.js';
import { blankFields, isSentBlank, isGiven, PLAIN_FIELDS, blankToNull } from './product-fields.js';
import { Loans } from './loans.js';
import type { DesiredImage, DesiredProduct, DesiredVariant } from './desired-product.js';
import { slugCandidates, type SlugTools } from './slug.js';

export interface PlannedProduct {
  readonly product: ProductDraft;
  readonly created: boolean;
  readonly variants: readonly { readonly variant: VariantDraft; readonly created: boolean }[];
}

export type ProductOutcome = RowOutcome<PlannedProduct>;

class RowRefused extends Error {
  constructor(readonly key: string) {
    super(key);
  }
}

interface Kind {
  readonly record: 'product' | 'variant';
  readonly match: Match<ProductDraft | VariantDraft>;
}

/** Plans the rows of a call in order, each completely or not at all. */
export class Planner {
  private readonly matches = new Map<number, Kind[]>();
  private readonly loans = new Loans();
  private readonly products: Matcher<ProductDraft>;
  private readonly variants: Matcher<VariantDraft>;
  private readonly slugs: Map<string, ProductDraft>;
  private row = 0;
  private undoSteps: (() => void)[] = [];

  constructor(
    private readonly found: FoundProducts,
    private readonly slugTools: SlugTools,
    private readonly options: { readonly canLend: boolean; readonly explains: boolean },
  ) {
    this.products = matcherOf(MATCHING['POST /int/products'].product, found.products);
    this.variants = matcherOf(MATCHING['POST /int/products'].variant, found.variants);
    this.slugs = new Map(found.products.map((product) => [product.slug, product]));
  }

  /** A row with a known `failure` is still looked up, for its explanation. */
  plan(desired: DesiredProduct, row: number, failure?: string): ProductOutcome {
    this.row = row;
    this.undoSteps = [];
    try {
      if (failure !== undefined) throw new RowRefused(failure);
      return this.planned(desired);
    } catch (error) {
      if (!(error instanceof RowRefused)) throw error;
      for (const undo of this.undoSteps.reverse()) undo();
      if (this.options.explains) this.lookUpAgain(desired);
      return error.key;
    }
  }

  private lookUpAgain(desired: DesiredProduct): void {
    this.matches.delete(this.row);
    this.find('product', this.products, desired);
    for (const variant of desired.variants) this.find('variant', this.variants, variant);
  }

  explain(row: number): Explanation[] {
    return (this.matches.get(row) ?? []).map(({ record, match }) => explanationOf(record, match));
  }

  /** Rows whose names are still held by another record, with their message keys. */
  unreturned(outcomes: readonly ProductOutcome[]): ReadonlyMap<number, string> {
    return this.loans.unreturned(() => this.draftsOf(outcomes));
  }

  private draftsOf(outcomes: readonly ProductOutcome[]): ReadonlySet<ProductDraft | VariantDraft> {
    const made = outcomes.flatMap((outcome) =>
      typeof outcome === 'string' ? [] : [outcome.product, ...outcome.variants.map(({ variant }) => variant)],
    );
    return new Set([...this.found.products, ...this.found.variants, ...made]);
  }

  private find<Draft extends ProductDraft | VariantDraft>(
    record: Kind['record'],
    matcher: Matcher<Draft>,
    desired: Identified,
  ): Draft | undefined {
    if (!this.options.explains) return matcher.find(desired);
    const match = matcher.explain(desired);
    const matches = this.matches.get(this.row) ?? [];
    matches.push({ record, match });
    this.matches.set(this.row, matches);
    return match.record;
  }

  private planned(desired: DesiredProduct): PlannedProduct {
    const match = this.find('product', this.products, desired);
    const product = match ?? this.newProduct(desired);
    this.applyToProduct(product, desired);
    const variants = desired.variants.map((each) => this.plannedVariant(product, each));
    return { product, created: match === undefined, variants };
  }

  private newProduct({ code, name }: DesiredProduct): ProductDraft {
    if (!isGiven(code)) throw new RowRefused('API.Products.CodeCantBeBlank');
    if (!isGiven(name)) throw new RowRefused('API.Products.NameCantBeBlank');
    const slug = this.freeSlug(name, code);
    return { id: null, code, slug, name, external_ref: null, ...blankFields(), images: [], touched: false };
  }

  private applyToProduct(product: ProductDraft, desired: DesiredProduct): void {
    if (isSentBlank(desired.name)) throw new RowRefused('API.Products.NameCantBeBlank');
    const code = isGiven(desired.code) ? desired.code : product.code;
    const slug = isGiven(desired.slug) ? desired.slug.trim() : product.slug;
    this.take(this.products, product, 'code', code, 'CodeAlreadyExists');
    this.takeSlug(product, slug);
    this.change(product, { name: desired.name ?? undefined, ...pick(desired, PLAIN_FIELDS), code, slug });
    this.append(product.images, desired.images);
  }

  private plannedVariant(product: ProductDraft, desired: DesiredVariant): PlannedProduct['variants'][number] {
    const match = this.find('variant', this.variants, desired);
    if (match && match.product !== product) throw new RowRefused('API.Products.VariantOfAnotherProduct');
    const variant = match ?? newVariant(product, desired);
    this.applyToVariant(variant, desired);
    return { variant, created: match === undefined };
  }

  private applyToVariant(variant: VariantDraft, desired: DesiredVariant): void {
    const identity = {
      code: isGiven(desired.code) ? desired.code.trim() : variant.code,
      barcode: desired.barcode === undefined ? variant.barcode : blankToNull(desired.barcode),
      external_ref: desired.external_ref === undefined ? variant.external_ref : blankToNull(desired.external_ref),
    };
    this.take(this.variants, variant, 'code', identity.code, 'CodeAlreadyExists');
    this.take(this.variants, variant, 'barcode', identity.barcode, 'BarcodeAlreadyExists');
    this.take(this.variants, variant, 'external_ref', identity.external_ref, 'ExternalRefAlreadyExists');
    const { name, price, vatRate } = desired;
    this.change(variant, { name, price, vatRate, ...identity });
    this.append(variant.images, desired.images);
  }

  /** Gives the draft this value, if it is free or its holder may give it up in a later row. */
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
    this.undoSteps.push(matcher.rename(draft, identifier, value));
    this.giveBack(matcher, draft, identifier);
  }

  /** Returns the old value to its lender, if that still holds it. */
  private giveBack<Draft extends ProductDraft | VariantDraft>(
    matcher: Matcher<Draft>,
    draft: Draft,
    identifier: Identifier & keyof Draft,
  ): void {
    const left = draft[identifier] as string | null;
    const lender = left === null ? undefined : this.loans.lenderOf(nameOf(draft, identifier, left));
    const isHeld = lender !== undefined && (lender as Draft)[identifier] === left;
    if (isHeld && !matcher.holder(identifier, left))
      this.undoSteps.push(matcher.rename(lender as Draft, identifier, left));
  }

  private takeSlug(product: ProductDraft, slug: string): void {
    const holder = this.slugs.get(slug);
    if (slug === product.slug && !isFresh(product)) return;
    if (holder && holder !== product && holder.slug === slug) {
      this.borrow(holder, 'SlugAlreadyExists', nameOf(product, 'slug', slug));
    }
    this.slugs.set(slug, product);
    this.undoSteps.push(() => (holder ? this.slugs.set(slug, holder) : this.slugs.delete(slug)));
  }

  private borrow(holder: ProductDraft | VariantDraft, rule: string, name: string): void {
    const key = `API.Products.${rule}`;
    // A new record cannot give up its name in a later row.
    if (!this.options.canLend || holder.id === null) throw new RowRefused(key);
    this.undoSteps.push(this.loans.take({ row: this.row, key, name, lender: holder }));
  }

  /** Changes a draft and registers the undo. Undefined fields stay. */
  private change<Draft extends ProductDraft | VariantDraft>(
    draft: Draft,
    to: { readonly [Field in keyof Draft]?: Draft[Field] | undefined },
  ): void {
    // A fresh draft is dropped when its row fails.
    if (!isFresh(draft)) {
      const before = { ...draft };
      this.undoSteps.push(() => Object.assign(draft, before));
    }
    for (const field in to) if (to[field] !== undefined) draft[field] = to[field];
    draft.touched = true;
  }

  private append(images: DesiredImage[], added: readonly DesiredImage[]): void {
    if (added.length === 0) return;
    const { length } = images;
    for (const image of added) images.push(image);
    this.undoSteps.push(() => images.splice(length));
  }

  private freeSlug(name: string, code: string): string {
    const candidates = slugCandidates(name, code, this.slugTools.asciiOf);
    return candidates.find((slug) => !this.slugs.has(slug)) ?? `${candidates[0]}-${this.slugTools.randomEnd()}`;
  }
}

function newVariant(product: ProductDraft, { code }: DesiredVariant): VariantDraft {
  if (!isGiven(code)) throw new RowRefused('API.Products.CodeCantBeBlank');
  const fresh = { barcode: null, external_ref: null, name: null, price: null, vatRate: null };
  return { id: null, product, code: code.trim(), ...fresh, images: [], touched: false };
}
