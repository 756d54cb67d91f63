import { explanationOf, MATCHING, matchOf, type Explanation, type Match } from '@back-office/matching';
import type { Database } from '../database/database.js';
import { LooseIndex } from './loose-index.js';

/** What a client wants to know the ids of. */
export interface Named {
  readonly code: string | null;
  readonly barcode: string | null;
}

/** Case and surrounding spaces are left out by the database alone: no two implementations agree on every letter. */
const foldedAll = (texts: string): string => `(
    select json_agg(lower(btrim(sent)) order by place) from unnest(${texts}::text[]) with ordinality as row (sent, place)
  )`;
const foldedOnce = (texts: string): string =>
  `(select distinct lower(btrim(sent)) as folded from unnest(${texts}::text[]) as sent)`;

/**
 * What the rows may name ($2 codes, $3 barcodes, $4 codes of products), by index. Joined, as many texts are: a list that
 * is only known when the statement runs would be gone through for each record.
 */
const FIND = `
  with variant as (
    select v.id from ${foldedOnce('$2')} as sent
    join product_variants v on v.app_id = $1 and lower(v.code) = sent.folded
    union
    select v.id from ${foldedOnce('$3')} as sent
    join product_variants v on v.app_id = $1 and lower(v.barcode) = sent.folded
  )
  select (
    select coalesce(json_agg(json_build_object('id', v.id, 'product_id', v.product_id, 'code', v.code,
      'barcode', v.barcode, 'loose_code', lower(v.code), 'loose_barcode', lower(v.barcode)) order by v.id), '[]')
    from variant join product_variants v on v.app_id = $1 and v.id = variant.id
  ) as variants, (
    select coalesce(json_agg(json_build_object('id', p.id, 'product_id', p.id, 'code', p.code, 'barcode', null,
      'loose_code', sent.folded, 'loose_barcode', null) order by p.id), '[]')
    from ${foldedOnce('$4')} as sent join products p on p.app_id = $1 and lower(btrim(p.code)) = sent.folded
  ) as products,
  coalesce(${foldedAll('$2')}, '[]') as codes, coalesce(${foldedAll('$3')}, '[]') as barcodes,
  coalesce(${foldedAll('$4')}, '[]') as "productCodes"`;

interface FoundRow {
  readonly id: number;
  readonly product_id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly loose_code: string;
  readonly loose_barcode: string | null;
}

interface Found {
  readonly variants: readonly FoundRow[];
  readonly products: readonly FoundRow[];
  /** The texts as the database folds them, in their order. */
  readonly codes: readonly string[];
  readonly barcodes: readonly string[];
  readonly productCodes: readonly string[];
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
  const texts = (['code', 'barcode', 'productCode'] as const).map((field) => [
    ...new Set(wanted.map((row) => row[field])),
  ]);
  const [found] = await database.transaction((transaction) => {
    transaction.expectManyRows();
    return transaction.last<Found>(FIND, [appId, ...texts]);
  });
  return matched(wanted, texts.flat(), found as Found);
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

function matched(rows: readonly Wanted[], texts: readonly string[], found: Found): Verified[] {
  const folded = [...found.codes, ...found.barcodes, ...found.productCodes];
  const foldings = new Map(texts.map((text, place) => [text, folded[place] as string]));
  const codes = new LooseIndex(found.variants, foldings, (row) => [row.code, row.loose_code]);
  const barcodes = new LooseIndex(found.variants, foldings, (row) => [row.barcode, row.loose_barcode]);
  const products = new LooseIndex(found.products, foldings, (row) => [row.code, row.loose_code]);
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
