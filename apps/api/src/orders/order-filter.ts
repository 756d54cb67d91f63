import { idFilter, searchFilter, windowFilter, windowParameters, type TimeWindow } from '../http/query-parameters.js';
import { integer, text } from '../http/shapes.js';

/** What a list of orders is narrowed to; what was not asked for is `undefined`. The window is one of order_date. */
export interface OrderFilter extends TimeWindow {
  readonly search: string | undefined;
  readonly customerId: number | undefined;
  readonly appLocationId: number | undefined;
}

/** The filters of GET /orders. An empty one is none; ids and dates that cannot be used make the request unreadable. */
export const ORDER_FILTERS = {
  search: {
    schema: text,
    description:
      'in order and invoice number and the customer’s name (either part first), e-mail and phone, in Latin or ' +
      'Cyrillic letters, accents and case aside; surrounding spaces are ignored',
  },
  customerId: { schema: integer, description: 'of one customer' },
  appLocationId: { schema: integer, description: 'of one store location' },
  ...windowParameters('dateTimeFrom', 'dateTimeTo'),
};

export function orderFilter(query: Readonly<Record<string, unknown>>): OrderFilter {
  return {
    search: searchFilter(query),
    customerId: idFilter(query, 'customerId'),
    appLocationId: idFilter(query, 'appLocationId'),
    ...windowFilter(query, 'dateTimeFrom', 'dateTimeTo'),
  };
}
