import { isRow, MAX_STRING_LENGTH, MALFORMED, checkTextField } from '@back-office/kernel';
import { Type } from '@sinclair/typebox';
import { explainVerified, type ProductCodes, type ProductQueries, type VerifiedCodes } from '@back-office/catalogue';
import { parseBulkOptions, EXPLAIN, withExplain, okExplained } from '../http/bulk-options.js';
import { badRequest, fieldErrorsAnswer, type FieldErrors } from '../http/errors.js';
import { orNull, ValidatedByDomain } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { rowsOf } from '../http/row-check.js';
import { integer, listOf, nullable, record, text } from '../http/shapes.js';

const stringSchema = orNull({ type: 'string', maxLength: MAX_STRING_LENGTH });

class VerifyProducts {
  @ValidatedByDomain({
    type: 'array',
    maxItems: 10_000,
    items: { type: 'object', properties: { code: stringSchema, barcode: stringSchema } },
  })
  products?: unknown;
}

const VerifiedCodesShape = record({
  code: nullable(text),
  barcode: nullable(text),
  product_id: Type.Optional(integer),
  product_variant_id: Type.Optional(integer),
});

const CODE_FIELDS = ['code', 'barcode'] as const;

export function verifyRoutes(queries: ProductQueries): Route[] {
  return [
    route({
      method: 'post',
      path: '/product/verify',
      caller: 'app',
      scope: 'catalogue:read',
      summary: 'Finds the product and variant of each code or barcode; case and surrounding spaces are ignored',
      body: VerifyProducts,
      query: EXPLAIN,
      answers: { 200: withExplain(listOf(VerifiedCodesShape)) },
      handle: async ({ app, body, query }) => {
        const { explain } = parseBulkOptions(query);
        const rows = rowsOf(body, 'products');
        const errors = checkCodes(rows);
        if (errors) return fieldErrorsAnswer(errors, app);
        const codes = (rows as readonly Partial<ProductCodes>[]).map(({ code, barcode }) => ({
          code: code ?? null,
          barcode: barcode ?? null,
        }));
        const verifiedCodes = await queries.verify(app.id, codes);
        const data = verifiedCodes.map((result, index) => ({ ...codes[index], ...idsOf(result) }));
        return okExplained(data, explain ? verifiedCodes.map(explainVerified) : undefined);
      },
    }),
  ];
}

/** Returns errors by field path; throws 400 for a value of the wrong type. */
function checkCodes(rows: readonly unknown[]): FieldErrors | undefined {
  const errors: Record<string, string[]> = {};
  for (const [index, row] of rows.entries()) {
    if (!isRow(row)) throw badRequest('Request.WrongType', { row: index });
    for (const field of CODE_FIELDS) {
      const error = checkTextField(row[field], MAX_STRING_LENGTH, false);
      if (error === MALFORMED) throw badRequest('Request.WrongType', { row: index, field });
      if (error !== undefined) errors[`products.${index}.${field}`] = [error];
    }
  }
  return Object.keys(errors).length > 0 ? errors : undefined;
}

function idsOf({ variant, product }: VerifiedCodes) {
  if (variant.record) return { product_id: variant.record.product_id, product_variant_id: variant.record.id };
  return product?.record ? { product_id: product.record.id } : {};
}
