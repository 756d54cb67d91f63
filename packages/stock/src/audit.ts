import type { AuditEntry } from '@back-office/kernel';
import type { WarehouseDraft } from './warehouse-plan.js';

export function deletionEntries(drafts: readonly WarehouseDraft[]): AuditEntry[] {
  const deleted = drafts.filter((draft) => draft.deleted);
  if (deleted.length === 0) return [];
  return [{ action: 'warehouse.delete', before: { warehouses: deleted.map(({ id, code }) => ({ id, code })) } }];
}
