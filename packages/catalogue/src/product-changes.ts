import type { PlannedProduct } from './planner.js';
import type { FoundProducts, ProductDraft, VariantDraft } from './product-drafts.js';
import { PLAIN_FIELDS } from './product-fields.js';
import type { ProductPlan } from './product-plan.js';

type Draft = ProductDraft | VariantDraft;

export interface ProductChanges {
  readonly products: readonly ProductDraft[];
  readonly variants: readonly VariantDraft[];
  readonly withImages: readonly Draft[];
}

const COMPARED_FIELDS = ['code', 'slug', 'name', ...PLAIN_FIELDS] as const;
const VARIANT_FIELDS = ['code', 'barcode', 'external_ref', 'name', 'price', 'vatRate'] as const;

/** Most rows of a nightly synchronization change nothing, so the plan is compared with the stored records. */
export function productChanges(outcomes: ProductPlan['outcomes'], foundProducts: FoundProducts): ProductChanges {
  const plannedProducts = outcomes.filter((outcome): outcome is PlannedProduct => typeof outcome !== 'string');
  const products = [...new Set(plannedProducts.map((plannedProduct) => plannedProduct.product))];
  const plannedVariants = [
    ...new Set(plannedProducts.flatMap((plannedProduct) => plannedProduct.variants.map(({ variant }) => variant))),
  ];
  const variants = plannedVariants.filter(isDifferentFrom<VariantDraft>(foundProducts.variants, VARIANT_FIELDS));
  const withImages = [...products, ...plannedVariants].filter(({ images }) => images.length > 0);
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
