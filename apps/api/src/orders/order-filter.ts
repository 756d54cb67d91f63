import type { OrderFilter } from '@back-office/orders';
import { idFilter, searchFilter, windowFilter, windowParameters } from '../http/query-parameters.js';
import { integer, text } from '../http/shapes.js';

/** Empty filters are ignored; unusable ids and dates are answered 400. */
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

export function parseOrderFilter(query: Readonly<Record<string, unknown>>): OrderFilter {
  return {
    search: searchFilter(query),
    customerId: idFilter(query, 'customerId'),
    appLocationId: idFilter(query, 'appLocationId'),
    ...windowFilter(query, 'dateTimeFrom', 'dateTimeTo'),
  };
}
