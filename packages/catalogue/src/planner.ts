import { pick, type RowOutcome } from '@back-office/kernel';
import {
  type Explanation,
  explanationOf,
  type IdentifierValues,
  type Identifier,
  type Match,
  type Matcher,
  matcherOf,
  MATCHING,
} from '@back-office/matching';
import {
  isJustCreated,
  uniqueValueOf,
  noImages,
  type FoundProducts,
  type ProductDraft,
  type VariantDraft,
} from './product-drafts.js';
import { defaultDetails, isSentBlank, isFilled, DETAIL_FIELDS, blankToNull } from './product-fields.js';
import { Takeovers } from './takeovers.js';
import type { DesiredProduct, DesiredVariant } from './desired-product.js';
import type { ProductOptions } from './product-options.js';
import { RowRefusal } from './row-refusal.js';
import type { SlugGenerator } from './slug.js';

export interface PlannedProduct {
  readonly product: ProductDraft;
  readonly created: boolean;
  readonly variants: readonly { readonly variant: VariantDraft; readonly created: boolean }[];
}

export type ProductOutcome = RowOutcome<PlannedProduct>;

interface RecordMatch {
  readonly record: 'product' | 'variant';
  readonly match: Match<ProductDraft | VariantDraft>;
}

export class Planner {
  private readonly matches = new Map<number, RecordMatch[]>();
  private readonly takeovers = new Takeovers();
  private readonly products: Matcher<ProductDraft>;
  /** Rows do not match products by barcode, but a barcode belongs to one product. */
  private readonly productBarcodes: Matcher<ProductDraft>;
  private readonly variants: Matcher<VariantDraft>;
  private readonly slugs: Map<string, ProductDraft>;
  private row = 0;
  private undoSteps: (() => void)[] = [];

  constructor(
    private readonly foundProducts: FoundProducts,
    private readonly slugGenerator: SlugGenerator,
    private readonly options: Required<Omit<ProductOptions, 'dryRun'>> & { readonly allowsTakeovers: boolean },
  ) {
    this.products = matcherOf(MATCHING['POST /int/products'].product, foundProducts.products);
    this.productBarcodes = matcherOf(['barcode'], foundProducts.products);
    this.variants = matcherOf(MATCHING['POST /int/products'].variant, foundProducts.variants);
    this.slugs = new Map(foundProducts.products.map((product) => [product.slug, product]));
  }

  /**
   * `failure` is the message key with which an earlier plan refused the row. Such a row is only matched for `explain`,
   * not planned again.
   */
  plan(desiredProduct: DesiredProduct, row: number, failure?: string): ProductOutcome {
    this.row = row;
    this.undoSteps = [];
    try {
      if (failure !== undefined) throw RowRefusal.of(failure);
      return this.planRow(desiredProduct);
    } catch (error) {
      if (!(error instanceof RowRefusal)) throw error;
      for (const undo of this.undoSteps.reverse()) undo();
      if (this.options.explain) this.explainFailed(desiredProduct);
      return error.key;
    }
  }

  private explainFailed(desiredProduct: DesiredProduct): void {
    this.matches.delete(this.row);
    this.find('product', this.products, desiredProduct);
    for (const variant of desiredProduct.variants) this.find('variant', this.variants, variant);
  }

  explain(row: number): Explanation[] {
    return (this.matches.get(row) ?? []).map(({ record, match }) => explanationOf(record, match));
  }

  findConflicts(outcomes: readonly ProductOutcome[]): ReadonlyMap<number, string> {
    return this.takeovers.findConflicts(() => this.draftsOf(outcomes));
  }

  private draftsOf(outcomes: readonly ProductOutcome[]): ReadonlySet<ProductDraft | VariantDraft> {
    const plannedDrafts = outcomes.flatMap((outcome) =>
      typeof outcome === 'string' ? [] : [outcome.product, ...outcome.variants.map(({ variant }) => variant)],
    );
    return new Set([...this.foundProducts.products, ...this.foundProducts.variants, ...plannedDrafts]);
  }

  private find<Draft extends ProductDraft | VariantDraft>(
    record: RecordMatch['record'],
    matcher: Matcher<Draft>,
    identifiers: IdentifierValues,
  ): Draft | undefined {
    if (!this.options.explain) return matcher.find(identifiers);
    const match = matcher.explain(identifiers);
    const matches = this.matches.get(this.row) ?? [];
    matches.push({ record, match });
    this.matches.set(this.row, matches);
    return match.record;
  }

  private planRow(desiredProduct: DesiredProduct): PlannedProduct {
    const match = this.find('product', this.products, desiredProduct);
    const product = match ?? this.newProduct(desiredProduct);
    this.applyToProduct(product, desiredProduct);
    const variants = desiredProduct.variants.map((desiredVariant) => this.planVariant(product, desiredVariant));
    return { product, created: match === undefined, variants };
  }

  private newProduct({ code, name }: DesiredProduct): ProductDraft {
    if (!isFilled(code)) throw RowRefusal.of('API.Products.CodeCantBeBlank');
    if (!isFilled(name)) throw RowRefusal.of('API.Products.NameCantBeBlank');
    const slug = this.slugGenerator.generate(name, code, (candidate) => this.slugs.has(candidate));
    const identity = { id: null, code, barcode: null, external_ref: null, slug, name };
    return { ...identity, ...defaultDetails(), ...noImages(), isChanged: false };
  }

  private applyToProduct(product: ProductDraft, desiredProduct: DesiredProduct): void {
    if (isSentBlank(desiredProduct.name)) throw RowRefusal.of('API.Products.NameCantBeBlank');
    const code = isFilled(desiredProduct.code) ? desiredProduct.code : product.code;
    const slug = isFilled(desiredProduct.slug) ? desiredProduct.slug.trim() : product.slug;
    this.take(this.products, product, 'code', code, 'CodeAlreadyExists');
    this.takeSlug(product, slug);
    const barcode = newIdentifier(product.barcode, desiredProduct.barcode);
    this.take(this.productBarcodes, product, 'barcode', barcode, 'BarcodeAlreadyExists');
    const external_ref = this.referenceOf(product, desiredProduct);
    this.take(this.products, product, 'external_ref', external_ref, 'ExternalRefAlreadyExists');
    const identity = { code, barcode, slug, external_ref };
    this.change(product, {
      name: desiredProduct.name ?? undefined,
      ...pick(desiredProduct, DETAIL_FIELDS),
      ...identity,
    });
    this.setImages(product, desiredProduct.images);
  }

  private referenceOf(product: ProductDraft, { external_ref }: DesiredProduct): string | null {
    return this.options.storesReferences ? newIdentifier(product.external_ref, external_ref) : product.external_ref;
  }

  private planVariant(product: ProductDraft, desiredVariant: DesiredVariant): PlannedProduct['variants'][number] {
    const match = this.find('variant', this.variants, desiredVariant);
    if (match && match.product !== product) throw RowRefusal.of('API.Products.VariantOfAnotherProduct');
    const variant = match ?? newVariant(product, desiredVariant);
    this.applyToVariant(variant, desiredVariant);
    return { variant, created: match === undefined };
  }

  private applyToVariant(variant: VariantDraft, desiredVariant: DesiredVariant): void {
    const identity = {
      code: isFilled(desiredVariant.code) ? desiredVariant.code.trim() : variant.code,
      barcode: newIdentifier(variant.barcode, desiredVariant.barcode),
      external_ref: newIdentifier(variant.external_ref, desiredVariant.external_ref),
    };
    this.take(this.variants, variant, 'code', identity.code, 'CodeAlreadyExists');
    this.take(this.variants, variant, 'barcode', identity.barcode, 'BarcodeAlreadyExists');
    this.take(this.variants, variant, 'external_ref', identity.external_ref, 'ExternalRefAlreadyExists');
    const { name, price, vatRate } = desiredVariant;
    this.change(variant, { name, price, vatRate, ...identity });
    this.setImages(variant, desiredVariant.images);
  }

  private take<Draft extends ProductDraft | VariantDraft>(
    matcher: Matcher<Draft>,
    draft: Draft,
    identifier: Identifier & keyof Draft,
    value: string | null,
    rule: string,
  ): void {
    if (draft[identifier] === value && (value === null || !isJustCreated(draft))) return;
    const holder = matcher.findHolder(identifier, value);
    if (value !== null && holder && holder !== draft)
      this.takeOver(holder, rule, uniqueValueOf(draft, identifier, value));
    this.undoSteps.push(matcher.rename(draft, identifier, value));
    this.restoreFormerHolder(matcher, draft, identifier);
  }

  private restoreFormerHolder<Draft extends ProductDraft | VariantDraft>(
    matcher: Matcher<Draft>,
    draft: Draft,
    identifier: Identifier & keyof Draft,
  ): void {
    const oldValue = draft[identifier] as string | null;
    if (oldValue === null) return;
    const formerHolder = this.takeovers.formerHolderOf(uniqueValueOf(draft, identifier, oldValue));
    const isStillHolder = (formerHolder as Draft | undefined)?.[identifier] === oldValue;
    if (isStillHolder && !matcher.findHolder(identifier, oldValue))
      this.undoSteps.push(matcher.rename(formerHolder as Draft, identifier, oldValue));
  }

  private takeSlug(product: ProductDraft, slug: string): void {
    const holder = this.slugs.get(slug);
    if (slug === product.slug && !isJustCreated(product)) return;
    if (holder && holder !== product && holder.slug === slug)
      this.takeOver(holder, 'SlugAlreadyExists', uniqueValueOf(product, 'slug', slug));
    this.slugs.set(slug, product);
    this.undoSteps.push(() => (holder ? this.slugs.set(slug, holder) : this.slugs.delete(slug)));
  }

  private takeOver(holder: ProductDraft | VariantDraft, rule: string, uniqueValue: string): void {
    const failure = `API.Products.${rule}`;
    // No later row can change the value of a holder that an earlier row creates.
    if (!this.options.allowsTakeovers || holder.id === null) throw RowRefusal.of(failure);
    this.undoSteps.push(this.takeovers.add({ row: this.row, failure, uniqueValue, formerHolder: holder }));
  }

  private change<Draft extends ProductDraft | VariantDraft>(
    draft: Draft,
    changes: { readonly [Field in keyof Draft]?: Draft[Field] | undefined },
  ): void {
    if (!isJustCreated(draft)) {
      const before = { ...draft };
      this.undoSteps.push(() => Object.assign(draft, before));
    }
    for (const field in changes) if (changes[field] !== undefined) draft[field] = changes[field];
    draft.isChanged = true;
  }

  private setImages(draft: ProductDraft | VariantDraft, newImages: DesiredProduct['images']): void {
    if (!newImages) return;
    const { images, replacesImages } = draft;
    if (this.options.replacesImages) {
      this.undoSteps.push(() => Object.assign(draft, { images, replacesImages }));
      Object.assign(draft, { images: [...newImages], replacesImages: true });
    } else {
      const { length } = images;
      this.undoSteps.push(() => images.splice(length));
      for (const image of newImages) images.push(image);
    }
  }
}

function newIdentifier(stored: string | null, sent: string | null | undefined): string | null {
  return sent === undefined ? stored : blankToNull(sent);
}

function newVariant(product: ProductDraft, { code }: DesiredVariant): VariantDraft {
  if (!isFilled(code)) throw RowRefusal.of('API.Products.CodeCantBeBlank');
  const emptyFields = { barcode: null, external_ref: null, name: null, price: null, vatRate: null };
  return { id: null, product, code: code.trim(), ...emptyFields, ...noImages(), isChanged: false };
}
