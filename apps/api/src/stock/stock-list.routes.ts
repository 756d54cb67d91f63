import { parsePage, parseInteger } from '@back-office/kernel';
import { Type } from '@sinclair/typebox';
import type { StockQueries } from '@back-office/stock';
import { okRuns, okText, type Answer } from '../http/answer.js';
import type { AppContext } from '@back-office/apps';
import { idFilter, PAGING, windowFilter, windowParameters } from '../http/query-parameters.js';
import { route, type Route } from '../http/route.js';
import { dateTime, integer, listOf, named, nullable, record, text } from '../http/shapes.js';

const StockShape = named('Stock', {
  id: integer,
  product_id: integer,
  product_variant_id: integer,
  product_name: text,
  code: text,
  barcode: nullable(text),
  warehouse_id: integer,
  warehouse_code: nullable(text),
  on_hand: integer,
  reserved: integer,
  available: integer,
  min_qty: integer,
  updated_at: dateTime,
});

const StockMovementShape = named('StockMovement', {
  id: integer,
  movement_id: integer,
  kind: Type.Unsafe<string>({ type: 'string', enum: ['adjust', 'reconcile', 'reserve', 'release', 'ship'] }),
  booked_at: dateTime,
  warehouse_id: integer,
  warehouse_code: nullable(text),
  product_id: integer,
  product_variant_id: integer,
  code: text,
  qty: integer,
  reference: nullable(text),
});

const WAREHOUSE_FILTER = { schema: integer, description: 'of one warehouse' };
const PRODUCT_FILTER = { schema: integer, description: 'of the variants of one product' };

/** `refused` is the message key for a value that is no integer. */
const STOCK_FILTERS = {
  warehouseId: { ...WAREHOUSE_FILTER, refused: 'Stocks.InvalidWarehouseId' },
  productId: { ...PRODUCT_FILTER, refused: 'Stocks.InvalidProductId' },
  productVariantId: {
    schema: integer,
    description: 'of one variant',
    refused: 'Stocks.InvalidProductVariantId',
  },
  languageId: {
    schema: integer,
    description: 'accepted for compatibility and ignored: product names have one language',
    refused: 'Stocks.InvalidLanguageId',
  },
};

const DEFAULT_LIMIT = 30;

export function stockListRoutes(queries: StockQueries): Route[] {
  return [
    route({
      method: 'get',
      path: '/stocks',
      caller: 'app',
      summary: 'Stock per variant and warehouse, sorted by product, variant and warehouse; empty filters are ignored',
      query: { ...PAGING, ...STOCK_FILTERS },
      refusals: Object.values(STOCK_FILTERS).map(({ refused }) => refused),
      answers: { 200: record({ data: listOf(StockShape) }) },
      handle: async ({ app, query }) => {
        const invalid = refuseInvalidFilters(app, query);
        if (invalid) return invalid;
        const filter = {
          warehouseId: idFilter(query, 'warehouseId'),
          productId: idFilter(query, 'productId'),
          variantId: idFilter(query, 'productVariantId'),
        };
        return okText(await queries.list(app.id, filter, parsePage(query, DEFAULT_LIMIT)));
      },
    }),
    route({
      method: 'get',
      path: '/stock_movements',
      caller: 'app',
      summary: 'All lines of the stock movements booked from dateFrom to dateUntil, in booking order; not paged',
      query: {
        ...windowParameters('dateFrom', 'dateUntil', true),
        warehouseId: WAREHOUSE_FILTER,
        productId: PRODUCT_FILTER,
      },
      answers: { 200: record({ data: listOf(StockMovementShape) }) },
      handle: async ({ app, query }) => {
        const { from, before } = windowFilter(query, 'dateFrom', 'dateUntil');
        // Both parameters are required, so they are never undefined.
        const filter = {
          from: from as Date,
          before: before as Date,
          warehouseId: idFilter(query, 'warehouseId'),
          productId: idFilter(query, 'productId'),
        };
        return okRuns(queries.movements(app.id, filter));
      },
    }),
  ];
}

function refuseInvalidFilters(app: AppContext, query: Readonly<Record<string, unknown>>): Answer | undefined {
  const invalid = Object.entries(STOCK_FILTERS).filter(
    ([name]) => (query[name] ?? '') !== '' && parseInteger(query[name]) === undefined,
  );
  if (invalid.length === 0) return undefined;
  return { status: 400, body: { errors: { Stocks: invalid.map(([, { refused }]) => app.say(refused)) } } };
}
