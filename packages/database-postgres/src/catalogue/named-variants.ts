import type { NamedVariant } from '@back-office/catalogue';
import { valuesOf } from '../connection/bulk.js';
import type { Sql } from '../connection/sql.js';

const FIND_VARIANTS = `
  select id, product_id, code, barcode, external_ref from product_variants
  where app_id = $1 and (code = any($2::text[]) or barcode = any($3::text[]) or external_ref = any($4::text[]))`;

const IDENTIFIERS = ['code', 'barcode', 'external_ref'] as const;

type Identifiers = { readonly [Name in (typeof IDENTIFIERS)[number]]?: string | null | undefined };

export function findVariants(sql: Sql, appId: number, rows: readonly Identifiers[]): Promise<NamedVariant[]> {
  return sql.rows<NamedVariant>(FIND_VARIANTS, [appId, ...IDENTIFIERS.map((name) => valuesOf(rows, name))]);
}
