import { changedRecords, type AuditEntry } from '@back-office/kernel';
import type { Row } from './fields.js';
import { RESOURCES, type ResourceName } from './set-up-records.js';

/** Hidden because a reader of the audit log could redeem the coupon. */
const HIDDEN_FIELDS: ReadonlySet<string> = new Set(['coupon_code']);
const HIDDEN = '…';

type CodedRow = Row & { readonly code?: unknown };

/**
 * Returns one entry for the call, or none when nothing has changed. For vouchers, the entry contains only counts,
 * because anyone who knows the code can spend a voucher.
 */
export function setUpEntries(
  name: ResourceName,
  before: readonly CodedRow[],
  after: readonly CodedRow[],
): AuditEntry[] {
  const action = `${name}.put` as const;
  const changes = changedRecords(byCode(name, before), byCode(name, after));
  if (changes === undefined) return [];
  if (name !== 'vouchers') return [{ action, ...changes }];
  const { created, changed } = changes.after as { readonly created: number; readonly changed: number };
  return [{ action, after: { created, changed } }];
}

function byCode(name: ResourceName, rows: readonly CodedRow[]): Map<string, object> {
  const fields = Object.keys(RESOURCES[name].fields);
  const show = (row: CodedRow, field: string): unknown =>
    HIDDEN_FIELDS.has(field) && row[field] !== null ? HIDDEN : row[field];
  return new Map(
    rows.map((row) => [String(row.code), Object.fromEntries(fields.map((field) => [field, show(row, field)]))]),
  );
}
