import type { ImageWish } from './product-rows.js';

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
}

/** Drafts that a plan may change. */
export function copyOf({ products, variants }: Found): Found {
  const copies = new Map(products.map((product) => [product, { ...product, images: [] }]));
  return {
    products: [...copies.values()],
    variants: variants.map((each) => ({ ...each, product: copies.get(each.product) ?? each.product, images: [] })),
  };
}

/** Whether a draft is new, and not even planned yet. */
export function isFresh({ id, touched }: ProductDraft | VariantDraft): boolean {
  return id === null && !touched;
}

/** What the draft is alone to hold among its like. */
export function namesOf(draft: ProductDraft | VariantDraft): string[] {
  const { code } = draft;
  const held =
    'slug' in draft ? { code, slug: draft.slug } : { code, barcode: draft.barcode, external_ref: draft.external_ref };
  return Object.entries(held).flatMap(([field, value]) => (value === null ? [] : nameOf(draft, field, value)));
}

export function nameOf(draft: ProductDraft | VariantDraft, field: string, value: string): string {
  return `${'slug' in draft ? 'product' : 'variant'} ${field} ${value}`;
}
