import { changedRecords, type AuditEntry } from '@back-office/kernel';
import type { StockChange } from './stock-plan.js';
import type { StockCallKind } from './stock-calls.js';
import type { Warehouse } from './warehouse.js';
import type { WarehouseDraft } from './warehouse-plan.js';

const MAX_SHOWN_SHELVES = 100;

export function deletionEntries(drafts: readonly WarehouseDraft[]): AuditEntry[] {
  const deleted = drafts.filter((draft) => draft.deleted);
  if (deleted.length === 0) return [];
  return [{ action: 'warehouse.delete', before: { warehouses: deleted.map(({ id, code }) => ({ id, code })) } }];
}

/** Returns no entry when no quantity has changed. */
export function stockEntries(
  kind: StockCallKind,
  reference: string | null | undefined,
  changes: readonly StockChange[],
): AuditEntry[] {
  const shelves = changes.filter(({ delta }) => delta !== 0);
  if (shelves.length === 0) return [];
  const shown = shelves.slice(0, MAX_SHOWN_SHELVES).map(({ variantId, warehouseId, delta }) => ({
    product_variant_id: variantId,
    warehouse_id: warehouseId,
    qty: delta,
  }));
  return [
    { action: `stock.${kind}`, after: { reference: reference ?? null, changed: shelves.length, shelves: shown } },
  ];
}

/** Returns the entry of new and changed warehouses; none when nothing has changed. */
export function warehouseEntries(before: readonly Warehouse[], after: readonly Warehouse[]): AuditEntry[] {
  const byId = (warehouses: readonly Warehouse[]) =>
    new Map(warehouses.map((one) => [String(one.id), auditedWarehouse(one)]));
  const changes = changedRecords(byId(before), byId(after));
  return changes ? [{ action: 'warehouses.put', ...changes }] : [];
}

function auditedWarehouse({ id: _id, inserted_at: _insertedAt, updated_at: _updatedAt, ...fields }: Warehouse): object {
  return fields;
}
