import {
  DETAIL_COLUMNS,
  productEvents,
  type DesiredImage,
  type ProductChanges,
  type ProductDraft,
  type VariantDraft,
} from '@back-office/catalogue';
import { columnsOf } from '@back-office/kernel';
import { publish } from '../events/published-events.js';
import type { State } from '../state.js';
import type { ProductImage, StoredProduct, StoredVariant } from './records.js';
import { deriveColumns, variantsByProduct } from './stored-products.js';

interface WriteContext {
  readonly now: Date;
  readonly libraryKeyOf: (url: string) => string | undefined;
}

export function writeProducts(
  state: State,
  appId: number,
  { products, variants, withImages }: ProductChanges,
  context: WriteContext,
): void {
  const newVariants = variants.filter((draft) => !isKnown(draft));
  const [knownProducts, newProducts] = [products.filter(isKnown), products.filter((draft) => !isKnown(draft))];
  for (const draft of variants.filter(isKnown)) writeVariant(state, appId, draft, context.now);
  for (const draft of products) writeProduct(state, appId, draft, context.now);
  for (const draft of newVariants) writeVariant(state, appId, draft, context.now);
  if (products.length > 0) updateDerivedColumns(state, appId, products);
  for (const draft of withImages) if (draft.replacesImages) removeImages(state, appId, draft);
  for (const draft of withImages) addImages(state, appId, draft, context);
  publish(state, appId, context.now, productEvents(knownProducts, newProducts));
}

function isKnown({ id }: ProductDraft | VariantDraft): boolean {
  return id !== null;
}

function writeVariant({ variants }: State, appId: number, draft: VariantDraft, now: Date): void {
  const { id, code, barcode, external_ref, name, price, vatRate, product } = draft;
  const fields = { code, barcode, external_ref, name, price, vat_rate: vatRate, updated_at: now };
  if (id !== null) {
    variants.put(appId, { ...(variants.get(appId, id) as StoredVariant), ...fields });
    return;
  }
  draft.id = variants.insert(appId, { product_id: product.id as number, ...fields, inserted_at: now }).id;
}

function writeProduct({ products }: State, appId: number, draft: ProductDraft, now: Date): void {
  const { id, code, barcode, slug, name, external_ref } = draft;
  const fields = { code, barcode, slug, name, external_ref, ...columnsOf(draft, DETAIL_COLUMNS), updated_at: now };
  if (id !== null) {
    products.put(appId, { ...(products.get(appId, id) as StoredProduct), ...fields });
    return;
  }
  const newProduct = { ...fields, ...deriveColumns(fields, []), inserted_at: now };
  draft.id = products.insert(appId, newProduct).id;
}

function updateDerivedColumns(state: State, appId: number, changedProducts: readonly ProductDraft[]): void {
  const variants = variantsByProduct(state, appId);
  for (const { id } of changedProducts) {
    const product = state.products.get(appId, id as number) as StoredProduct;
    state.products.put(appId, { ...product, ...deriveColumns(product, variants.get(product.id) ?? []) });
  }
}

function isImageOf(owner: ProductDraft | VariantDraft): (image: ProductImage) => boolean {
  return (image) =>
    'product' in owner
      ? image.product_variant_id === owner.id
      : image.product_id === owner.id && image.product_variant_id === null;
}

export function imagesOf(
  { productImages }: State,
  appId: number,
  owner: ProductDraft | VariantDraft,
): readonly DesiredImage[] {
  const images = productImages.all(appId).filter(isImageOf(owner));
  return images.map(({ image_url: imageUrl, alt }) => ({ imageUrl, alt }));
}

function removeImages({ productImages, usages }: State, appId: number, owner: ProductDraft | VariantDraft): void {
  const entityType = 'product' in owner ? 'product_variant' : 'product';
  for (const { id } of productImages.all(appId).filter(isImageOf(owner))) productImages.delete(appId, id);
  for (const { id, entity_type, entity_id, field } of usages.all(appId))
    if (entity_type === entityType && entity_id === String(owner.id) && field === 'images') usages.delete(appId, id);
}

function addImages(
  { productImages, usages }: State,
  appId: number,
  owner: ProductDraft | VariantDraft,
  { now, libraryKeyOf: keyOf }: WriteContext,
): void {
  const isVariant = 'product' in owner;
  const productId = (isVariant ? owner.product : owner).id as number;
  for (const { imageUrl, alt } of owner.images) {
    productImages.insert(appId, {
      product_id: productId,
      product_variant_id: isVariant ? owner.id : null,
      image_url: imageUrl,
      alt,
      inserted_at: now,
    });
    const key = keyOf(imageUrl);
    if (key === undefined) continue;
    usages.insert(appId, {
      key,
      entity_type: isVariant ? 'product_variant' : 'product',
      entity_id: String(owner.id),
      field: 'images',
      label: null,
      url: imageUrl,
      inserted_at: now,
    });
  }
}
