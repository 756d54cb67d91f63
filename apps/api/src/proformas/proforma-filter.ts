import { parseBoolean, parseInteger } from '@back-office/kernel';
import { numberOfReference, STATUSES, statusId, type ProformaFilter } from '@back-office/proforma';
import { parseQueryMoment } from '../http/query-parameters.js';
import { parseListEntries } from '../http/query-text.js';

type Query = Readonly<Record<string, unknown>>;

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Maximum number of hours; a larger number would exceed the range of dates, and no deadline is that late. */
const MAX_HOURS = 10_000_000;

export function parseProformaFilter(query: Query, now: Date): ProformaFilter {
  const statusIds = statusesOf(query['status']).map(statusId);
  const hours = parseInteger(query['expiring_within']);
  const customerId = parseInteger(query['customer_id']);
  return withoutAbsent({
    numbers: numbersOf(query['reference']),
    statusIds: statusIds.length > 0 ? statusIds : undefined,
    expiring:
      hours === undefined || hours < 0
        ? undefined
        : { after: now, until: new Date(now.getTime() + Math.min(hours, MAX_HOURS) * HOUR_MS) },
    hasAlerts: parseBoolean(query['has_alerts']),
    anonymous: parseBoolean(query['anonymous']),
    customerId,
    updatedAfter: momentOf(query['updated_after'])?.at,
    ...parseWindow(query),
  });
}

/** Parses `date_from` and `date_to`, which are inclusive. The returned `before` is exclusive. */
export function parseWindow(query: Query): { readonly from: Date | undefined; readonly before: Date | undefined } {
  const from = momentOf(query['date_from']);
  const to = momentOf(query['date_to']);
  // Responses show times without fractions of a second, so an inclusive end covers its whole second.
  const lengthMs = to?.isDateOnly ? DAY_MS : SECOND_MS;
  return { from: from?.at, before: to && new Date(Math.floor(to.at.getTime() / SECOND_MS) * SECOND_MS + lengthMs) };
}

/** Returns the number of references that the query sends, usable or not. */
export function countReferences(query: Query): number {
  return referencesOf(query['reference']).length;
}

function referencesOf(value: unknown): string[] {
  return parseListEntries(value).filter((entry): entry is string => typeof entry === 'string' && entry.trim() !== '');
}

/**
 * Returns the proforma numbers that the references belong to; `undefined` when no reference is sent. An invalid
 * reference finds nothing: otherwise a payment could be assigned to a proforma that only happens to be in the list.
 */
function numbersOf(value: unknown): readonly string[] | undefined {
  const references = referencesOf(value);
  return references.length === 0 ? undefined : references.flatMap((reference) => numberOfReference(reference) ?? []);
}

export function areStatuses(value: unknown): boolean {
  return statusesOf(value).length === new Set(parseListEntries(value)).size;
}

function statusesOf(value: unknown) {
  const names = parseListEntries(value).map((entry) => (typeof entry === 'string' ? entry.trim() : undefined));
  return STATUSES.filter((status) => names.includes(status));
}

function momentOf(value: unknown) {
  return typeof value === 'string' ? parseQueryMoment(value) : undefined;
}

function withoutAbsent<Filter extends object>(
  filter: Filter,
): { [Key in keyof Filter]: Exclude<Filter[Key], undefined> } {
  const entries = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Filter]: Exclude<Filter[Key], undefined> };
}
