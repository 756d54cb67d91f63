import type { DesiredImage, ProductDraft, VariantDraft } from '@back-office/catalogue';
import type { Transaction } from '../connection/transaction.js';
import type { Statement } from '../connection/sql.js';
import { ADD_IMAGES, FIND_IMAGES, REMOVE_IMAGES } from './product-statements.js';

type Draft = ProductDraft | VariantDraft;

export type LibraryKeyFinder = (url: string) => string | undefined;

/** Removes the stored images of drafts that replace them, then adds the images of all drafts with their usages. */
export function imageStatements(
  appId: number,
  withImages: readonly Draft[],
  { now, libraryKeyOf }: { readonly now: Date; readonly libraryKeyOf: LibraryKeyFinder },
): Statement[] {
  const owners = withImages.filter(({ replacesImages }) => replacesImages);
  const idsOf = (isVariant: boolean) => owners.filter((owner) => 'product' in owner === isVariant).map(({ id }) => id);
  const images = imageRows(withImages, libraryKeyOf);
  return [
    ...(owners.length > 0 ? [{ text: REMOVE_IMAGES, values: [appId, idsOf(false), idsOf(true)] }] : []),
    ...(images.length > 0 ? [{ text: ADD_IMAGES, values: [appId, JSON.stringify(images), now] }] : []),
  ];
}

interface ImageRow {
  readonly product_id: number;
  readonly product_variant_id: number | null;
  readonly image_url: string;
  readonly alt: string | null;
}

/** Maps each owner to its stored images, in the order of the images. */
export async function findImages(
  transaction: Transaction,
  appId: number,
  owners: readonly Draft[],
): Promise<ReadonlyMap<Draft, readonly DesiredImage[]>> {
  if (owners.length === 0) return new Map();
  const productIds = new Set(owners.map((owner) => ('product' in owner ? owner.product.id : owner.id)));
  const rows = await transaction.rows<ImageRow>(FIND_IMAGES, [appId, [...productIds]]);
  const keyOf = (productId: number | null, variantId: number | null) => `${productId}/${variantId}`;
  const imagesByKey = new Map<string, DesiredImage[]>();
  for (const { product_id, product_variant_id, image_url: imageUrl, alt } of rows) {
    const key = keyOf(product_id, product_variant_id);
    const images = imagesByKey.get(key) ?? [];
    images.push({ imageUrl, alt });
    imagesByKey.set(key, images);
  }
  const keyOfOwner = (owner: Draft) => ('product' in owner ? keyOf(owner.product.id, owner.id) : keyOf(owner.id, null));
  return new Map(owners.map((owner) => [owner, imagesByKey.get(keyOfOwner(owner)) ?? []]));
}

function imageRows(withImages: readonly Draft[], libraryKeyOf: LibraryKeyFinder): object[] {
  return withImages
    .flatMap((owner) => owner.images.map((image) => imageRow(owner, image, libraryKeyOf)))
    .map((row, ordinal) => Object.assign(row, { ordinal }));
}

function imageRow(owner: Draft, { imageUrl, alt }: DesiredImage, libraryKeyOf: LibraryKeyFinder): object {
  const [product, variant] = 'product' in owner ? [owner.product, owner] : [owner, undefined];
  return {
    product_id: product.id,
    product_variant_id: variant?.id,
    image_url: imageUrl,
    alt,
    key: libraryKeyOf(imageUrl),
  };
}
