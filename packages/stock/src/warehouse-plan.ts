import { isBlank, type ParsedRow, planRows, type RowOutcome } from '@back-office/kernel';
import { type BulkPlan, explanationsOf, type Match, type Matcher, matcherOf, MATCHING } from '@back-office/matching';
import type { DesiredWarehouse, Warehouse } from './warehouse.js';

/** A stored or planned warehouse; `id` is null until it is inserted. */
export interface WarehouseDraft {
  id: number | null;
  code: string | null;
  desired: DesiredWarehouse;
  sellable: boolean;
  deleted: boolean;
}

export interface FoundWarehouses {
  readonly warehouses: readonly Warehouse[];
  /** Ids of the warehouses that cannot be deleted. */
  readonly withStock: ReadonlySet<number>;
}

/** Plans the rows in order, each on top of the earlier ones. */
export function planWarehouses(
  rows: readonly ParsedRow<DesiredWarehouse>[],
  { warehouses, withStock }: FoundWarehouses,
): BulkPlan<WarehouseDraft> {
  const matcher = matcherOf<WarehouseDraft>(MATCHING['PUT /warehouse'].warehouse, warehouses.map(draftOf));
  const matches = new Map<number, Match<WarehouseDraft>>();
  const outcomes = planRows(rows, (desired: DesiredWarehouse, index) => {
    matches.set(index, matcher.explain(desired));
    const draft = match(matcher, desired);
    if (draft === 'mismatch') return 'API.Warehouses.CodeAndIdMismatch';
    return desired.delete ? remove(matcher, draft, withStock) : put(matcher, draft, desired);
  });
  const explain = () => rows.map((_, index) => explanationsOf('warehouse', matches.get(index)));
  return { outcomes, explain };
}

/** If both are sent, code and id must name the same warehouse. */
function match(
  matcher: Matcher<WarehouseDraft>,
  { code, id }: DesiredWarehouse,
): WarehouseDraft | undefined | 'mismatch' {
  const byCode = matcher.holder('code', code);
  const byId = matcher.holder('id', id);
  if (hasText(code) && id !== undefined && id !== null) return byCode === byId ? byCode : 'mismatch';
  return byCode ?? byId;
}

function put(
  matcher: Matcher<WarehouseDraft>,
  found: WarehouseDraft | undefined,
  desired: DesiredWarehouse,
): WarehouseDraft {
  const sellable = desired.sellable ?? found?.sellable ?? true;
  if (found) return Object.assign(found, { desired, sellable });
  const draft = { id: null, code: hasText(desired.code) ? desired.code : null, desired, sellable, deleted: false };
  matcher.add(draft);
  return draft;
}

function remove(
  matcher: Matcher<WarehouseDraft>,
  draft: WarehouseDraft | undefined,
  withStock: ReadonlySet<number>,
): RowOutcome<WarehouseDraft> {
  if (draft === undefined) return 'API.Warehouses.NotFound';
  if (draft.id !== null && withStock.has(draft.id)) return 'API.Warehouses.HasStock';
  matcher.remove(draft);
  draft.deleted = true;
  return draft;
}

function draftOf(row: Warehouse): WarehouseDraft {
  return { id: row.id, code: row.code, desired: row, sellable: row.sellable, deleted: false };
}

function hasText(code: string | null | undefined): code is string {
  return !isBlank(code ?? '');
}
