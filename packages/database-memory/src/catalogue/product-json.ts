import { PRODUCT_FIELDS, type RequestingApp } from '@back-office/catalogue';
import { formatDateTime, fromMinor, pick, sum } from '@back-office/kernel';
import { groupBy } from '../lists.js';
import type { State } from '../state.js';
import { availableOf } from '../stock/shelves.js';
import type { StoredStock } from '../stock/records.js';
import type { StoredProduct, StoredVariant } from './records.js';
import { variantsByProduct } from './stored-products.js';

export function productPresenter(
  state: State,
  { id: appId, decimals }: RequestingApp,
): (product: StoredProduct) => object {
  const variants = variantsByProduct(state, appId);
  const images = groupBy(state.productImages.all(appId), (image) => image.product_id);
  const stocks = groupBy(state.stocks.all(appId), (row) => row.product_variant_id);
  const amount = (minorUnits: number | null) => (minorUnits === null ? null : fromMinor(minorUnits, decimals));
  const presentVariant = (variant: StoredVariant, { price }: StoredProduct): object => ({
    id: variant.id,
    code: variant.code,
    barcode: variant.barcode,
    external_ref: variant.external_ref,
    name: variant.name,
    price: amount(variant.price ?? price),
    stock: sumsOf(state, appId, stocks.get(variant.id) ?? []),
  });
  const computeFields = (product: StoredProduct) => ({
    vat_rate: product.vat_rate === null ? null : fromMinor(product.vat_rate, 2),
    price: amount(product.price),
    lowest_price: amount(product.lowest_price),
    sales_quantity: state.productSales.get(appId, product.id)?.quantity ?? 0,
    images: (images.get(product.id) ?? []).map(({ image_url, alt }) => ({ image_url, alt })),
    variants: (variants.get(product.id) ?? []).map((variant) => presentVariant(variant, product)),
    inserted_at: formatDateTime(product.inserted_at),
    updated_at: formatDateTime(product.updated_at),
  });
  return (product) => pick({ ...product, ...computeFields(product) }, PRODUCT_FIELDS);
}

function sumsOf(state: State, appId: number, rows: readonly StoredStock[]): object {
  return {
    on_hand: sum(rows.map((row) => row.on_hand)),
    reserved: sum(rows.map((row) => row.reserved)),
    available: sum(rows.map((row) => availableOf(row, state.warehouses.get(appId, row.warehouse_id)))),
  };
}
