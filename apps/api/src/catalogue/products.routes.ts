import { runInSlices } from '../http/run-in-slices.js';
import { failedRows, mapSteps, plannedOf } from '@back-office/kernel';
import type { AppContext } from '@back-office/apps';
import { MATCHING } from '@back-office/matching';
import { ok, okJson } from '../http/answer.js';
import {
  parseProductOrder,
  type PlannedProduct,
  type ProductQueries,
  type Products,
  type UpsertedProducts,
} from '@back-office/catalogue';
import { BULK_OPTIONS, parseBulkOptions, withExplain, okExplained } from '../http/bulk-options.js';
import { answerPage, CURSOR } from '../http/cursor.js';
import { OFFSET, PAGE_SIZE, POSITIVE, UPDATED_AFTER } from '../http/query-parameters.js';
import { IsBoolean, IsIn, IsOptional, ValidatedByDomain } from '../http/request-fields.js';
import { FailedRowsShape, presentFailedRows } from '../http/failed-rows.js';
import { route, type Route } from '../http/route.js';
import { assertNestedLimit, rowsOf } from '../http/row-check.js';
import { described, integer, listOf, nullable, number, record, text, boolean } from '../http/shapes.js';
import { ProductShape } from './product.js';
import { canMatch, parseProductFilter, parseProductPage, singleLookUp } from './product-filter.js';
import {
  countNested,
  fieldOfProductError,
  PRODUCT_ERROR_KEYS,
  PRODUCT_ROW_SCHEMA,
  parseProductRow,
} from './product-rows.js';
import { Type } from '@sinclair/typebox';

/** `append` adds the sent images to the stored ones; `replace` keeps the sent ones only. */
const IMAGE_MODES = ['append', 'replace'] as const;

class PostProducts {
  @ValidatedByDomain({
    type: 'array',
    maxItems: 10_000,
    items: PRODUCT_ROW_SCHEMA,
  })
  products?: unknown;
  @IsOptional() @IsIn(IMAGE_MODES) images_mode?: (typeof IMAGE_MODES)[number] | null;
  @IsOptional() @IsBoolean() store_external_ref?: boolean | null;
}

const UpsertedProductShape = record({
  id: nullable(integer),
  code: text,
  created: boolean,
  variants: listOf(
    record({
      id: nullable(integer),
      code: nullable(text),
      barcode: nullable(text),
      external_ref: nullable(text),
      created: boolean,
      matched_by: described(
        nullable(Type.Unsafe<string>({ type: 'string', enum: MATCHING['POST /int/products'].variant })),
        'identifier of the row that found the variant; null for a new variant',
      ),
    }),
  ),
});

const ProductListShape = record({ products: listOf(ProductShape) });

const LIST_QUERY = {
  ...CURSOR,
  offset: { ...OFFSET, description: 'products to skip, default 0' },
  limit: { ...PAGE_SIZE, description: 'products in the answer, default 10, at most 10,000' },
  pageNo: { ...POSITIVE, description: 'page, from 1; its size is perPage, else limit, else 10; ignored with offset' },
  perPage: { ...PAGE_SIZE, description: 'products of a page, at most 10,000' },
  orderBy: {
    schema: text,
    description:
      'name, price (the lowest), inserted_at, updated_at or sales_quantity, optionally followed by desc; several separated by a comma. Default: by name, the best matches first when searching',
    isUsable: (value: unknown) => typeof value === 'string' && parseProductOrder(value) !== undefined,
  },
  search: {
    schema: text,
    description:
      'in names: exact matches first, then prefixes, prefixes of words, similar names; case and accents aside; above 10,000 matches, similarity does not count',
  },
  searchAll: { schema: text, description: 'in names, codes and barcodes of products and variants, exact codes first' },
  code: { schema: text, description: "a product's code, else a variant's; case and surrounding spaces aside" },
  barcode: { schema: text, description: "a variant's barcode, else a product's; case and surrounding spaces aside" },
  slug: { schema: text, description: 'exact' },
  id: { schema: integer, description: 'exact' },
  priceFrom: { schema: number, description: 'with a variant at this price or above; with priceTo, in the range' },
  priceTo: { schema: number, description: 'with a variant at this price or below; with priceFrom, in the range' },
  ...UPDATED_AFTER,
  onlyOnStock: { schema: boolean, description: 'true: only products with an available piece in a sellable warehouse' },
};

export function productRoutes(products: Products, queries: ProductQueries): Route[] {
  return [
    route({
      method: 'post',
      path: '/int/products',
      caller: 'app',
      scope: 'catalogue:write',
      summary:
        'Creates and changes products with their variants, matched by id, code and external reference; `images_mode: replace` replaces the images of products and variants that send some, and `store_external_ref` stores the references of products; more than 30,000 variants or images in total are answered 413',
      body: PostProducts,
      query: BULK_OPTIONS,
      answers: { 200: withExplain(record({ products: listOf(UpsertedProductShape), failed: FailedRowsShape })) },
      failedRows: PRODUCT_ERROR_KEYS,
      handle: async ({ app, body, query }) => {
        const options = parseBulkOptions(query);
        const rows = rowsOf(body, 'products');
        Object.values(countNested(rows)).forEach(assertNestedLimit);
        const desiredProducts = await runInSlices(mapSteps(rows, (row) => parseProductRow(row, app.decimals)));
        const upserted = await products.upsert(app, desiredProducts, {
          ...options,
          replacesImages: body.images_mode === 'replace',
          storesReferences: body.store_external_ref ?? false,
        });
        return okExplained(await presentUpsert(app, rows, upserted), upserted.explain);
      },
    }),
    route({
      method: 'get',
      path: '/products',
      caller: 'app',
      scope: 'catalogue:read',
      summary: 'A page of products; code, barcode, slug or id alone returns a single product, or {}',
      query: LIST_QUERY,
      answers: { 200: record({ data: Type.Union([ProductListShape, ProductShape, record({})]) }) },
      handle: async ({ app, query }) => {
        const filter = parseProductFilter(query);
        const lookUp = singleLookUp(filter);
        if (lookUp && !canMatch(lookUp)) return ok({});
        if (lookUp) return okJson((await queries.find(app, lookUp)) ?? '{}');
        if (!filter.lookUps.every(canMatch)) return ok({ products: [] });
        const orderBy = typeof query['orderBy'] === 'string' ? query['orderBy'] : undefined;
        return answerPage(query, parseProductPage(query), (page) => queries.list(app, { filter, orderBy, page }));
      },
    }),
  ];
}

async function presentUpsert(
  app: AppContext,
  rows: readonly unknown[],
  { outcomes, failedVariants }: UpsertedProducts,
) {
  return {
    products: await runInSlices(mapSteps(plannedOf(outcomes), presentUpsertedProduct)),
    failed: presentFailedRows(failedRows(outcomes), rows, app, (row, key, index) =>
      fieldOfProductError(row, { key, variantIndex: failedVariants.get(index) }, app.decimals),
    ),
  };
}

function presentUpsertedProduct({ product, created, variants }: PlannedProduct) {
  return {
    id: product.id,
    code: product.code,
    created,
    variants: variants.map(({ variant: { id, code, barcode, external_ref }, created: isCreated, matchedBy }) => ({
      id,
      code,
      barcode,
      external_ref,
      created: isCreated,
      matched_by: matchedBy,
    })),
  };
}
