import { parseInteger, parseSorting } from '@back-office/kernel';
import { Type } from '@sinclair/typebox';
import { STOCK_SORT_FIELDS, type StockQueries } from '@back-office/stock';
import { okStream, type Answer } from '../http/answer.js';
import type { AppContext } from '@back-office/apps';
import { answerPageFromQuery, CURSOR } from '../http/cursor.js';
import {
  parseIdFilter,
  PAGING,
  parseUpdatedAfter,
  parseWindowFilter,
  UPDATED_AFTER,
  windowParameters,
  sortParameter,
} from '../http/query-parameters.js';
import { route, type Route } from '../http/route.js';
import { dateTime, integer, listOf, component, nullable, record, text } from '../http/shapes.js';

export const StockShape = component('Stock', {
  id: integer,
  product_id: integer,
  product_variant_id: integer,
  product_name: text,
  code: nullable(text),
  barcode: nullable(text),
  warehouse_id: integer,
  warehouse_code: nullable(text),
  on_hand: integer,
  reserved: integer,
  available: integer,
  min_qty: integer,
  updated_at: dateTime,
});

const StockMovementShape = component('StockMovement', {
  id: integer,
  movement_id: integer,
  kind: Type.Unsafe<string>({ type: 'string', enum: ['adjust', 'reconcile', 'reserve', 'release', 'ship'] }),
  booked_at: dateTime,
  warehouse_id: integer,
  warehouse_code: nullable(text),
  product_id: integer,
  product_variant_id: integer,
  code: nullable(text),
  qty: integer,
  reference: nullable(text),
});

const WAREHOUSE_FILTER = { schema: integer, description: 'of one warehouse' };
const PRODUCT_FILTER = { schema: integer, description: 'of the variants of one product' };

/** `refusal` is the message key for a value that is not an integer. */
const STOCK_FILTERS = {
  warehouseId: { ...WAREHOUSE_FILTER, refusal: 'Stocks.InvalidWarehouseId' },
  productId: { ...PRODUCT_FILTER, refusal: 'Stocks.InvalidProductId' },
  productVariantId: {
    schema: integer,
    description: 'of one variant',
    refusal: 'Stocks.InvalidProductVariantId',
  },
  languageId: {
    schema: integer,
    description: 'accepted for compatibility and ignored: product names have one language',
    refusal: 'Stocks.InvalidLanguageId',
  },
};

const ORDER_BY = sortParameter(
  STOCK_SORT_FIELDS,
  'updated_at, optionally followed by asc or desc; anything else sorts by product, variant and warehouse',
);

const DEFAULT_LIMIT = 30;

export function stockListRoutes(queries: StockQueries): Route[] {
  return [
    route({
      method: 'get',
      path: '/stocks',
      caller: 'app',
      scope: 'stock:read',
      summary: 'Stock per variant and warehouse; empty filters are ignored',
      query: { ...PAGING, ...CURSOR, ...STOCK_FILTERS, ...UPDATED_AFTER, orderBy: ORDER_BY },
      refusals: Object.values(STOCK_FILTERS).map(({ refusal }) => refusal),
      answers: { 200: record({ data: listOf(StockShape) }) },
      handle: async ({ app, query }) => {
        const refusal = refuseInvalidFilters(app, query);
        if (refusal) return refusal;
        const filter = {
          warehouseId: parseIdFilter(query, 'warehouseId'),
          productId: parseIdFilter(query, 'productId'),
          variantId: parseIdFilter(query, 'productVariantId'),
          updatedAfter: parseUpdatedAfter(query),
        };
        const sorting = parseSorting(query['orderBy'], STOCK_SORT_FIELDS);
        return answerPageFromQuery(query, DEFAULT_LIMIT, (page) => queries.list(app.id, filter, page, sorting));
      },
    }),
    route({
      method: 'get',
      path: '/stock_movements',
      caller: 'app',
      scope: 'stock:read',
      isStreamed: true,
      summary: 'All lines of the stock movements booked from dateFrom to dateUntil, in booking order; not paged',
      query: {
        ...windowParameters('dateFrom', 'dateUntil', true),
        warehouseId: WAREHOUSE_FILTER,
        productId: PRODUCT_FILTER,
      },
      answers: { 200: record({ data: listOf(StockMovementShape) }) },
      handle: async ({ app, query }) => {
        const { from, before } = parseWindowFilter(query, 'dateFrom', 'dateUntil');
        const filter = {
          from: from as Date,
          before: before as Date,
          warehouseId: parseIdFilter(query, 'warehouseId'),
          productId: parseIdFilter(query, 'productId'),
        };
        return okStream(queries.movements(app.id, filter));
      },
    }),
  ];
}

function refuseInvalidFilters(app: AppContext, query: Readonly<Record<string, unknown>>): Answer | undefined {
  const invalidFilters = Object.entries(STOCK_FILTERS).filter(
    ([name]) => (query[name] ?? '') !== '' && parseInteger(query[name]) === undefined,
  );
  if (invalidFilters.length === 0) return undefined;
  const problems = invalidFilters.map(([parameter, { refusal }]) => ({
    key: refusal,
    message: app.say(refusal),
    details: { parameter },
  }));
  return { status: 400, body: { errors: { Stocks: problems.map(({ message }) => message) } }, problems };
}
