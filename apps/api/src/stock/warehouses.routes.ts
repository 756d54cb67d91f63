import { ALREADY_TAKEN, isBlank } from '@back-office/kernel';
import type { WarehouseQueries, Warehouses } from '@back-office/stock';
import { answerWith, created, ok } from '../http/answer.js';
import { BULK_OPTIONS, parseBulkOptions, withExplain, okExplained } from '../http/bulk-options.js';
import { answerPageFromQuery, CURSOR } from '../http/cursor.js';
import { PAGING, parseSearchFilter } from '../http/query-parameters.js';
import {
  IsBoolean,
  IsInt,
  IsOptional,
  Length,
  Max,
  MAX_INTEGER,
  MaxLength,
  Min,
  orNull,
  Type,
  ValidatedByDomain,
  ValidateNested,
  Wrapper,
} from '../http/request-fields.js';
import { rejectionAnswer } from '../http/errors.js';
import { route, type Route } from '../http/route.js';
import { rowsOf } from '../http/row-check.js';
import { integer, listOf, record, text } from '../http/shapes.js';
import {
  presentWarehouse,
  WAREHOUSE_ERROR_KEYS,
  WarehouseShape,
  WrittenWarehouseShape,
  parseWarehouseRow,
} from './warehouse.js';

class PutWarehouses {
  @ValidatedByDomain({
    type: 'array',
    maxItems: 10_000,
    items: {
      type: 'object',
      properties: {
        code: orNull({ type: 'string', maxLength: 255 }),
        id: orNull({ type: 'integer' }),
        name: { type: 'string', maxLength: 255 },
        address_line_1: { type: 'string', maxLength: 255 },
        city: { type: 'string', maxLength: 255 },
        postcode: { type: 'string', maxLength: 255 },
        market_id: { type: 'integer' },
        sellable: orNull({ type: 'boolean', description: 'true for a new warehouse' }),
        delete: orNull({ type: 'boolean', description: 'false unless sent' }),
      },
    },
  })
  warehouses?: unknown;
}

class WarehouseFields {
  @IsOptional() @MaxLength(255) code?: string | null;
  @Length(1, 255) name!: string;
  @Length(1, 255) address_line_1!: string;
  @Length(1, 255) city!: string;
  @Length(1, 255) postcode!: string;
  @IsInt() @Min(1) @Max(MAX_INTEGER) market_id!: number;
  @IsOptional() @IsBoolean() sellable?: boolean | null;
}

class PostWarehouse {
  @Wrapper() @ValidateNested() @Type(() => WarehouseFields) warehouse!: WarehouseFields;
}

const DEFAULT_LIMIT = 30;
const REFUSALS = ['CodeAndIdMismatch', 'HasStock', 'NotFound'].map((rule) => `API.Warehouses.${rule}`);

export function warehouseRoutes(warehouses: Warehouses, queries: WarehouseQueries): Route[] {
  return [
    route({
      method: 'get',
      path: '/warehouses',
      caller: 'app',
      scope: 'stock:read',
      summary: "The app's warehouses by name",
      query: {
        ...PAGING,
        ...CURSOR,
        search: {
          schema: text,
          description: 'in name, code, address, city and postcode, case aside; surrounding spaces are ignored',
        },
      },
      answers: { 200: record({ data: listOf(WarehouseShape) }) },
      handle: ({ app, query }) =>
        answerPageFromQuery(query, DEFAULT_LIMIT, (page) => queries.list(app.id, parseSearchFilter(query), page)),
    }),
    route({
      method: 'get',
      path: '/warehouses/:id',
      caller: 'app',
      scope: 'stock:read',
      extension: true,
      summary: 'Shows a warehouse',
      answers: { 200: record({ data: WarehouseShape }) },
      handle: async ({ app, id }) => answerWith(await queries.find(app.id, id), (row) => ok(presentWarehouse(row))),
    }),
    route({
      method: 'post',
      path: '/warehouses',
      caller: 'app',
      scope: 'stock:write',
      summary: 'Adds a warehouse; a code is unique in the app, and a blank code is stored as null',
      body: PostWarehouse,
      answers: { 201: record({ data: WarehouseShape }) },
      refusals: [ALREADY_TAKEN],
      handle: async ({ app, body }) => {
        const { code: sentCode, sellable, ...fields } = body.warehouse;
        const code = isBlank(sentCode ?? '') ? null : (sentCode as string);
        const result = await warehouses.add(app.id, { ...fields, code, sellable: sellable ?? true });
        return answerWith(result, (row) => created(presentWarehouse(row)));
      },
    }),
    route({
      method: 'put',
      path: '/warehouse',
      caller: 'app',
      scope: 'stock:write',
      summary: 'Creates, changes and deletes warehouses in one call, all or nothing, matched by code and id',
      body: PutWarehouses,
      query: BULK_OPTIONS,
      answers: { 200: withExplain(record({ warehouses: listOf(WrittenWarehouseShape), deleted: listOf(integer) })) },
      refusals: [...WAREHOUSE_ERROR_KEYS, ...REFUSALS],
      handle: async ({ app, body, query }) => {
        const options = parseBulkOptions(query);
        const rows = rowsOf(body, 'warehouses');
        const outcome = await warehouses.put(app.id, rows.map(parseWarehouseRow), options);
        if ('failures' in outcome)
          return rejectionAnswer(outcome.failures, { field: 'warehouses', rows }, app, { area: 'Warehouses' });
        const { warehouses: savedWarehouses, deleted, explain } = outcome;
        return okExplained({ warehouses: savedWarehouses.map(presentWarehouse), deleted }, explain);
      },
    }),
  ];
}
