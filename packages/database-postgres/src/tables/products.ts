import { appId, bigint, boolean, identity, integer, text, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';

export const PRODUCTS = defineTable({
  name: 'products',
  columns: {
    app_id: appId(),
    id: identity(),
    code: text(),
    barcode: text().nullable(),
    external_ref: text().nullable(),
    name: text(),
    slug: text(),
    description: text().nullable(),
    vat_rate: integer().nullable(),
    price: bigint().nullable(),
    lowest_price: bigint().nullable(),
    active: boolean().default(true),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
    search_name: text().default(''),
    search_all: text().default(''),
  },
  foreignKeys: {
    products_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  deferrableUniques: {
    products_external_ref_key: ['app_id', 'external_ref'],
    products_barcode_key: ['app_id', 'barcode'],
    products_code_key: ['app_id', 'code'],
    products_slug_key: ['app_id', 'slug'],
  },
  checks: {
    products_price_check: 'price >= 0',
    products_vat_rate_check: 'vat_rate between 0 and 10000',
  },
  indexes: {
    products_inserted_at_idx: ['app_id', 'inserted_at', 'id'],
    products_lowest_price_idx: ['app_id', 'lowest_price', 'id'],
    products_name_idx: ['app_id', 'search_name', 'id'],
    products_updated_idx: ['app_id', 'updated_at', 'id'],
  },
  sqlIndexes: {
    products_loose_barcode_idx: 'by an expression',
    products_loose_code_idx: 'by an expression',
    products_search_all_idx: 'by letter triples',
    products_search_name_idx: 'by letter triples',
  },
});

export const VARIANTS = defineTable({
  name: 'product_variants',
  columns: {
    app_id: appId(),
    id: identity(),
    product_id: bigint(),
    code: text().nullable(),
    barcode: text().nullable(),
    external_ref: text().nullable(),
    name: text().nullable(),
    price: bigint().nullable(),
    vat_rate: integer().nullable(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    product_variants_product_fkey: ['products', { app_id: 'app_id', product_id: 'id' }],
  },
  deferrableUniques: {
    product_variants_barcode_key: ['app_id', 'barcode'],
    product_variants_code_key: ['app_id', 'code'],
    product_variants_external_ref_key: ['app_id', 'external_ref'],
  },
  checks: {
    product_variants_price_check: 'price >= 0',
    product_variants_vat_rate_check: 'vat_rate between 0 and 10000',
  },
  indexes: {
    product_variants_price_idx: { columns: ['app_id', 'price', 'product_id'], where: 'price is not null' },
    product_variants_product_idx: ['app_id', 'product_id', 'id'],
  },
  sqlIndexes: {
    product_variants_loose_barcode_idx: 'by an expression',
    product_variants_loose_code_idx: 'by an expression',
  },
});

export const PRODUCT_IMAGES = defineTable({
  name: 'product_images',
  columns: {
    app_id: appId(),
    id: identity(),
    product_id: bigint(),
    product_variant_id: bigint().nullable(),
    image_url: text(),
    alt: text().nullable(),
    inserted_at: timestamptz(),
  },
  foreignKeys: {
    product_images_product_fkey: ['products', { app_id: 'app_id', product_id: 'id' }],
    product_images_variant_fkey: ['product_variants', { app_id: 'app_id', product_variant_id: 'id' }],
  },
  indexes: {
    product_images_product_idx: ['app_id', 'product_id', 'id'],
    product_images_variant_idx: {
      columns: ['app_id', 'product_variant_id', 'id'],
      where: 'product_variant_id is not null',
    },
  },
});

export const PRODUCT_SALES = defineTable({
  name: 'product_sales',
  columns: {
    app_id: appId(),
    product_id: bigint().primary(),
    quantity: bigint(),
  },
  foreignKeys: {
    product_sales_product_fkey: ['products', { app_id: 'app_id', product_id: 'id' }],
  },
  checks: {
    product_sales_quantity_check: 'quantity >= 0',
  },
});

export const ATTRIBUTE_DEFINITIONS = defineTable({
  name: 'product_attribute_defs',
  columns: {
    app_id: appId(),
    id: identity(),
    external_ref: text(),
    code: text().nullable(),
    name: text(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    product_attribute_defs_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  uniques: {
    product_attribute_defs_code_key: ['app_id', 'code'],
    product_attribute_defs_external_ref_key: ['app_id', 'external_ref'],
  },
});

export const PRODUCT_ATTRIBUTES = defineTable({
  name: 'product_attributes',
  columns: {
    app_id: appId(),
    product_id: bigint().primary(),
    product_attribute_def_id: bigint().primary(),
    value: text(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    product_attributes_def_fkey: ['product_attribute_defs', { app_id: 'app_id', product_attribute_def_id: 'id' }],
    product_attributes_product_fkey: ['products', { app_id: 'app_id', product_id: 'id' }],
  },
  indexes: {
    product_attributes_def_idx: ['app_id', 'product_attribute_def_id'],
  },
});
