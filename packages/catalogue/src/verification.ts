import { type Explanation, explanationOf, type Match, MATCHING, matchOf } from '@back-office/matching';
import { LooseIndex } from './loose-index.js';

export interface ProductCodes {
  readonly code: string | null;
  readonly barcode: string | null;
}

export interface CodeHolder {
  readonly id: number;
  readonly product_id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly loose_code: string;
  readonly loose_barcode: string | null;
}

export interface FoundCodes {
  readonly variants: readonly CodeHolder[];
  readonly products: readonly CodeHolder[];
  /** The folded texts, in order. */
  readonly codes: readonly string[];
  readonly barcodes: readonly string[];
  readonly productCodes: readonly string[];
}

export interface VerifiedCodes {
  readonly variant: Match<CodeHolder>;
  /** `undefined` when a variant was found. */
  readonly product: Match<CodeHolder> | undefined;
}

export interface WantedCodes {
  readonly sent: ProductCodes;
  readonly code: string;
  readonly barcode: string;
  readonly productCode: string;
}

/** Codes of variants are stored trimmed, those of products are not. A blank text finds nothing. */
export function wantedCodes(sent: ProductCodes): WantedCodes {
  const { code, barcode } = sent;
  return { sent, code: code?.trim() ?? '', barcode: barcode?.trim() ?? '', productCode: code ?? '' };
}

const ORDER = MATCHING['POST /product/verify'];

/** Matches the rows; `texts` are the texts that were folded, in the order of `found`. */
export function matchCodes(rows: readonly WantedCodes[], texts: readonly string[], found: FoundCodes): VerifiedCodes[] {
  const folded = [...found.codes, ...found.barcodes, ...found.productCodes];
  const foldings = new Map(texts.map((text, index) => [text, folded[index] as string]));
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

export function explainVerified({ variant, product }: VerifiedCodes): Explanation[] {
  return [explanationOf('variant', variant), ...(product ? [explanationOf('product', product)] : [])];
}
