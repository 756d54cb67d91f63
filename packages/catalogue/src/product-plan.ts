import { type ParsedRow, planRows } from '@back-office/kernel';
import type { BulkPlan } from '@back-office/matching';
import { copyDrafts, type FoundProducts } from './product-drafts.js';
import { Planner, type PlannedProduct } from './planner.js';
import type { ProductOptions } from './product-options.js';
import type { DesiredProduct } from './desired-product.js';
import type { SlugTools } from './slug.js';

export type ProductPlan = BulkPlan<PlannedProduct>;

/** A refused row may cause new conflicts, so the loop needs a limit. */
const MAX_LENDING_PLANS = 3;

/**
 * Plans the rows of `POST /int/products`, each on top of the earlier rows. A failed row has no effect. A row may take a
 * code, barcode, reference or slug whose holder a later row renames. If the holder keeps the name, the row fails.
 * Explanations are empty without `explain`.
 */
export function planProducts(
  rows: readonly ParsedRow<DesiredProduct>[],
  foundProducts: FoundProducts,
  slugTools: SlugTools,
  { explain = false, replacesImages = false, storesReferences = false }: ProductOptions = {},
): ProductPlan {
  const refusedRows = new Map<number, string>();
  for (let plan = 1; ; plan += 1) {
    const planner = new Planner(copyDrafts(foundProducts), slugTools, {
      canLend: plan <= MAX_LENDING_PLANS,
      explain,
      replacesImages,
      storesReferences,
    });
    const outcomes = planRows(rows, (row: DesiredProduct, index) => planner.plan(row, index, refusedRows.get(index)));
    const unreturnedNames = planner.findUnreturned(outcomes);
    if (unreturnedNames.size === 0) return { outcomes, explain: () => rows.map((_, index) => planner.explain(index)) };
    for (const [row, key] of unreturnedNames) refusedRows.set(row, key);
  }
}
