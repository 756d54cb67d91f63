import { pageOf, type Clock } from '@back-office/kernel';
import { STATUSES } from '@back-office/proforma';
import type { Database } from '../database/database.js';
import { ok, okText } from '../http/answer.js';
import { PAGING } from '../http/query-parameters.js';
import { route, type Route } from '../http/route.js';
import { integer, listOf, record, text, truth } from '../http/shapes.js';
import { ProformaListShape } from './proforma-shapes.js';
import { proformaFilter } from './proforma-filter.js';
import { proformaListJson } from './proforma-list.query.js';
import { proformaStats, ProformaStatsShape } from './proforma-stats.query.js';

const DEFAULT_LIMIT = 30;

const WHOLE_DAY = 'a date alone covers the whole day';

const WINDOW = {
  date_from: { schema: text, description: 'by processing_date, inclusive' },
  date_to: { schema: text, description: `by processing_date, inclusive; ${WHOLE_DAY}` },
};

const STATS_QUERY = {
  date_from: { schema: text, description: 'start of the conversion rate, inclusive; default 30 days ago' },
  date_to: { schema: text, description: `its end, inclusive; ${WHOLE_DAY}; default now` },
};

const LIST_QUERY = {
  ...PAGING,
  ...WINDOW,
  status: { schema: text, description: `one status name, or several separated by commas: ${STATUSES.join(', ')}` },
  expiring_within: { schema: integer, description: 'open ones that expire within so many hours' },
  has_alerts: { schema: truth, description: 'true: at least one unresolved alert; false: none' },
  anonymous: { schema: truth, description: "only guests' ones, or only customers' ones" },
  customer_id: { schema: integer, description: 'of one customer' },
  orderBy: {
    schema: text,
    description:
      'expires_at, end_sales, paid, debt, customer_name, processing_date, inserted_at, updated_at, proforma_number ' +
      'or status, optionally followed by asc or desc',
  },
};

/** Many proformas at once: the list and the counts for a dashboard. They go before the calls that name one by its id. */
export function proformaListRoutes(database: Database, clock: Clock): Route[] {
  return [
    route({
      method: 'get',
      path: '/proforma_orders',
      caller: 'app',
      summary: "The app's proformas, newest first unless sorted otherwise; a filter that cannot be used is ignored",
      query: LIST_QUERY,
      ignoresUnusableFilters: true,
      answers: { 200: record({ data: listOf(ProformaListShape) }) },
      handle: async ({ app, query }) =>
        okText(
          await proformaListJson(
            database,
            app,
            proformaFilter(query, clock.now()),
            query['orderBy'],
            pageOf(query, DEFAULT_LIMIT),
            clock.now(),
          ),
        ),
    }),
    route({
      method: 'get',
      path: '/proforma_orders/stats',
      caller: 'app',
      summary: 'Counts for a dashboard, and the conversion rate of those made between date_from and date_to',
      query: STATS_QUERY,
      ignoresUnusableFilters: true,
      answers: { 200: record({ data: ProformaStatsShape }) },
      handle: async ({ app, query }) => ok(await proformaStats(database, app, query, clock.now())),
    }),
  ];
}
