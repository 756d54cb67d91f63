import { parsePage } from '@back-office/kernel';
import { REFERENCE_TAKEN, type Stock, type StockQueries } from '@back-office/stock';
import { answerWith, okJson } from '../http/answer.js';
import { BULK_OPTIONS, parseBulkOptions, withExplain, okExplained } from '../http/bulk-options.js';
import { parseIdFilter, PAGING, parseTextFilter } from '../http/query-parameters.js';
import { Reference } from '../http/reference-field.js';
import { IsBoolean, IsOptional, orNull, ValidatedByDomain } from '../http/request-fields.js';
import { FailedRowsShape, presentFailedRows } from '../http/failed-rows.js';
import { route, type Route } from '../http/route.js';
import { rowsOf } from '../http/row-check.js';
import { integer, listOf, component, nullable, record, text } from '../http/shapes.js';
import { callShapes, parseCallOptions, presentCall } from './stock-calls.js';
import { fieldOfStockError, STOCK_ERROR_KEYS, parseStockRow } from './stock-rows.js';

const stringSchema = orNull({ type: 'string', maxLength: 255 });

class PutStocks {
  @ValidatedByDomain({
    type: 'array',
    maxItems: 10_000,
    items: {
      type: 'object',
      properties: {
        code: stringSchema,
        barcode: stringSchema,
        external_ref: stringSchema,
        warehouse_code: stringSchema,
        qty: { type: 'integer', description: 'added; subtracted when negative' },
        min_qty: orNull({ type: 'integer', minimum: 0, description: 'minimum of a new shelf' }),
      },
    },
  })
  stocks?: unknown;
  @IsOptional() @Reference() reference?: string | null;
  @IsOptional() @IsBoolean() all_or_nothing?: boolean | null;
}

const stockSumFields = { on_hand: integer, reserved: integer, available: integer };

const StockAggregateShape = component('StockAggregate', {
  product_id: integer,
  product_variant_id: integer,
  code: nullable(text),
  ...stockSumFields,
  warehouses: listOf(record({ warehouse_id: integer, warehouse_code: nullable(text), ...stockSumFields })),
});

const DEFAULT_LIMIT = 30;

export function stockRoutes(stock: Stock, queries: StockQueries): Route[] {
  return [
    route({
      method: 'put',
      path: '/int/stocks',
      caller: 'app',
      scope: 'stock:write',
      summary: 'Adds quantities to stock per variant and warehouse; a repeat adds again, unless it has a `reference`',
      body: PutStocks,
      query: BULK_OPTIONS,
      answers: { 200: withExplain(record({ updated: integer, failed: FailedRowsShape, ...callShapes })) },
      failedRows: STOCK_ERROR_KEYS,
      refusals: [REFERENCE_TAKEN.refused],
      handle: async ({ app, body, query }) => {
        const options = { ...parseBulkOptions(query), ...parseCallOptions(body) };
        const rows = rowsOf(body, 'stocks');
        const result = await stock.add(app.id, rows.map(parseStockRow), options);
        return answerWith(result, ({ updated, failed, explain, ...call }) => {
          const failedRows = presentFailedRows(failed, rows, app, fieldOfStockError);
          return okExplained({ updated, failed: failedRows, ...presentCall(options, call) }, explain);
        });
      },
    }),
    route({
      method: 'get',
      path: '/stocks/aggregate',
      caller: 'app',
      scope: 'stock:read',
      summary: 'Stock on hand, reserved and available, per variant and per warehouse',
      query: {
        code: { schema: text, description: 'of one variant, exact' },
        barcode: { schema: text, description: 'of one variant, exact' },
        productId: { schema: integer, description: 'of one product' },
        product_id: { schema: integer, description: 'another name of productId' },
        productVariantId: { schema: integer, description: 'of one variant' },
        warehouseId: { schema: integer, description: 'of one warehouse: its variants, and their stock in it' },
        ...PAGING,
      },
      answers: { 200: record({ data: listOf(StockAggregateShape) }) },
      handle: async ({ app, query }) => {
        const filter = {
          code: parseTextFilter(query, 'code'),
          barcode: parseTextFilter(query, 'barcode'),
          productId: parseIdFilter(query, 'productId') ?? parseIdFilter(query, 'product_id'),
          variantId: parseIdFilter(query, 'productVariantId'),
          warehouseId: parseIdFilter(query, 'warehouseId'),
        };
        return okJson(await queries.aggregate(app.id, filter, parsePage(query, DEFAULT_LIMIT)));
      },
    }),
  ];
}
