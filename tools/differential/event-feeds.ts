import type { Bijection } from './bijection.js';
import { sortRuns } from './runs.js';

type Fields = Readonly<Record<string, unknown>>;

/** Kinds of record that the ids in the subject of an event identify. */
export const KINDS_OF_SUBJECT: Readonly<Record<string, readonly string[]>> = {
  proforma_orders: ['proforma'],
  orders: ['order'],
  stocks: ['variant', 'warehouse'],
  products: ['product'],
  customers: ['customer'],
  consents: ['customer'],
  files: ['file'],
  vouchers: ['voucher'],
  webhook_endpoints: ['webhook endpoint'],
};
export const ROUTE_OF_SUBJECT: Readonly<Record<string, string>> = {
  proforma_orders: '/proforma_orders/:id',
  orders: '/orders/:id',
  stocks: '/stocks',
  products: '/products',
  customers: '/customers/:id',
  consents: '/customer/consents',
  files: '/cdn/files/:id',
  vouchers: '/vouchers',
  webhook_endpoints: '/webhook_endpoints/:id',
};

export interface Feed {
  readonly events: readonly Fields[];
  readonly has_more: boolean;
  readonly cursor: string;
}

export function feedOf(body: unknown): Feed {
  return (body as { readonly data: Feed }).data;
}

/**
 * Sorts events by subject. Refund events of a proforma are sorted by payment, because the worker pays refunds out
 * concurrently.
 */
function sortBySubject(
  events: readonly Fields[],
  subject: (event: Fields) => string,
  payment: (event: Fields) => unknown,
): Fields[] {
  const keys = new Map(events.map((event) => [event, subject(event)]));
  const keyOf = (event: Fields): string => keys.get(event) ?? '';
  const sortedEvents = [...events].sort((a, b) => Number(keyOf(a) > keyOf(b)) - Number(keyOf(a) < keyOf(b)));
  const areConcurrent = (left: Fields, right: Fields): boolean =>
    isRefund(left) && isRefund(right) && left['time'] === right['time'] && keyOf(left) === keyOf(right);
  return sortRuns(sortedEvents, areConcurrent, (event) => String(payment(event)).padStart(16));
}

export function isRefund(event: Fields): boolean {
  return String(event['type']).startsWith('refund.');
}

export function subjectOf(event: Fields): string[] {
  return String(event['subject']).split('/');
}

/**
 * Sorts the events of both feeds by the subjects of the right side. Events of one record stay in order, except refunds.
 */
export function sortFeeds(left: Feed, right: Feed, pairs: Bijection): readonly [Fields[], Fields[]] {
  const translate = (event: Fields): string => {
    const [kind = '', ...ids] = subjectOf(event);
    const kinds = KINDS_OF_SUBJECT[kind] ?? [];
    return [kind, ...ids.map((id, index) => pairs.partner(kinds[index] ?? '', Number(id)) ?? id)].join('/');
  };
  const paymentOf = (event: Fields): unknown => event['partid'];
  return [
    sortBySubject(
      left.events,
      translate,
      (event) => pairs.partner('proforma payments', paymentOf(event)) ?? paymentOf(event),
    ),
    sortBySubject(right.events, (event) => subjectOf(event).join('/'), paymentOf),
  ];
}
