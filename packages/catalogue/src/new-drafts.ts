import type { DesiredProduct, DesiredVariant } from './desired-product.js';
import { noImages, type ProductDraft, type VariantDraft } from './product-drafts.js';
import { defaultDetails, isFilled } from './product-fields.js';
import { RowRefusal } from './row-refusal.js';

/**
 * Begins with a field, because V8 gives each object of a literal like `{ ...a, b }` a shape of its own. Throws a
 * {@link RowRefusal} without a code or name.
 */
export function newProduct(
  { code, name }: DesiredProduct,
  slugOf: (name: string, code: string) => string,
): ProductDraft {
  if (!isFilled(code)) throw RowRefusal.of('API.Products.CodeCantBeBlank');
  if (!isFilled(name)) throw RowRefusal.of('API.Products.NameCantBeBlank');
  const slug = slugOf(name, code);
  const others = { barcode: null, external_ref: null, isChanged: false };
  return { id: null, code, slug, name, ...others, ...defaultDetails(), ...noImages() };
}

/** Throws a {@link RowRefusal} without a code, barcode or reference. */
export function newVariant(product: ProductDraft, { code, barcode, external_ref }: DesiredVariant): VariantDraft {
  if (![code, barcode, external_ref].some(isFilled)) throw RowRefusal.of('API.Products.CodeCantBeBlank');
  const emptyFields = { barcode: null, external_ref: null, name: null, price: null, vatRate: null, isChanged: false };
  return { id: null, product, code: isFilled(code) ? code.trim() : null, ...emptyFields, ...noImages() };
}
