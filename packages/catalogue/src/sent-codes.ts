import type { FoundRecord } from '@back-office/matching';
import type { DesiredVariant } from './desired-product.js';
import type { VariantDraft } from './product-drafts.js';
import { isFilled } from './product-fields.js';
import { RowRefusal } from './row-refusal.js';

/** The codes that the rows of a call have sent for each variant. */
export class SentCodes {
  private readonly codes = new Map<VariantDraft, string>();

  /**
   * Throws a {@link RowRefusal} if an earlier row has sent another code for the variant. Two variants of one call with
   * different codes are different, although they share a barcode or reference.
   */
  check({ identifier, record }: FoundRecord<VariantDraft>, { code }: DesiredVariant): void {
    const sentCode = this.codes.get(record);
    if (identifier === 'code' || sentCode === undefined || !isFilled(code) || code.trim() === sentCode) return;
    throw RowRefusal.of(`API.Products.${identifier === 'barcode' ? 'Barcode' : 'ExternalRef'}AlreadyExists`);
  }

  /** Returns a function that undoes this. These functions must be called in reverse order. */
  add(variant: VariantDraft, { code }: DesiredVariant): () => void {
    if (!isFilled(code)) return () => {};
    const previousCode = this.codes.get(variant);
    this.codes.set(variant, code.trim());
    return () => void (previousCode === undefined ? this.codes.delete(variant) : this.codes.set(variant, previousCode));
  }
}
