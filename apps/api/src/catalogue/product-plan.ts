import type { Explanation } from '@back-office/matching';
import { copyOf, type Found } from './product-drafts.js';
import { Planner, type Outcome } from './planner.js';
import type { ProductWish } from './product-rows.js';

export interface Plan {
  /** In input order: what becomes of the row, or the key of why nothing does. */
  readonly outcomes: readonly Outcome[];
  /** How each row has found its product and its variants; to be asked when new ones have their ids. Only where it is wanted. */
  readonly explain: (() => readonly (readonly Explanation[])[]) | undefined;
}

/** How often a call is planned anew before identifiers are no longer lent. */
const MOST_LENDING_PLANS = 3;

/**
 * Decides what each row of POST /int/products does, one after the other, so that a later row meets what an earlier
 * one has made. A row that fails leaves nothing behind. A row may take a code, barcode, reference or slug that its
 * holder gives up in a later row, so that two records can swap; if the holder then keeps it, the row fails after all.
 */
export function planProducts(
  rows: readonly (ProductWish | string)[],
  found: Found,
  randomSlugEnd: () => string,
  { explains = false } = {},
): Plan {
  const refused = new Map<number, string>();
  for (let plan = 1; ; plan += 1) {
    const planner = new Planner(copyOf(found), randomSlugEnd, { lends: plan <= MOST_LENDING_PLANS, explains });
    const outcomes = rows.map((row, index) =>
      typeof row === 'string' ? row : planner.plan(row, index, refused.get(index)),
    );
    const unpaid = planner.unpaid(outcomes);
    const explain = explains ? () => rows.map((_, index) => planner.explain(index)) : undefined;
    if (unpaid.size === 0) return { outcomes, explain };
    for (const [row, key] of unpaid) refused.set(row, key);
  }
}
