import type { AppContext } from '../http/app-context.js';
import { ok, okText } from '../http/answer.js';
import type { Database } from '../database/database.js';
import { BULK_OPTIONS, bulkOptions, explainable, okExplained } from '../http/bulk-options.js';
import { Unjudged } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { assertFewNested, MOST_ROWS, rowsOf } from '../http/row-check.js';
import { failedRow, integer, listOf, nullable, number, record, text, truth } from '../http/shapes.js';
import { ProductShape } from './product.js';
import { findProductJson } from './product.query.js';
import { isPossible, productFilter, productPage, singleLookUp } from './product-filter.js';
import { productListJson } from './product-list.query.js';
import { nestedIn, PRODUCT_KEYS, productWish } from './product-rows.js';
import type { PlannedProduct } from './planner.js';
import type { TypeOrmProducts } from './typeorm-products.js';
import { Type } from '@sinclair/typebox';

/** A null clears the field, and is the same as nothing for a new record. */
const orNull = (type: string) => [type, 'null'] as never;
const string = (maxLength = 255) => ({ type: orNull('string'), maxLength });
const amount = { type: orNull('number'), minimum: 0 };
const rate = { type: orNull('number'), minimum: 0, maximum: 100 };
const images = {
  type: orNull('array'),
  description: 'appended on every call',
  maxItems: MOST_ROWS,
  items: {
    type: 'object' as const,
    properties: { image_url: { type: 'string' as const, maxLength: 2_048 }, alt: string(5_000) },
    required: ['image_url'],
  },
};

class PostProducts {
  @Unjudged({
    type: 'array',
    maxItems: 10_000,
    items: {
      type: 'object',
      properties: {
        id: { type: orNull('integer') },
        code: string(),
        external_ref: { ...string(), description: 'matches, and is never stored' },
        name: string(),
        slug: string(),
        description: string(5_000),
        vat_rate: rate,
        price: amount,
        active: { type: orNull('boolean') },
        images,
        variants: {
          type: orNull('array'),
          maxItems: MOST_ROWS,
          items: {
            type: 'object',
            properties: {
              code: string(),
              barcode: string(),
              external_ref: string(),
              name: string(),
              price: amount,
              vat_rate: rate,
              images,
            },
          },
        },
      },
    },
  })
  products?: unknown;
}

// In a dry run, what would be new has no id.
const UpsertedShape = record({
  id: nullable(integer),
  code: text,
  created: truth,
  variants: listOf(
    record({
      id: nullable(integer),
      code: text,
      barcode: nullable(text),
      external_ref: nullable(text),
      created: truth,
    }),
  ),
});

const ProductListShape = record({ products: listOf(ProductShape) });

const LIST_QUERY = {
  offset: { schema: integer, description: 'rows to skip, default 0' },
  limit: { schema: integer, description: 'rows wanted, default 10, at most 10,000' },
  pageNo: { schema: integer, description: 'page, from 1; with perPage, in place of offset and limit' },
  perPage: { schema: integer, description: 'rows of a page, default 10' },
  orderBy: {
    schema: text,
    description:
      'name, price (the lowest), inserted_at or sales_quantity, optionally followed by desc; several separated by a comma. Default: by name, the best matches first when searching',
  },
  search: { schema: text, description: 'in names: exact, beginning, word beginning, similar; case and accents aside' },
  searchAll: { schema: text, description: 'in names, codes and barcodes of products and variants, exact codes first' },
  code: { schema: text, description: "a product's code, else a variant's; case and surrounding spaces aside" },
  barcode: { schema: text, description: "a variant's barcode; case and surrounding spaces aside" },
  slug: { schema: text, description: 'exact' },
  id: { schema: integer, description: 'exact' },
  priceFrom: { schema: number, description: 'lowest price of the product, inclusive' },
  priceTo: { schema: number, description: 'lowest price of the product, inclusive' },
  onlyOnStock: { schema: truth, description: 'only products of which a sellable warehouse has a piece to sell' },
};

export function productRoutes(products: TypeOrmProducts, database: Database): Route[] {
  return [
    route({
      method: 'post',
      path: '/int/products',
      caller: 'app',
      summary:
        'Creates and changes products with their variants, matched by id, code and external reference; more than 30,000 variants or images in all rows together are answered 413',
      body: PostProducts,
      query: BULK_OPTIONS,
      answers: { 200: explainable(record({ products: listOf(UpsertedShape), failed: listOf(failedRow) })) },
      failedRows: PRODUCT_KEYS,
      handle: async ({ app, body, query }) => {
        const options = bulkOptions(query);
        const rows = rowsOf(body, 'products');
        Object.values(nestedIn(rows)).forEach(assertFewNested);
        const wishes = rows.map((row) => productWish(row, app.decimals));
        const { outcomes, explain } = await products.upsert(app, wishes, options);
        return okExplained(presentUpsert(app, rows, outcomes), explain);
      },
    }),
    route({
      method: 'get',
      path: '/products',
      caller: 'app',
      summary: 'A page of products; one of code, barcode, slug or id alone answers a single product, or {}',
      query: LIST_QUERY,
      answers: { 200: record({ data: Type.Union([ProductListShape, ProductShape, record({})]) }) },
      handle: async ({ app, query }) => {
        const filter = productFilter(query);
        const single = singleLookUp(filter);
        if (single && !isPossible(single)) return ok({});
        if (single) return okText((await findProductJson(database, app.id, app.decimals, single)) ?? '{}');
        if (!filter.lookUps.every(isPossible)) return ok({ products: [] });
        const asked = { appId: app.id, decimals: app.decimals, filter, page: productPage(query) };
        return okText(await productListJson(database, { ...asked, orderBy: query['orderBy'] }));
      },
    }),
  ];
}

function presentUpsert(app: AppContext, rows: readonly unknown[], outcomes: readonly (PlannedProduct | string)[]) {
  return {
    products: outcomes.flatMap((outcome) => (typeof outcome === 'string' ? [] : [presentUpserted(outcome)])),
    failed: outcomes.flatMap((outcome, index) =>
      typeof outcome === 'string' ? [{ input: rows[index], error: { message: app.say(outcome) } }] : [],
    ),
  };
}

function presentUpserted({ product, created, variants }: PlannedProduct) {
  return {
    id: product.id,
    code: product.code,
    created,
    variants: variants.map(({ variant: { id, code, barcode, external_ref }, created: isNew }) => ({
      id,
      code,
      barcode,
      external_ref,
      created: isNew,
    })),
  };
}
