import { valuesOf } from '../database/bulk.js';
import type { Sql } from '../database/database.js';

const FIND = `
  select id, product_id, code, barcode, external_ref from product_variants
  where app_id = $1 and (code = any($2::text[]) or barcode = any($3::text[]) or external_ref = any($4::text[]))`;

const IDENTIFIERS = ['code', 'barcode', 'external_ref'] as const;

type Named = { readonly [Name in (typeof IDENTIFIERS)[number]]?: string | null | undefined };

export interface NamedVariant {
  readonly id: number;
  readonly product_id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly external_ref: string | null;
}

/** Every variant that the rows may name, whatever identifier the call then tries first. */
export function findVariants(sql: Sql, appId: number, rows: readonly Named[]): Promise<NamedVariant[]> {
  return sql.rows<NamedVariant>(FIND, [appId, ...IDENTIFIERS.map((name) => valuesOf(rows, name))]);
}
