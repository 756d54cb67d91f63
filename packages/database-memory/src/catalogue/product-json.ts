import { PRODUCT_FIELDS, type AttributeDefinition, type RequestingApp } from '@back-office/catalogue';
import { formatDateTime, fromMinor, pick, sum } from '@back-office/kernel';
import { groupBy, sortBy } from '../lists.js';
import type { State } from '../state.js';
import { availableOf } from '../stock/shelves.js';
import type { StoredStock } from '../stock/records.js';
import type { ProductAttribute, ProductImage, StoredProduct, StoredVariant } from './records.js';
import { variantsByProduct } from './stored-products.js';

type ImageOwner = Pick<ProductImage, 'product_id' | 'product_variant_id'>;

export function productPresenter(
  state: State,
  { id: appId, decimals }: RequestingApp,
): (product: StoredProduct) => object {
  const variants = variantsByProduct(state, appId);
  const images = groupBy(state.productImages.all(appId), imageKey);
  const attributes = groupBy(state.productAttributes.all(appId), (attribute) => attribute.product_id);
  const stocks = groupBy(state.stocks.all(appId), (row) => row.product_variant_id);
  const amount = (minorUnits: number | null) => (minorUnits === null ? null : fromMinor(minorUnits, decimals));
  const presentImages = (productId: number, variantId: number | null) =>
    (images.get(imageKey({ product_id: productId, product_variant_id: variantId })) ?? []).map(
      ({ image_url, alt }) => ({
        image_url,
        alt,
      }),
    );
  const presentVariant = (variant: StoredVariant, { price }: StoredProduct): object => ({
    id: variant.id,
    code: variant.code,
    barcode: variant.barcode,
    external_ref: variant.external_ref,
    name: variant.name,
    price: amount(variant.price ?? price),
    images: presentImages(variant.product_id, variant.id),
    stock: sumsOf(state, appId, stocks.get(variant.id) ?? []),
  });
  const computeFields = (product: StoredProduct) => ({
    vat_rate: product.vat_rate === null ? null : fromMinor(product.vat_rate, 2),
    price: amount(product.price),
    lowest_price: amount(product.lowest_price),
    sales_quantity: state.productSales.get(appId, product.id)?.quantity ?? 0,
    images: presentImages(product.id, null),
    attributes: presentAttributes(state, appId, attributes.get(product.id) ?? []),
    variants: (variants.get(product.id) ?? []).map((variant) => presentVariant(variant, product)),
    inserted_at: formatDateTime(product.inserted_at),
    updated_at: formatDateTime(product.updated_at),
  });
  return (product) => pick({ ...product, ...computeFields(product) }, PRODUCT_FIELDS);
}

function imageKey({ product_id: productId, product_variant_id: variantId }: ImageOwner): string {
  return `${productId}/${variantId}`;
}

function presentAttributes(
  { attributeDefinitions }: State,
  appId: number,
  productAttributes: readonly ProductAttribute[],
): object[] {
  const sortedAttributes = sortBy(productAttributes, [(attribute) => attribute.product_attribute_def_id]);
  return sortedAttributes.map(({ product_attribute_def_id: id, value }) => {
    const definition = attributeDefinitions.get(appId, id) as AttributeDefinition;
    return { ...pick(definition, ['external_ref', 'code', 'name']), value };
  });
}

function sumsOf(state: State, appId: number, rows: readonly StoredStock[]): object {
  return {
    on_hand: sum(rows.map((row) => row.on_hand)),
    reserved: sum(rows.map((row) => row.reserved)),
    available: sum(rows.map((row) => availableOf(row, state.warehouses.get(appId, row.warehouse_id)))),
  };
}
