import { LONGEST_STRING } from '@back-office/kernel';
import { Type } from '@sinclair/typebox';
import type { Database } from '../database/database.js';
import { bulkOptions, EXPLAIN, explainable, okExplained } from '../http/bulk-options.js';
import { fieldErrorsAnswer, HttpProblem, type FieldErrors } from '../http/errors.js';
import { MALFORMED, orNull, Unjudged } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { isRow, rowsOf, wrongText } from '../http/row-check.js';
import { integer, listOf, nullable, record, text } from '../http/shapes.js';
import { explainVerified, verifyRows, type Named, type Verified } from './verify.query.js';

const string = orNull({ type: 'string', maxLength: LONGEST_STRING });

class VerifyProducts {
  @Unjudged({
    type: 'array',
    maxItems: 10_000,
    items: { type: 'object', properties: { code: string, barcode: string } },
  })
  products?: unknown;
}

const VerifiedShape = record({
  code: nullable(text),
  barcode: nullable(text),
  product_id: Type.Optional(integer),
  product_variant_id: Type.Optional(integer),
});

const FIELDS = ['code', 'barcode'] as const;

export function verifyRoutes(database: Database): Route[] {
  return [
    route({
      method: 'post',
      path: '/product/verify',
      caller: 'app',
      summary: 'Which product and variant each code or barcode names, whatever its case and the spaces around it',
      body: VerifyProducts,
      query: EXPLAIN,
      answers: { 200: explainable(listOf(VerifiedShape)) },
      handle: async ({ app, body, query }) => {
        const { explain } = bulkOptions(query);
        const rows = rowsOf(body, 'products');
        const broken = brokenFields(rows);
        if (broken) return fieldErrorsAnswer(broken, app);
        const named = (rows as readonly Partial<Named>[]).map(({ code, barcode }) => ({
          code: code ?? null,
          barcode: barcode ?? null,
        }));
        const verified = await verifyRows(database, app.id, named);
        const data = verified.map((each, place) => ({ ...named[place], ...idsOf(each) }));
        return okExplained(data, explain ? verified.map(explainVerified) : undefined);
      },
    }),
  ];
}

/** The texts that nothing can have, by their paths. A value of another type makes the whole request unreadable. */
function brokenFields(rows: readonly unknown[]): FieldErrors | undefined {
  const broken: Record<string, string[]> = {};
  for (const [place, row] of rows.entries()) {
    if (!isRow(row)) throw new HttpProblem(400);
    for (const field of FIELDS) {
      const wrong = wrongText(row[field], LONGEST_STRING, false);
      if (wrong === MALFORMED) throw new HttpProblem(400);
      if (wrong !== undefined) broken[`products.${place}.${field}`] = [wrong];
    }
  }
  return Object.keys(broken).length > 0 ? broken : undefined;
}

function idsOf({ variant, product }: Verified) {
  if (variant.record) return { product_id: variant.record.product_id, product_variant_id: variant.record.id };
  return product?.record ? { product_id: product.record.id } : {};
}
