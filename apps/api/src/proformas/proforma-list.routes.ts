import type { Customers } from '@back-office/customers';
import type { Clock } from '@back-office/kernel';
import { PROFORMA_SORT_FIELDS, STATUSES, type ProformaFilter, type ProformaQueries } from '@back-office/proforma';
import { ok, type HandlerResult } from '../http/answer.js';
import { answerPageFromQuery, CURSOR } from '../http/cursor.js';
import { MOMENT_PARAMETER, OFFSET, PAGING, PARTS, parseParts, sortParameter } from '../http/query-parameters.js';
import { route, type Call, type Route } from '../http/route.js';
import { integer, listOf, record, text, boolean } from '../http/shapes.js';
import { areStatuses, countReferences, parseProformaFilter } from './proforma-filter.js';
import { ProformaListShape } from './proforma-shapes.js';
import { presentStats, ProformaStatsShape, parseStatsWindow } from './proforma-stats.js';

const DEFAULT_LIMIT = 30;

const WHOLE_DAY = 'a date alone covers the whole day';

const WINDOW_QUERY = {
  date_from: { ...MOMENT_PARAMETER, description: 'by processing_date, inclusive' },
  date_to: { ...MOMENT_PARAMETER, description: `by processing_date, inclusive; ${WHOLE_DAY}` },
  updated_after: {
    ...MOMENT_PARAMETER,
    description: 'changed at this time or later: a date (its midnight) or a datetime',
  },
};

const STATS_QUERY = {
  date_from: { ...MOMENT_PARAMETER, description: 'start of the conversion rate, inclusive; default 30 days ago' },
  date_to: { ...MOMENT_PARAMETER, description: `its end, inclusive; ${WHOLE_DAY}; default now` },
};

const CUSTOMER_LIST_QUERY = {
  ...PAGING,
  ...CURSOR,
  ...WINDOW_QUERY,
  status: {
    schema: text,
    description: `one status name, or several separated by commas: ${STATUSES.join(', ')}`,
    isUsable: areStatuses,
  },
  expiring_within: { ...OFFSET, description: 'open ones that expire within this many hours' },
  has_alerts: { schema: boolean, description: 'true: at least one unresolved alert; false: none' },
  orderBy: sortParameter(
    PROFORMA_SORT_FIELDS,
    `one of ${PROFORMA_SORT_FIELDS.join(', ')}, optionally followed by asc or desc`,
  ),
};

const LIST_QUERY = {
  ...CUSTOMER_LIST_QUERY,
  reference: {
    schema: text,
    description:
      'proforma numbers or payment references, separated by commas; ignores case, spaces and separators; an unknown reference, or one with wrong check digits, finds nothing; without `limit`, all that were found are listed',
  },
  anonymous: { schema: boolean, description: 'true: only those of guests; false: only those of customers' },
  customer_id: { schema: integer, description: 'of one customer' },
};

/** These routes must precede `/proforma_orders/:id`, which would also match `/proforma_orders/stats`. */
export function proformaListRoutes(proformas: ProformaQueries, customers: Customers, clock: Clock): Route[] {
  const listPage = ({ app, query }: Call, filter: ProformaFilter): Promise<HandlerResult> =>
    answerPageFromQuery(query, Math.max(DEFAULT_LIMIT, countReferences(query) + 1), (page) =>
      proformas.list(app, filter, query['orderBy'], page, clock.now()),
    );
  return [
    route({
      method: 'get',
      path: '/proforma_orders',
      caller: 'app',
      scope: 'proformas:read',
      summary: "The app's proformas, newest first by default; unusable filters are ignored",
      query: LIST_QUERY,
      ignoresInvalidFilters: true,
      answers: { 200: record({ data: listOf(ProformaListShape) }) },
      handle: (call) => listPage(call, parseProformaFilter(call.query, clock.now())),
    }),
    route({
      method: 'get',
      path: '/customers/:id/proforma_orders',
      caller: 'app',
      scope: 'proformas:read',
      extension: true,
      summary: 'The proformas of one customer, newest first by default; unusable filters are ignored',
      query: { ...PARTS, ...CUSTOMER_LIST_QUERY },
      ignoresInvalidFilters: true,
      answers: { 200: record({ data: listOf(ProformaListShape) }) },
      handle: async (call) => {
        const { dataPart, timePart } = parseParts(call.query);
        const customer = await customers.find(call.app.id, call.id, dataPart, timePart);
        if (customer === undefined) return undefined;
        const { anonymous: _, ...filter } = parseProformaFilter(call.query, clock.now());
        return listPage(call, { ...filter, customerId: customer.id });
      },
    }),
    route({
      method: 'get',
      path: '/proforma_orders/stats',
      caller: 'app',
      scope: 'proformas:read',
      summary: 'Counts for a dashboard, and the conversion rate of proformas made between date_from and date_to',
      query: STATS_QUERY,
      ignoresInvalidFilters: true,
      answers: { 200: record({ data: ProformaStatsShape }) },
      handle: async ({ app, query }) => {
        const now = clock.now();
        const window = parseStatsWindow(query, now);
        return ok(presentStats(app, await proformas.stats(app.id, window, now), window));
      },
    }),
  ];
}
