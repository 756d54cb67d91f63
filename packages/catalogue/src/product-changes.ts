import type { DesiredImage } from './desired-product.js';
import type { FoundProducts, ProductDraft, VariantDraft } from './product-drafts.js';
import { DETAIL_FIELDS } from './product-fields.js';

type Draft = ProductDraft | VariantDraft;

export interface ProductChanges {
  readonly products: readonly ProductDraft[];
  readonly variants: readonly VariantDraft[];
  readonly withImages: readonly Draft[];
}

const COMPARED_FIELDS = ['code', 'barcode', 'slug', 'name', 'external_ref', ...DETAIL_FIELDS] as const;
const VARIANT_FIELDS = ['code', 'barcode', 'external_ref', 'name', 'price', 'vatRate'] as const;

/** Maps each product or variant draft to its stored images, in order. */
export type StoredImages = ReadonlyMap<Draft, readonly DesiredImage[]>;

/**
 * Returns the stored products and variants whose images the plan replaces. The caller must read their stored images.
 */
export function ownersOfReplacedImages({ products, variants }: FoundProducts): Draft[] {
  return [...products, ...variants].filter(({ id, replacesImages }) => id !== null && replacesImages);
}

/** Returns the records that the plan creates, which have no ids yet. */
export function newDrafts({ products, variants }: FoundProducts): FoundProducts {
  const isNew = ({ id }: Draft): boolean => id === null;
  return { products: products.filter(isNew), variants: variants.filter(isNew) };
}

/** Returns only actual changes, because most rows of a nightly synchronization change nothing. */
export function productChanges(
  { products, variants: plannedVariants }: FoundProducts,
  foundProducts: FoundProducts,
  storedImages: StoredImages = new Map(),
): ProductChanges {
  const variants = plannedVariants.filter(isDifferentFrom<VariantDraft>(foundProducts.variants, VARIANT_FIELDS));
  const withImages = [...products, ...plannedVariants].filter((draft) => hasNewImages(draft, storedImages.get(draft)));
  const touchedProducts = new Set(
    [...variants, ...withImages].map((draft) => ('product' in draft ? draft.product : draft)),
  );
  const isDifferent = isDifferentFrom<ProductDraft>(foundProducts.products, COMPARED_FIELDS);
  return {
    products: products.filter((draft) => touchedProducts.has(draft) || isDifferent(draft)),
    variants,
    withImages,
  };
}

function hasNewImages({ images, replacesImages }: Draft, storedImages: readonly DesiredImage[] = []): boolean {
  if (!replacesImages) return images.length > 0;
  const isStored = ({ imageUrl, alt }: DesiredImage, index: number) =>
    storedImages[index]?.imageUrl === imageUrl && storedImages[index].alt === alt;
  return images.length !== storedImages.length || !images.every(isStored);
}

function isDifferentFrom<Record extends Draft>(
  storedRecords: readonly Record[],
  fields: readonly (keyof Record)[],
): (draft: Record) => boolean {
  const storedById = new Map(storedRecords.map((record) => [record.id, record]));
  return (draft) => {
    const before = draft.id === null ? undefined : storedById.get(draft.id);
    return before === undefined || fields.some((field) => draft[field] !== before[field]);
  };
}
