import { type Explanation, explanationOf, type Match, MATCHING, matchOf } from '@back-office/matching';
import { CaseInsensitiveIndex } from './loose-index.js';

export interface ProductCodes {
  readonly code: string | null;
  readonly barcode: string | null;
}

export interface CodeHolder {
  readonly id: number;
  readonly product_id: number;
  readonly code: string | null;
  readonly barcode: string | null;
  readonly loose_code: string | null;
  readonly loose_barcode: string | null;
}

export interface FoundCodes {
  readonly variants: readonly CodeHolder[];
  readonly products: readonly CodeHolder[];
  readonly codes: readonly string[];
  readonly barcodes: readonly string[];
  readonly productCodes: readonly string[];
}

export interface VerifiedCodes {
  readonly variant: Match<CodeHolder>;
  /** Is `undefined` when a variant was found. */
  readonly product: Match<CodeHolder> | undefined;
}

export interface SearchedCodes {
  readonly sentCodes: ProductCodes;
  readonly code: string;
  readonly barcode: string;
  readonly productCode: string;
}

/**
 * Trims codes and barcodes of variants, but not codes of products, which are stored untrimmed. A blank text matches no
 * code.
 */
export function searchedCodesOf(sentCodes: ProductCodes): SearchedCodes {
  const { code, barcode } = sentCodes;
  return { sentCodes, code: code?.trim() ?? '', barcode: barcode?.trim() ?? '', productCode: code ?? '' };
}

const IDENTIFIER_ORDER = MATCHING['POST /product/verify'];

/**
 * Matches each row with its variant or product. `texts` lists the searched texts in the order in which `foundCodes`
 * lists their folded forms.
 */
export function matchCodes(
  rows: readonly SearchedCodes[],
  texts: readonly string[],
  foundCodes: FoundCodes,
): VerifiedCodes[] {
  const foldedTexts = [...foundCodes.codes, ...foundCodes.barcodes, ...foundCodes.productCodes];
  const foldings = new Map(texts.map((text, index) => [text, foldedTexts[index] as string]));
  const codes = new CaseInsensitiveIndex(foundCodes.variants, foldings, (row) => [row.code, row.loose_code]);
  const barcodes = new CaseInsensitiveIndex(foundCodes.variants, foldings, (row) => [row.barcode, row.loose_barcode]);
  const products = new CaseInsensitiveIndex(foundCodes.products, foldings, (row) => [row.code, row.loose_code]);
  const productBarcodes = new CaseInsensitiveIndex(foundCodes.products, foldings, (row) => [
    row.barcode,
    row.loose_barcode,
  ]);
  return rows.map(({ sentCodes, code, barcode, productCode }) => {
    const variant = matchOf(IDENTIFIER_ORDER.variant, sentCodes, (identifier) =>
      identifier === 'code' ? codes.find(code) : barcodes.find(barcode),
    );
    if (variant.record !== undefined) return { variant, product: undefined };
    const product = matchOf(IDENTIFIER_ORDER.product, sentCodes, (identifier) =>
      identifier === 'code' ? products.find(productCode) : productBarcodes.find(barcode),
    );
    return { variant, product };
  });
}

export function explainVerified({ variant, product }: VerifiedCodes): Explanation[] {
  return [explanationOf('variant', variant), ...(product ? [explanationOf('product', product)] : [])];
}
