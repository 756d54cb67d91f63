import { explanationOf, MATCHING, matchOf, type Explanation, type Match } from '@back-office/matching';
import type { Database } from '../database/database.js';
import { LooseIndex, looseForms } from './loose-index.js';

/** What a client wants to know the ids of. */
export interface Named {
  readonly code: string | null;
  readonly barcode: string | null;
}

/** Everything that a row may name, by index: as it is written ($2, $4, $6), or but for case ($3, $5, $7). */
const FIND = `
  select 'variant' as kind, id, product_id, code, barcode, lower(code) as loose_code, lower(barcode) as loose_barcode
  from product_variants
  where app_id = $1
    and (code = any($2::text[]) or lower(code) = any($3::text[]) or barcode = any($4::text[]) or lower(barcode) = any($5::text[]))
  union all
  select 'product', id, id, code, null, lower(btrim(code)), null from products
  where app_id = $1 and (code = any($6::text[]) or lower(btrim(code)) = any($7::text[]))
  order by id`;

interface FoundRow {
  readonly kind: 'variant' | 'product';
  readonly id: number;
  readonly product_id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly loose_code: string;
  readonly loose_barcode: string | null;
}

/** What a row names: a variant, or else a product, or neither. */
export interface Verified {
  readonly variant: Match<FoundRow>;
  /** Looked for only where no variant was found. */
  readonly product: Match<FoundRow> | undefined;
}

/** Looks all rows up with one statement, planned for them, and matches them in the order of the matching table. */
export async function verifyRows(database: Database, appId: number, rows: readonly Named[]): Promise<Verified[]> {
  const wanted = rows.map(wantedOf);
  const values = (['code', 'barcode', 'productCode'] as const).flatMap((field) => {
    const texts = new Set(wanted.map((row) => row[field]));
    return [[...texts], [...new Set([...texts].flatMap(looseForms))]];
  });
  const found = await database.transaction((transaction) => {
    transaction.expectManyRows();
    return transaction.last<FoundRow>(FIND, [appId, ...values]);
  });
  return matched(wanted, found);
}

interface Wanted {
  readonly sent: Named;
  readonly code: string;
  readonly barcode: string;
  readonly productCode: string;
}

/** Variants are trimmed when they are stored; products are not. No stored text is blank, so that a blank one finds none. */
function wantedOf(sent: Named): Wanted {
  const { code, barcode } = sent;
  return { sent, code: code?.trim() ?? '', barcode: barcode?.trim() ?? '', productCode: code ?? '' };
}

const ORDER = MATCHING['POST /product/verify'];

function matched(rows: readonly Wanted[], found: readonly FoundRow[]): Verified[] {
  const variants = found.filter(({ kind }) => kind === 'variant');
  const codes = new LooseIndex(variants, (row) => [row.code, row.loose_code]);
  const barcodes = new LooseIndex(variants, (row) => [row.barcode, row.loose_barcode]);
  const products = new LooseIndex(
    found.filter(({ kind }) => kind === 'product'),
    (row) => [row.code, row.loose_code],
  );
  return rows.map(({ sent, code, barcode, productCode }) => {
    const variant = matchOf(ORDER.variant, sent, (identifier) =>
      identifier === 'code' ? codes.find(code) : barcodes.find(barcode),
    );
    if (variant.record !== undefined) return { variant, product: undefined };
    return { variant, product: matchOf(ORDER.product, sent, () => products.find(productCode)) };
  });
}

export function explainVerified({ variant, product }: Verified): Explanation[] {
  return [explanationOf('variant', variant), ...(product ? [explanationOf('product', product)] : [])];
}
