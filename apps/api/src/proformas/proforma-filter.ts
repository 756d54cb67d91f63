import { truth, wholeNumber } from '@back-office/kernel';
import { OPEN_STATUSES, STATUSES, statusId } from '@back-office/proforma';
import { queryMoment } from '../http/query-parameters.js';
import { listEntries } from '../http/query-text.js';

type Query = Readonly<Record<string, unknown>>;

/** What a list of proformas is narrowed to; what was not asked for, or cannot be used, is absent. */
export interface ProformaFilter {
  readonly statusIds?: readonly number[];
  /** Open, and with a deadline after the first moment and not after the second. */
  readonly expiring?: { readonly after: Date; readonly until: Date };
  readonly hasAlerts?: boolean;
  readonly anonymous?: boolean;
  readonly customerId?: number;
  readonly from?: Date;
  readonly before?: Date;
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Further ahead than any deadline. */
const MOST_HOURS = 10_000_000;

/** Reads the filters of a query; a value that cannot be used is as if it had not been sent. */
export function proformaFilter(query: Query, now: Date): ProformaFilter {
  const statusIds = statusesOf(query['status']).map(statusId);
  const hours = wholeNumber(query['expiring_within']);
  const customerId = wholeNumber(query['customer_id']);
  return withoutAbsent({
    statusIds: statusIds.length > 0 ? statusIds : undefined,
    expiring:
      hours === undefined || hours < 0
        ? undefined
        : { after: now, until: new Date(now.getTime() + Math.min(hours, MOST_HOURS) * HOUR_MS) },
    hasAlerts: truth(query['has_alerts']),
    anonymous: truth(query['anonymous']),
    customerId,
    ...windowOf(query),
  });
}

/** `date_from` and `date_to`, both inclusive; the window ends before `before`. */
export function windowOf(query: Query): { readonly from: Date | undefined; readonly before: Date | undefined } {
  const from = momentOf(query['date_from']);
  const to = momentOf(query['date_to']);
  // A datetime is shown without its fraction, and what is shown as the last second belongs to it.
  const length = to?.dateOnly ? DAY_MS : SECOND_MS;
  return { from: from?.at, before: to && new Date(Math.floor(to.at.getTime() / SECOND_MS) * SECOND_MS + length) };
}

export const OPEN_IDS = OPEN_STATUSES.map(statusId);

function statusesOf(value: unknown) {
  const names = listEntries(value).map((each) => (typeof each === 'string' ? each.trim() : undefined));
  return STATUSES.filter((status) => names.includes(status));
}

function momentOf(value: unknown) {
  return typeof value === 'string' ? queryMoment(value) : undefined;
}

function withoutAbsent<Filter extends object>(
  filter: Filter,
): { [Key in keyof Filter]: Exclude<Filter[Key], undefined> } {
  const entries = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Filter]: Exclude<Filter[Key], undefined> };
}
