import type { PlannedProduct } from './planner.js';
import type { FoundProducts, ProductDraft, VariantDraft } from './product-drafts.js';
import { PLAIN_FIELDS } from './product-fields.js';
import type { ProductPlan } from './product-plan.js';

type Draft = ProductDraft | VariantDraft;

export interface ProductChanges {
  /** New and changed products, also those with changed variants or images. */
  readonly products: readonly ProductDraft[];
  readonly variants: readonly VariantDraft[];
  readonly withImages: readonly Draft[];
}

const COMPARED_FIELDS = ['code', 'slug', 'name', ...PLAIN_FIELDS] as const;
const VARIANT_FIELDS = ['code', 'barcode', 'external_ref', 'name', 'price', 'vatRate'] as const;

/** Compares the plan with the stored records, since most rows of a nightly synchronisation change nothing. */
export function productChanges(outcomes: ProductPlan['outcomes'], found: FoundProducts): ProductChanges {
  const planned = outcomes.filter((outcome): outcome is PlannedProduct => typeof outcome !== 'string');
  const products = [...new Set(planned.map((each) => each.product))];
  const owned = [...new Set(planned.flatMap((each) => each.variants.map(({ variant }) => variant)))];
  const variants = owned.filter(differsFrom<VariantDraft>(found.variants, VARIANT_FIELDS));
  const withImages = [...products, ...owned].filter(({ images }) => images.length > 0);
  const changed = new Set([...variants, ...withImages].map((each) => ('product' in each ? each.product : each)));
  const isDifferent = differsFrom<ProductDraft>(found.products, COMPARED_FIELDS);
  return { products: products.filter((each) => changed.has(each) || isDifferent(each)), variants, withImages };
}

function differsFrom<Kind extends Draft>(
  found: readonly Kind[],
  fields: readonly (keyof Kind)[],
): (draft: Kind) => boolean {
  const known = new Map(found.map((each) => [each.id, each]));
  return (draft) => {
    const before = draft.id === null ? undefined : known.get(draft.id);
    return before === undefined || fields.some((field) => draft[field] !== before[field]);
  };
}
