import type { DesiredImage } from './desired-product.js';
import type { PlainFields } from './product-fields.js';

type Writable<Fields> = { -readonly [Field in keyof Fields]: Fields[Field] };

/** A stored or planned product; `id` is null until it is inserted. */
export interface ProductDraft extends Writable<PlainFields> {
  id: number | null;
  code: string;
  external_ref: string | null;
  slug: string;
  name: string;
  readonly images: DesiredImage[];
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
  readonly images: DesiredImage[];
  touched: boolean;
}

/** All records that rows of the call can name or collide with. */
export interface FoundProducts {
  readonly products: readonly ProductDraft[];
  readonly variants: readonly VariantDraft[];
}

/** Copies drafts, so a plan can change them. */
export function copyOf({ products, variants }: FoundProducts): FoundProducts {
  const copies = new Map(products.map((product) => [product, { ...product, images: [] }]));
  return {
    products: [...copies.values()],
    variants: variants.map((each) => ({ ...each, product: copies.get(each.product) ?? each.product, images: [] })),
  };
}

/** True for a new draft before its first change. */
export function isFresh({ id, touched }: ProductDraft | VariantDraft): boolean {
  return id === null && !touched;
}

/** The unique names that the draft holds. */
export function namesOf(draft: ProductDraft | VariantDraft): string[] {
  const { code } = draft;
  const held =
    'slug' in draft ? { code, slug: draft.slug } : { code, barcode: draft.barcode, external_ref: draft.external_ref };
  return Object.entries(held).flatMap(([field, value]) => (value === null ? [] : nameOf(draft, field, value)));
}

export function nameOf(draft: ProductDraft | VariantDraft, field: string, value: string): string {
  return `${'slug' in draft ? 'product' : 'variant'} ${field} ${value}`;
}
