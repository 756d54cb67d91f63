import { planRowSteps, runSteps, type ParsedRow, type Steps } from '@back-office/kernel';
import type { BulkPlan } from '@back-office/matching';
import { copyDrafts, type FoundProducts, type ProductDraft, type VariantDraft } from './product-drafts.js';
import { Planner, type PlannedProduct } from './planner.js';
import type { ProductOptions } from './product-options.js';
import type { DesiredProduct } from './desired-product.js';
import { SlugGenerator, type SlugTools } from './slug.js';
import type { RowFailure } from './takeovers.js';

export interface ProductPlan extends BulkPlan<PlannedProduct> {
  /** Each record of the outcomes once, as planned. */
  readonly drafts: FoundProducts;
  /** All slugs that were chosen while planning, also those of refused rows. No found product has one of them. */
  readonly generatedSlugs: ReadonlySet<string>;
  /** Maps the index of a failed row to the index of the variant that made it fail. */
  readonly failedVariants: ReadonlyMap<number, number>;
}

/** Maximum number of plans with takeovers. Each refused row may cause new conflicts, which need another plan. */
const MAX_PLANS_WITH_TAKEOVERS = 3;

/**
 * Plans the rows of `POST /int/products` in order; each row sees the changes of earlier rows. A failed row has no
 * effect. A row may take a code, barcode, reference or slug of a record that a later row renames. If no later row
 * renames that record, the row fails. Explanations are empty without `explain`. If no stored product has one of the
 * `generatedSlugs`, the plan is as if all products of the app had been found.
 */
export function planProducts(...parameters: Parameters<typeof planProductSteps>): ProductPlan {
  return runSteps(planProductSteps(...parameters));
}

/** Plans like {@link planProducts}, in steps. */
export function* planProductSteps(
  rows: readonly ParsedRow<DesiredProduct>[],
  foundProducts: FoundProducts,
  slugTools: SlugTools,
  { explain = false, replacesImages = false, storesReferences = false }: ProductOptions = {},
): Steps<ProductPlan> {
  const refusedRows = new Map<number, RowFailure>();
  const slugGenerator = new SlugGenerator(slugTools);
  for (let plan = 1; ; plan += 1) {
    const planner = new Planner(copyDrafts(foundProducts), slugGenerator, {
      allowsTakeovers: plan <= MAX_PLANS_WITH_TAKEOVERS,
      explain,
      replacesImages,
      storesReferences,
    });
    const outcomes = yield* planRowSteps(rows, (row: DesiredProduct, index) =>
      planner.plan(row, index, refusedRows.get(index)),
    );
    const conflicts = planner.findConflicts(outcomes);
    if (conflicts.size === 0) {
      const explainRows = () => rows.map((_, index) => planner.explain(index));
      const { generatedSlugs } = slugGenerator;
      const { failedVariants } = planner;
      yield;
      return { outcomes, drafts: plannedDrafts(outcomes), explain: explainRows, generatedSlugs, failedVariants };
    }
    for (const [row, failure] of conflicts) refusedRows.set(row, failure);
  }
}

function plannedDrafts(outcomes: ProductPlan['outcomes']): FoundProducts {
  const products = new Set<ProductDraft>();
  const variants = new Set<VariantDraft>();
  for (const outcome of outcomes) {
    if (typeof outcome === 'string') continue;
    products.add(outcome.product);
    for (const { variant } of outcome.variants) variants.add(variant);
  }
  return { products: [...products], variants: [...variants] };
}
