import {
  matchCodes,
  searchedCodesOf,
  type FoundCodes,
  type ProductCodes,
  type VerifiedCodes,
} from '@back-office/catalogue';
import type { Postgres } from '../connection/postgres.js';

// Folds the sent codes in PostgreSQL, because JavaScript folds some letters differently.
const foldedListSql = (texts: string): string => `(
    select json_agg(lower(btrim(sent)) order by ordinal) from unnest(${texts}::text[]) with ordinality as row (sent, ordinal)
  )`;
const distinctFoldedSql = (texts: string): string =>
  `(select distinct lower(btrim(sent)) as folded from unnest(${texts}::text[]) as sent)`;

// Parameters: $2 codes, $3 barcodes, $4 product codes. Joins avoid a scan of the lists for each row.
const FIND_BY_CODES = `
  with variant as (
    select v.id from ${distinctFoldedSql('$2')} as sent
    join product_variants v on v.app_id = $1 and lower(v.code) = sent.folded
    union
    select v.id from ${distinctFoldedSql('$3')} as sent
    join product_variants v on v.app_id = $1 and lower(v.barcode) = sent.folded
  ), product as (
    select p.id from ${distinctFoldedSql('$4')} as sent
    join products p on p.app_id = $1 and lower(btrim(p.code)) = sent.folded
    union
    select p.id from ${distinctFoldedSql('$3')} as sent
    join products p on p.app_id = $1 and lower(p.barcode) = sent.folded
  )
  select (
    select coalesce(json_agg(json_build_object('id', v.id, 'product_id', v.product_id, 'code', v.code,
      'barcode', v.barcode, 'loose_code', lower(v.code), 'loose_barcode', lower(v.barcode)) order by v.id), '[]')
    from variant join product_variants v on v.app_id = $1 and v.id = variant.id
  ) as variants, (
    select coalesce(json_agg(json_build_object('id', p.id, 'product_id', p.id, 'code', p.code, 'barcode', p.barcode,
      'loose_code', lower(btrim(p.code)), 'loose_barcode', lower(p.barcode)) order by p.id), '[]')
    from product join products p on p.app_id = $1 and p.id = product.id
  ) as products,
  coalesce(${foldedListSql('$2')}, '[]') as codes, coalesce(${foldedListSql('$3')}, '[]') as barcodes,
  coalesce(${foldedListSql('$4')}, '[]') as "productCodes"`;

export async function verifyCodes(
  database: Postgres,
  appId: number,
  rows: readonly ProductCodes[],
): Promise<VerifiedCodes[]> {
  const searchedCodes = rows.map(searchedCodesOf);
  const texts = (['code', 'barcode', 'productCode'] as const).map((field) => [
    ...new Set(searchedCodes.map((row) => row[field])),
  ]);
  const [foundCodes] = await database.transaction((transaction) => {
    transaction.expectManyRows();
    return transaction.runLast<FoundCodes>(FIND_BY_CODES, [appId, ...texts]);
  });
  return matchCodes(searchedCodes, texts.flat(), foundCodes as FoundCodes);
}
