import { isBlank, type ParsedRow, planRows, type RowOutcome } from '@back-office/kernel';
import { type BulkPlan, explanationsOf, type Match, type Matcher, matcherOf, MATCHING } from '@back-office/matching';
import type { DesiredWarehouse, Warehouse } from './warehouse.js';

export interface WarehouseDraft {
  id: number | null;
  code: string | null;
  desiredWarehouse: DesiredWarehouse;
  sellable: boolean;
  deleted: boolean;
}

export interface FoundWarehouses {
  readonly warehouses: readonly Warehouse[];
  readonly stockedIds: ReadonlySet<number>;
}

export function planWarehouses(
  rows: readonly ParsedRow<DesiredWarehouse>[],
  { warehouses, stockedIds }: FoundWarehouses,
): BulkPlan<WarehouseDraft> {
  const matcher = matcherOf<WarehouseDraft>(MATCHING['PUT /warehouse'].warehouse, warehouses.map(draftOf));
  const matches = new Map<number, Match<WarehouseDraft>>();
  const outcomes = planRows(rows, (desiredWarehouse: DesiredWarehouse, index) => {
    matches.set(index, matcher.explain(desiredWarehouse));
    const draft = findWarehouse(matcher, desiredWarehouse);
    if (draft === 'mismatch') return 'API.Warehouses.CodeAndIdMismatch';
    return desiredWarehouse.delete
      ? deleteDraft(matcher, draft, stockedIds)
      : putDraft(matcher, draft, desiredWarehouse);
  });
  const explain = () => rows.map((_, index) => explanationsOf('warehouse', matches.get(index)));
  return { outcomes, explain };
}

function findWarehouse(
  matcher: Matcher<WarehouseDraft>,
  { code, id }: DesiredWarehouse,
): WarehouseDraft | undefined | 'mismatch' {
  const holderOfCode = matcher.findHolder('code', code);
  const holderOfId = matcher.findHolder('id', id);
  if (hasText(code) && id !== undefined && id !== null) return holderOfCode === holderOfId ? holderOfCode : 'mismatch';
  return holderOfCode ?? holderOfId;
}

function putDraft(
  matcher: Matcher<WarehouseDraft>,
  existingDraft: WarehouseDraft | undefined,
  desiredWarehouse: DesiredWarehouse,
): WarehouseDraft {
  const sellable = desiredWarehouse.sellable ?? existingDraft?.sellable ?? true;
  if (existingDraft) return Object.assign(existingDraft, { desiredWarehouse, sellable });
  const draft = {
    id: null,
    code: hasText(desiredWarehouse.code) ? desiredWarehouse.code : null,
    desiredWarehouse,
    sellable,
    deleted: false,
  };
  matcher.add(draft);
  return draft;
}

function deleteDraft(
  matcher: Matcher<WarehouseDraft>,
  draft: WarehouseDraft | undefined,
  stockedIds: ReadonlySet<number>,
): RowOutcome<WarehouseDraft> {
  if (draft === undefined) return 'API.Warehouses.NotFound';
  if (draft.id !== null && stockedIds.has(draft.id)) return 'API.Warehouses.HasStock';
  matcher.remove(draft);
  draft.deleted = true;
  return draft;
}

function draftOf(row: Warehouse): WarehouseDraft {
  return { id: row.id, code: row.code, desiredWarehouse: row, sellable: row.sellable, deleted: false };
}

function hasText(code: string | null | undefined): code is string {
  return !isBlank(code ?? '');
}
