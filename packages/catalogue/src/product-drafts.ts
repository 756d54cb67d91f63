import type { DesiredImage } from './desired-product.js';
import type { ProductDetails } from './product-fields.js';

type Writable<Fields> = { -readonly [Field in keyof Fields]: Fields[Field] };

export interface ProductDraft extends Writable<ProductDetails> {
  id: number | null;
  code: string;
  barcode: string | null;
  external_ref: string | null;
  slug: string;
  name: string;
  /** Images to append; with `replacesImages`, all images of the draft. */
  images: DesiredImage[];
  replacesImages: boolean;
  isChanged: boolean;
}

export interface VariantDraft {
  id: number | null;
  product: ProductDraft;
  /** Null only if the variant has a barcode or a reference. */
  code: string | null;
  barcode: string | null;
  external_ref: string | null;
  name: string | null;
  price: number | null;
  vatRate: number | null;
  images: DesiredImage[];
  replacesImages: boolean;
  isChanged: boolean;
}

/** Initial state of the images of a draft. */
export function noImages(): Pick<ProductDraft, 'images' | 'replacesImages'> {
  return { images: [], replacesImages: false };
}

export interface FoundProducts {
  readonly products: readonly ProductDraft[];
  readonly variants: readonly VariantDraft[];
}

/** Copies the drafts, because a planner changes its drafts and each of several plans starts from the found records. */
export function copyDrafts({ products, variants }: FoundProducts): FoundProducts {
  const copies = new Map(products.map((product) => [product, copy(product)]));
  return {
    products: [...copies.values()],
    variants: variants.map((draft) =>
      Object.assign(copy(draft), { product: copies.get(draft.product) ?? draft.product }),
    ),
  };
}

/** V8 gives each object of a literal like `{ ...a, ...b }` a shape of its own, which makes large calls slow. */
function copy<Draft extends ProductDraft | VariantDraft>(draft: Draft): Draft {
  return Object.assign({ ...draft }, noImages());
}

/** Returns true for a new draft before the fields of its row are applied. */
export function isJustCreated({ id, isChanged }: ProductDraft | VariantDraft): boolean {
  return id === null && !isChanged;
}

export function uniqueValuesOf(draft: ProductDraft | VariantDraft): string[] {
  const { code, barcode, external_ref } = draft;
  const uniqueFields = { code, barcode, external_ref, ...('slug' in draft && { slug: draft.slug }) };
  return Object.entries(uniqueFields).flatMap(([field, value]) =>
    value === null ? [] : uniqueValueOf(draft, field, value),
  );
}

/** Returns the value with its kind of record and field, such as `product code A1`. */
export function uniqueValueOf(draft: ProductDraft | VariantDraft, field: string, value: string): string {
  return `${'slug' in draft ? 'product' : 'variant'} ${field} ${value}`;
}
