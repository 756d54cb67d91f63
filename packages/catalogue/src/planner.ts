import { pick, type RowOutcome } from '@back-office/kernel';
import { type Explanation, type Identifier, type Matcher, matcherOf, MATCHING, TRIMMED } from '@back-office/matching';
import {
  isJustCreated,
  uniqueValueOf,
  type FoundProducts,
  type ProductDraft,
  type VariantDraft,
} from './product-drafts.js';
import { isSentBlank, isFilled, DETAIL_FIELDS, newIdentifier } from './product-fields.js';
import { Takeovers, type RowFailure } from './takeovers.js';
import type { DesiredProduct, DesiredVariant } from './desired-product.js';
import { newProduct, newVariant } from './new-drafts.js';
import type { ProductOptions } from './product-options.js';
import { RowMatches } from './row-matches.js';
import { RowRefusal } from './row-refusal.js';
import { SentCodes } from './sent-codes.js';
import type { SlugGenerator } from './slug.js';

export interface PlannedProduct {
  readonly product: ProductDraft;
  readonly created: boolean;
  readonly variants: readonly PlannedVariant[];
}

export interface PlannedVariant {
  readonly variant: VariantDraft;
  readonly created: boolean;
  /** The identifier that found the variant; null for a new variant. */
  readonly matchedBy: Identifier | null;
}

export type ProductOutcome = RowOutcome<PlannedProduct>;

export class Planner {
  /** Maps the index of a failed row to the index of the variant that made it fail. */
  readonly failedVariants = new Map<number, number>();
  private readonly matches: RowMatches;
  private readonly takeovers = new Takeovers();
  private readonly products: Matcher<ProductDraft>;
  /** Rows do not match products by barcode, but a barcode belongs to one product. */
  private readonly productBarcodes: Matcher<ProductDraft>;
  private readonly variants: Matcher<VariantDraft>;
  private readonly slugs: Map<string, ProductDraft>;
  private readonly sentCodes = new SentCodes();
  private row = 0;
  /** Index of the variant that is planned, within its row. */
  private variantIndex: number | undefined;
  private undoSteps: (() => void)[] = [];

  constructor(
    private readonly foundProducts: FoundProducts,
    private readonly slugGenerator: SlugGenerator,
    private readonly options: Required<Omit<ProductOptions, 'dryRun'>> & { readonly allowsTakeovers: boolean },
  ) {
    this.matches = new RowMatches(options.explain ?? false);
    this.products = matcherOf(
      MATCHING['POST /int/products'].product,
      foundProducts.products,
      options.storesReferences ? TRIMMED['POST /int/products'].product : [],
    );
    this.productBarcodes = matcherOf(['barcode'], foundProducts.products);
    this.variants = matcherOf(
      MATCHING['POST /int/products'].variant,
      foundProducts.variants,
      TRIMMED['POST /int/products'].variant,
    );
    this.slugs = new Map(foundProducts.products.map((product) => [product.slug, product]));
  }

  /**
   * `failure` is the reason why an earlier plan refused the row. Such a row is only matched for `explain`, not planned
   * again.
   */
  plan(desiredProduct: DesiredProduct, row: number, failure?: RowFailure): ProductOutcome {
    this.row = row;
    this.variantIndex = failure?.variantIndex;
    this.undoSteps = [];
    this.matches.begin(row);
    try {
      if (failure !== undefined) throw RowRefusal.of(failure.key);
      return this.planRow(desiredProduct);
    } catch (error) {
      if (!(error instanceof RowRefusal)) throw error;
      if (this.variantIndex !== undefined) this.failedVariants.set(row, this.variantIndex);
      for (const undo of this.undoSteps.reverse()) undo();
      if (this.options.explain) this.explainFailed(desiredProduct);
      return error.key;
    }
  }

  private explainFailed(desiredProduct: DesiredProduct): void {
    this.matches.begin(this.row);
    this.matches.find('product', this.products, desiredProduct);
    for (const variant of desiredProduct.variants) this.matches.find('variant', this.variants, variant);
  }

  explain(row: number): Explanation[] {
    return this.matches.explain(row);
  }

  findConflicts(outcomes: readonly ProductOutcome[]): ReadonlyMap<number, RowFailure> {
    return this.takeovers.findConflicts(() => this.draftsOf(outcomes));
  }

  private draftsOf(outcomes: readonly ProductOutcome[]): ReadonlySet<ProductDraft | VariantDraft> {
    const plannedDrafts = outcomes.flatMap((outcome) =>
      typeof outcome === 'string' ? [] : [outcome.product, ...outcome.variants.map(({ variant }) => variant)],
    );
    return new Set([...this.foundProducts.products, ...this.foundProducts.variants, ...plannedDrafts]);
  }

  private planRow(desiredProduct: DesiredProduct): PlannedProduct {
    const match = this.matches.find('product', this.products, desiredProduct)?.record;
    const product = match ?? newProduct(desiredProduct, (name, code) => this.generateSlug(name, code));
    this.applyToProduct(product, desiredProduct);
    const variants = desiredProduct.variants.map((desiredVariant, index) => {
      this.variantIndex = index;
      return this.planVariant(product, desiredVariant);
    });
    return { product, created: match === undefined, variants };
  }

  private generateSlug(name: string, code: string): string {
    return this.slugGenerator.generate(name, code, (candidate) => this.slugs.has(candidate));
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

  private planVariant(product: ProductDraft, desiredVariant: DesiredVariant): PlannedVariant {
    const match = this.matches.find('variant', this.variants, desiredVariant);
    if (match) this.sentCodes.check(match, desiredVariant);
    if (match && match.record.product !== product) throw RowRefusal.of('API.Products.VariantOfAnotherProduct');
    const variant = match?.record ?? newVariant(product, desiredVariant);
    this.undoSteps.push(this.sentCodes.add(variant, desiredVariant));
    this.applyToVariant(variant, desiredVariant);
    return { variant, created: match === undefined, matchedBy: match?.identifier ?? null };
  }

  private applyToVariant(variant: VariantDraft, desiredVariant: DesiredVariant): void {
    const identity = {
      code: isFilled(desiredVariant.code) ? newIdentifier(variant.code, desiredVariant.code) : variant.code,
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
    const { row, variantIndex } = this;
    const failure = { key: `API.Products.${rule}`, variantIndex };
    // No later row can change the value of a holder that an earlier row creates.
    if (!this.options.allowsTakeovers || holder.id === null) throw RowRefusal.of(failure.key);
    this.undoSteps.push(this.takeovers.add({ row, failure, uniqueValue, formerHolder: holder }));
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
