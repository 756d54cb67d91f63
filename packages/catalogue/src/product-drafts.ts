import type { DesiredImage } from './desired-product.js';
import type { PlainFields } from './product-fields.js';

type Writable<Fields> = { -readonly [Field in keyof Fields]: Fields[Field] };

export interface ProductDraft extends Writable<PlainFields> {
  id: number | null;
  code: string;
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
  code: string;
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

/** Copies the drafts, because the planner changes them and there may be several plans. */
export function copyDrafts({ products, variants }: FoundProducts): FoundProducts {
  const copies = new Map(products.map((product) => [product, { ...product, ...noImages() }]));
  return {
    products: [...copies.values()],
    variants: variants.map((draft) => ({
      ...draft,
      product: copies.get(draft.product) ?? draft.product,
      ...noImages(),
    })),
  };
}

export function isFresh({ id, isChanged }: ProductDraft | VariantDraft): boolean {
  return id === null && !isChanged;
}

export function namesOf(draft: ProductDraft | VariantDraft): string[] {
  const { code, external_ref } = draft;
  const uniqueFields =
    'slug' in draft ? { code, slug: draft.slug, external_ref } : { code, barcode: draft.barcode, external_ref };
  return Object.entries(uniqueFields).flatMap(([field, value]) => (value === null ? [] : nameOf(draft, field, value)));
}

export function nameOf(draft: ProductDraft | VariantDraft, field: string, value: string): string {
  return `${'slug' in draft ? 'product' : 'variant'} ${field} ${value}`;
}
