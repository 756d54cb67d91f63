import type { OrderFilter } from '@back-office/orders';
import {
  parseIdFilter,
  parseSearchFilter,
  parseUpdatedAfter,
  parseWindowFilter,
  UPDATED_AFTER,
  windowParameters,
} from '../http/query-parameters.js';
import { integer, text } from '../http/shapes.js';

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
  ...UPDATED_AFTER,
};

export function parseOrderFilter(query: Readonly<Record<string, unknown>>): OrderFilter {
  return {
    search: parseSearchFilter(query),
    customerId: parseIdFilter(query, 'customerId'),
    appLocationId: parseIdFilter(query, 'appLocationId'),
    ...parseWindowFilter(query, 'dateTimeFrom', 'dateTimeTo'),
    updatedAfter: parseUpdatedAfter(query),
  };
}
