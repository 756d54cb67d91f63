import { pageOf, wholeNumber } from '@back-office/kernel';
import { Type } from '@sinclair/typebox';
import type { Database } from '../database/database.js';
import { okRuns, okText, type Answer } from '../http/answer.js';
import type { AppContext } from '../http/app-context.js';
import { idFilter, PAGING, windowFilter, windowParameters } from '../http/query-parameters.js';
import { route, type Route } from '../http/route.js';
import { dateTime, integer, listOf, named, nullable, record, text } from '../http/shapes.js';
import { stockListJson } from './stock-list.query.js';
import { movementRuns } from './stock-movements.query.js';

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

const OF_WAREHOUSE = { schema: integer, description: 'of one warehouse' };
const OF_PRODUCT = { schema: integer, description: 'of the variants of one product' };

/** The filters of GET /stocks, each with the key that refuses what is no integer. */
const STOCK_FILTERS = {
  warehouseId: { ...OF_WAREHOUSE, refused: 'Stocks.InvalidWarehouseId' },
  productId: { ...OF_PRODUCT, refused: 'Stocks.InvalidProductId' },
  productVariantId: {
    schema: integer,
    description: 'of one variant',
    refused: 'Stocks.InvalidProductVariantId',
  },
  languageId: {
    schema: integer,
    description: 'taken for compatibility: product names are kept in one language',
    refused: 'Stocks.InvalidLanguageId',
  },
};

const DEFAULT_LIMIT = 30;

/** What is in stock, and how it came there. */
export function stockListRoutes(database: Database): Route[] {
  return [
    route({
      method: 'get',
      path: '/stocks',
      caller: 'app',
      summary: 'Stock per variant and warehouse, by product, variant and warehouse; a filter that is empty is ignored',
      query: { ...PAGING, ...STOCK_FILTERS },
      refusals: Object.values(STOCK_FILTERS).map(({ refused }) => refused),
      answers: { 200: record({ data: listOf(StockShape) }) },
      handle: async ({ app, query }) => {
        const invalid = invalidFilters(app, query);
        if (invalid) return invalid;
        const filter = {
          warehouseId: idFilter(query, 'warehouseId'),
          productId: idFilter(query, 'productId'),
          variantId: idFilter(query, 'productVariantId'),
        };
        return okText(await stockListJson(database, app.id, filter, pageOf(query, DEFAULT_LIMIT)));
      },
    }),
    route({
      method: 'get',
      path: '/stock_movements',
      caller: 'app',
      summary: 'Every line of the stock movements booked between dateFrom and dateUntil, in booking order; not paged',
      query: {
        ...windowParameters('dateFrom', 'dateUntil', true),
        warehouseId: OF_WAREHOUSE,
        productId: OF_PRODUCT,
      },
      answers: { 200: record({ data: listOf(StockMovementShape) }) },
      handle: async ({ app, query }) => {
        const { from, before } = windowFilter(query, 'dateFrom', 'dateUntil');
        // Both ends are there: the call is not made without them.
        const filter = {
          from: from as Date,
          before: before as Date,
          warehouseId: idFilter(query, 'warehouseId'),
          productId: idFilter(query, 'productId'),
        };
        return okRuns(movementRuns(database, app.id, filter));
      },
    }),
  ];
}

function invalidFilters(app: AppContext, query: Readonly<Record<string, unknown>>): Answer | undefined {
  const invalid = Object.entries(STOCK_FILTERS).filter(
    ([name]) => (query[name] ?? '') !== '' && wholeNumber(query[name]) === undefined,
  );
  if (invalid.length === 0) return undefined;
  return { status: 400, body: { errors: { Stocks: invalid.map(([, { refused }]) => app.say(refused)) } } };
}
