import { type ParsedRow, planRows } from '@back-office/kernel';
import type { BulkPlan } from '@back-office/matching';
import { copyOf, type FoundProducts } from './product-drafts.js';
import { Planner, type PlannedProduct } from './planner.js';
import type { DesiredProduct } from './desired-product.js';
import type { SlugTools } from './slug.js';

export type ProductPlan = BulkPlan<PlannedProduct>;

/** After so many plans, rows can no longer take names from their holders. */
const MAX_LENDING_PLANS = 3;

/**
 * Plans the rows of `POST /int/products` in order, each on top of the earlier ones. A failed row has no effect. A row may
 * take a code, barcode, reference or slug that its holder gives up in a later row. If the holder keeps it, the row fails.
 * Without `explains` the plan explains no row.
 */
export function planProducts(
  rows: readonly ParsedRow<DesiredProduct>[],
  found: FoundProducts,
  slugTools: SlugTools,
  { explains = false } = {},
): ProductPlan {
  const refused = new Map<number, string>();
  for (let plan = 1; ; plan += 1) {
    const planner = new Planner(copyOf(found), slugTools, { canLend: plan <= MAX_LENDING_PLANS, explains });
    const outcomes = planRows(rows, (row: DesiredProduct, index) => planner.plan(row, index, refused.get(index)));
    const unreturned = planner.unreturned(outcomes);
    if (unreturned.size === 0) return { outcomes, explain: () => rows.map((_, index) => planner.explain(index)) };
    for (const [row, key] of unreturned) refused.set(row, key);
  }
}
