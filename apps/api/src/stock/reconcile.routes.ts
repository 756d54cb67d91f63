import { answerWith } from '../http/answer.js';
import { BULK_OPTIONS, parseBulkOptions, withExplain, okExplained } from '../http/bulk-options.js';
import { missingRecordAnswer } from '../http/errors.js';
import { Reference } from '../http/reference-field.js';
import { IsBoolean, IsOptional, Length, orNull, ValidatedBy } from '../http/request-fields.js';
import { MALFORMED } from '@back-office/kernel';
import { FailedPlaceShape, presentFailedPlace } from '../http/failed-rows.js';
import { route, type Route } from '../http/route.js';
import { rowsOf } from '../http/row-check.js';
import { described, integer, listOf, nullable, record, text } from '../http/shapes.js';
import { callShapes, parseCallOptions, presentCall } from './stock-calls.js';
import { COUNT_ERROR_KEYS, fieldOfStockError, parseCountedRow } from './stock-rows.js';
import { REFERENCE_TAKEN, type Stock } from '@back-office/stock';
import { Type } from '@sinclair/typebox';

const COUNTS_SCHEMA = {
  type: 'array' as const,
  maxItems: 10_000,
  items: {
    type: 'object' as const,
    properties: {
      sku: { type: 'string' as const, maxLength: 255, description: "a variant's code, exact" },
      qty: { type: 'integer' as const, minimum: 0, description: 'counted pieces; may be below the reserved ones' },
      expected_qty: orNull({
        type: 'integer',
        minimum: 0,
        description: 'the row fails unless these pieces are on hand before the call',
      }),
    },
    required: ['sku', 'qty'],
  },
};

class ReconcileStock {
  @Length(1, 255) warehouse_code!: string;
  // Rows are validated later, because an invalid row must not fail the other rows.
  @ValidatedBy((value) => (Array.isArray(value) ? undefined : MALFORMED), COUNTS_SCHEMA, MALFORMED)
  products!: readonly unknown[];
  @IsOptional() @Reference() reference?: string | null;
  @IsOptional() @IsBoolean() all_or_nothing?: boolean | null;
}

const ReconciledShape = record({
  movement_id: nullable(integer),
  updated: integer,
  failed: listOf(
    record({
      product: Type.Unknown(),
      error: text,
      ...FailedPlaceShape,
      on_hand: described(nullable(integer), 'pieces on hand, where `expected_qty` differs; else null'),
    }),
  ),
  ...callShapes,
});

export function reconcileRoutes(stock: Stock): Route[] {
  return [
    route({
      method: 'post',
      path: '/stock/reconcile',
      caller: 'app',
      scope: 'stock:write',
      summary: 'Sets on hand in a warehouse to counted quantities, in one movement; unchanged counts write nothing',
      body: ReconcileStock,
      query: BULK_OPTIONS,
      answers: { 200: withExplain(ReconciledShape) },
      failedRows: COUNT_ERROR_KEYS,
      refusals: [REFERENCE_TAKEN.refused],
      missingKey: 'API.Warehouses.NotFound',
      handle: async ({ app, body, query }) => {
        const options = { ...parseBulkOptions(query), ...parseCallOptions(body) };
        const rows = rowsOf(body, 'products');
        const countedRows = rows.map((row) => parseCountedRow(row, body.warehouse_code));
        const reconciliation = await stock.reconcile(app.id, body.warehouse_code, countedRows, options);
        if (reconciliation === undefined) return missingRecordAnswer('API.Warehouses.NotFound', app);
        return answerWith(reconciliation, ({ updated, failed, explain, ...call }) => {
          const failedRows = failed.map(({ row, key, onHand }) => ({
            product: rows[row],
            error: app.say(key),
            ...presentFailedPlace(row, fieldOfStockError(rows[row], key)),
            on_hand: onHand ?? null,
          }));
          const movementId = call.movementIds[0] ?? null;
          const data = { movement_id: movementId, updated, failed: failedRows, ...presentCall(options, call) };
          return okExplained(data, explain);
        });
      },
    }),
  ];
}
