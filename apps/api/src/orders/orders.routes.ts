import {
  DELIVERY_STATUSES,
  ORDER_SORT_FIELDS,
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  type OrderQueries,
} from '@back-office/orders';
import { ok } from '../http/answer.js';
import { BULK_OPTIONS, parseBulkOptions, withExplain, okExplained } from '../http/bulk-options.js';
import { answerPageFromQuery, CURSOR } from '../http/cursor.js';
import { PAGING, PARTS, parseParts, sortParameter } from '../http/query-parameters.js';
import { orNull, ValidatedByDomain } from '../http/request-fields.js';
import { FailedRowsShape, presentFailedRows } from '../http/failed-rows.js';
import { route, type Route } from '../http/route.js';
import { rowsOf } from '../http/row-check.js';
import { integer, listOf, record } from '../http/shapes.js';
import { MAX_SHIPMENTS } from './tracking.js';
import { fieldOfOrderError, ORDER_CHANGE_ERROR_KEYS, parseOrderChange } from './order-change-rows.js';
import { ORDER_FILTERS, parseOrderFilter } from './order-filter.js';
import type { OrderUpdates } from './order-updates.js';
import { OrderListShape, OrderShape, presentOrder } from './order.js';

const DEFAULT_LIMIT = 30;

const ORDER_BY = sortParameter(
  ORDER_SORT_FIELDS,
  `one of ${ORDER_SORT_FIELDS.join(', ')} (last, then first name), optionally followed by asc or desc; ` +
    'ties by id, newest first; orders without the value are last',
);

class BulkUpdateOrders {
  @ValidatedByDomain({
    type: 'array',
    maxItems: 10_000,
    items: {
      type: 'object',
      required: ['id', 'data_part', 'time_part'],
      properties: {
        id: { type: 'integer' },
        data_part: { type: 'integer' },
        time_part: { type: 'integer' },
        order_status_id: orNull({ type: 'integer', minimum: 1, maximum: ORDER_STATUSES.length }),
        payment_status_id: orNull({ type: 'integer', minimum: 1, maximum: PAYMENT_STATUSES.length }),
        delivery_status_id: orNull({ type: 'integer', minimum: 1, maximum: DELIVERY_STATUSES.length }),
        invoice_number: orNull({ type: 'string', maxLength: 255, description: 'null or blank clears it' }),
        tracking: orNull({
          type: 'array',
          maxItems: MAX_SHIPMENTS,
          description: 'replaces the list; null clears it',
          items: {
            type: 'object',
            required: ['number'],
            properties: {
              carrier: orNull({ type: 'string', maxLength: 255 }),
              number: { type: 'string', maxLength: 255, description: 'tracking number' },
              url: orNull({ type: 'string', maxLength: 2_048, description: 'where the customer follows the parcels' }),
              parcels: orNull({ type: 'integer', minimum: 1, maximum: 10_000, description: 'default 1' }),
            },
          },
        }),
        refund: orNull({
          type: 'boolean',
          description: 'with a cancelled order: refunds its payments, vouchers and points',
        }),
      },
    },
  })
  orders?: unknown;
}

export function orderRoutes(orders: OrderQueries, updates: OrderUpdates): Route[] {
  return [
    route({
      method: 'get',
      path: '/orders',
      caller: 'app',
      scope: 'orders:read',
      summary: "The app's orders, by default the latest order_date first; empty filters are ignored",
      query: { ...PAGING, ...CURSOR, ...ORDER_FILTERS, orderBy: ORDER_BY },
      answers: { 200: record({ data: listOf(OrderListShape) }) },
      handle: ({ app, query }) => {
        const filter = parseOrderFilter(query);
        return answerPageFromQuery(query, DEFAULT_LIMIT, (page) =>
          orders.list({ app, filter, orderBy: query['orderBy'], page }),
        );
      },
    }),
    route({
      method: 'get',
      path: '/orders/:id',
      caller: 'app',
      scope: 'orders:read',
      summary: 'One order in full, identified by its id and both parts',
      query: PARTS,
      answers: { 200: record({ data: OrderShape }) },
      handle: async ({ app, id, query }) => {
        const { dataPart, timePart } = parseParts(query);
        const order = await orders.findByParts(app.id, id, dataPart, timePart);
        return order && ok(presentOrder(app, order));
      },
    }),
    route({
      method: 'put',
      path: '/orders/bulk_update',
      caller: 'app',
      scope: 'orders:write',
      summary:
        'Changes statuses, invoice numbers and tracking, refunds cancelled orders; the first shipping takes the reserved pieces out of stock',
      body: BulkUpdateOrders,
      query: BULK_OPTIONS,
      answers: { 200: withExplain(record({ updated: integer, failed: FailedRowsShape })) },
      failedRows: ORDER_CHANGE_ERROR_KEYS,
      handle: async ({ app, body, query }) => {
        const options = parseBulkOptions(query);
        const rows = rowsOf(body, 'orders');
        const { failed, explain } = await updates.update(app.id, rows.map(parseOrderChange), options);
        const failedRows = presentFailedRows(failed, rows, app, fieldOfOrderError);
        return okExplained({ updated: rows.length - failed.length, failed: failedRows }, explain);
      },
    }),
  ];
}
