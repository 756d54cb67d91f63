import type { DomainEvent } from './event.js';
/** Actions in the audit log: the kind of the subject, then the change. */
export const AUDIT_ACTIONS = [
  'settings.change',
  'access_token.create',
  'access_token.change',
  'access_token.rotate',
  'access_token.revoke',
  'session.create',
  'session.end',
  'upload_presets.put',
  'payment_methods.put',
  'shipment_methods.put',
  'promotions.put',
  'vouchers.put',
  'prices.change',
  'stock.adjust',
  'stock.reconcile',
  'card.put',
  'proforma.confirm',
  'proforma.convert',
  'proforma.cancel',
  'payment.change',
  'refund.change',
  'order.change',
  'imported_order.create',
  'warehouses.put',
  'warehouse.delete',
  'folder.delete',
  'file.replace',
  'file.delete',
  'file.purge',
  'file_version.purge',
  'customer.export',
  'customer.erase',
  'webhook_endpoint.create',
  'webhook_endpoint.change',
  'webhook_endpoint.rotate_secret',
  'webhook_endpoint.remove',
  'webhook_endpoint.test',
  'webhook_endpoint.replay',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** `before` and `after` contain only changed values, but no secrets or personal data. */
export interface AuditEntry {
  readonly action: AuditAction;
  /** Absent when the call changed several records, or a record without an id. */
  readonly subjectId?: number | undefined;
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

export function changedFields(before: object, after: object): { readonly before: object; readonly after: object } {
  const [previous, next] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = [...new Set([...Object.keys(previous), ...Object.keys(next)])].filter(
    (name) => previous[name] !== next[name] && JSON.stringify(previous[name]) !== JSON.stringify(next[name]),
  );
  const pickNames = (record: Record<string, unknown>): object =>
    Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]));
  return { before: pickNames(previous), after: pickNames(next) };
}

const MAX_VALUE_LENGTH = 500;
const MAX_RECORDS = 100;

type NamedRecords = ReadonlyMap<string, object>;

/**
 * Counts the created and changed records, and lists the changed fields of the first 100. Returns `undefined` when no
 * record has changed.
 */
export function changedRecords(
  before: NamedRecords,
  after: NamedRecords,
): Pick<AuditEntry, 'before' | 'after'> | undefined {
  const changes = [...after].flatMap(([name, record]) => {
    const fields = changedFields(before.get(name) ?? {}, record);
    return Object.keys(fields.after).length > 0 ? [{ name, isNew: !before.has(name), ...fields }] : [];
  });
  if (changes.length === 0) return undefined;
  const shown = changes.slice(0, MAX_RECORDS);
  const createdCount = changes.filter(({ isNew }) => isNew).length;
  return {
    before: Object.fromEntries(shown.filter(({ isNew }) => !isNew).map((one) => [one.name, shortenValues(one.before)])),
    after: {
      created: createdCount,
      changed: changes.length - createdCount,
      records: Object.fromEntries(shown.map((one) => [one.name, shortenValues(one.after)])),
    },
  };
}

/** Replaces a long value by its length, because an audit entry is not a backup. */
function shortenValues(fields: object): object {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => {
    const length = JSON.stringify(value ?? null).length;
    return [name, length > MAX_VALUE_LENGTH ? { length } : value] as const;
  });
  return Object.fromEntries(entries);
}

/** What changed, for the audit log and for the feed of events. */
export interface RecordedChanges {
  readonly entries?: readonly AuditEntry[];
  readonly events?: readonly DomainEvent[];
}
