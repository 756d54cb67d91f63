import type { AttributeDefinition, AttributeQueries, Attributes } from '@back-office/catalogue';
import { formatDateTime, isRow, parsePage, sum } from '@back-office/kernel';
import { ok } from '../http/answer.js';
import { BULK_OPTIONS, parseBulkOptions, withExplain, okExplained } from '../http/bulk-options.js';
import { rejectionAnswer } from '../http/errors.js';
import { PAGING, parseTextFilter } from '../http/query-parameters.js';
import { orNull, ValidatedByDomain } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { assertNestedLimit, rowsOf } from '../http/row-check.js';
import { dateTime, integer, listOf, component, nullable, record, text, type TypeOf } from '../http/shapes.js';
import { ATTRIBUTE_ERROR_KEYS, fieldOfAttributeError, parseAttributes } from './attribute-rows.js';
import { Type } from '@sinclair/typebox';

const textSchema = { type: 'string' as const, maxLength: 255 };
const optionalTextSchema = orNull(textSchema);

class PutProductAttributes {
  @ValidatedByDomain({
    type: 'array',
    maxItems: 10_000,
    items: {
      type: 'object',
      properties: {
        code: optionalTextSchema,
        barcode: optionalTextSchema,
        external_ref: optionalTextSchema,
        attributes: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              external_ref: textSchema,
              product_attribute_def_id: orNull({
                type: 'integer',
                description: 'if the reference exists, its definition must have this id',
              }),
              code: optionalTextSchema,
              name: orNull({ ...textSchema, description: 'default for a new definition: its reference' }),
              value: textSchema,
            },
            required: ['external_ref', 'value'],
          },
        },
      },
      required: ['attributes'],
    },
  })
  product_attributes?: unknown;
}

const DefinitionShape = component('ProductAttributeDef', {
  id: integer,
  external_ref: text,
  code: nullable(text),
  name: text,
  inserted_at: dateTime,
  updated_at: dateTime,
});

function attributesOf(row: unknown): readonly unknown[] {
  const attributes = isRow(row) ? row['attributes'] : undefined;
  return Array.isArray(attributes) ? attributes : [];
}

const REFUSALS = [
  'API.Products.NotFound',
  ...['NotFound', 'CodeAlreadyExists'].map((rule) => `API.ProductAttributeDefs.${rule}`),
];
const DEFAULT_LIMIT = 30;

export function attributeRoutes(attributes: Attributes, queries: AttributeQueries): Route[] {
  return [
    route({
      method: 'put',
      path: '/int/product_attributes',
      caller: 'app',
      scope: 'catalogue:write',
      summary: 'Sets attributes of products, all or nothing, creating definitions; absent attributes stay',
      body: PutProductAttributes,
      query: BULK_OPTIONS,
      answers: { 200: withExplain(record({ products: integer, definitions_created: integer })) },
      refusals: [...REFUSALS, ...ATTRIBUTE_ERROR_KEYS],
      handle: async ({ app, body, query }) => {
        const options = parseBulkOptions(query);
        const rows = rowsOf(body, 'product_attributes');
        assertNestedLimit(sum(rows.map((row) => attributesOf(row).length)));
        const result = await attributes.put(app.id, rows.map(parseAttributes), options);
        if ('failures' in result)
          return rejectionAnswer(result.failures, { field: 'product_attributes', rows }, app, {
            fieldOf: fieldOfAttributeError,
          });
        const { products, definitionsCreated, explain } = result;
        return okExplained({ products, definitions_created: definitionsCreated }, explain);
      },
    }),
    route({
      method: 'get',
      path: '/product_attribute_defs',
      caller: 'app',
      scope: 'catalogue:read',
      summary: 'Lists attribute definitions, oldest first; with `code` one definition or an empty object',
      query: { code: { schema: text, description: 'exact code of one definition' }, ...PAGING },
      answers: { 200: record({ data: Type.Union([listOf(DefinitionShape), DefinitionShape, record({})]) }) },
      handle: async ({ app, query }) => {
        const code = parseTextFilter(query, 'code');
        if (code === undefined) {
          return ok((await queries.definitions(app.id, parsePage(query, DEFAULT_LIMIT))).map(presentDefinition));
        }
        const definition = await queries.findDefinition(app.id, code);
        return ok(definition ? presentDefinition(definition) : {});
      },
    }),
  ];
}

function presentDefinition(definition: AttributeDefinition): TypeOf<typeof DefinitionShape> {
  return {
    id: definition.id,
    external_ref: definition.external_ref,
    code: definition.code,
    name: definition.name,
    inserted_at: formatDateTime(definition.inserted_at),
    updated_at: formatDateTime(definition.updated_at),
  };
}
