import type { FailedCount } from '@back-office/stock';
import { appId, bigint, boolean, identity, integer, jsonb, text, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';

export const WAREHOUSES = defineTable({
  name: 'warehouses',
  columns: {
    app_id: appId(),
    id: identity(),
    code: text().nullable(),
    name: text(),
    address_line_1: text(),
    city: text(),
    postcode: text(),
    market_id: integer(),
    sellable: boolean().default(true),
    deleted_at: timestamptz().nullable(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    warehouses_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  indexes: {
    warehouses_code_key: { columns: ['app_id', 'code'], unique: true, where: 'deleted_at is null' },
  },
});

export const STOCKS = defineTable({
  name: 'stocks',
  columns: {
    app_id: appId(),
    id: identity(),
    product_variant_id: bigint(),
    warehouse_id: bigint(),
    on_hand: bigint().default(0),
    reserved: bigint().default(0),
    min_qty: bigint().default(0),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    stocks_variant_fkey: ['product_variants', { app_id: 'app_id', product_variant_id: 'id' }],
    stocks_warehouse_fkey: ['warehouses', { app_id: 'app_id', warehouse_id: 'id' }],
  },
  uniques: {
    stocks_place_key: ['app_id', 'product_variant_id', 'warehouse_id'],
  },
  checks: {
    stocks_min_qty_check: 'min_qty >= 0',
    stocks_on_hand_check: 'on_hand >= 0',
    stocks_reserved_check: 'reserved >= 0',
  },
  indexes: {
    stocks_updated_idx: ['app_id', 'updated_at', 'id'],
    stocks_warehouse_idx: ['app_id', 'warehouse_id'],
  },
});

export const STOCK_MOVEMENTS = defineTable({
  name: 'stock_movements',
  columns: {
    app_id: appId(),
    id: identity(),
    warehouse_id: bigint(),
    kind: text(),
    reference: text().nullable(),
    booked_at: timestamptz(),
  },
  foreignKeys: {
    stock_movements_warehouse_fkey: ['warehouses', { app_id: 'app_id', warehouse_id: 'id' }],
  },
  checks: {
    stock_movements_kind_check: "kind in ('adjust', 'reconcile', 'reserve', 'release', 'ship')",
  },
  indexes: {
    stock_movements_booked_idx: ['app_id', 'booked_at', 'id'],
  },
});

export const STOCK_MOVEMENT_LINES = defineTable({
  name: 'stock_movement_lines',
  columns: {
    app_id: appId(),
    id: identity(),
    movement_id: bigint(),
    product_variant_id: bigint(),
    qty: bigint(),
  },
  foreignKeys: {
    stock_movement_lines_movement_fkey: ['stock_movements', { app_id: 'app_id', movement_id: 'id' }],
    stock_movement_lines_variant_fkey: ['product_variants', { app_id: 'app_id', product_variant_id: 'id' }],
  },
  checks: {
    stock_movement_lines_qty_check: 'qty <> 0',
  },
  indexes: {
    stock_movement_lines_movement_idx: ['app_id', 'movement_id'],
  },
});

export const STOCK_REFERENCES = defineTable({
  name: 'stock_references',
  columns: {
    app_id: appId(),
    reference: text().primary(),
    content_hash: text(),
    updated: integer().default(0),
    failed: jsonb<readonly FailedCount[]>().default([]),
    movement_ids: jsonb<readonly number[]>().default([]),
    booked_at: timestamptz(),
  },
  foreignKeys: {
    stock_references_app_id_fkey: ['apps', { app_id: 'id' }],
  },
});

export const STOCK_RESERVATIONS = defineTable({
  name: 'stock_reservations',
  columns: {
    app_id: appId(),
    proforma_item_id: bigint().primary(),
    product_variant_id: bigint(),
    warehouse_id: bigint(),
    qty: bigint(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    stock_reservations_item_fkey: ['proforma_items', { app_id: 'app_id', proforma_item_id: 'id' }],
    stock_reservations_stock_fkey: [
      'stocks',
      { app_id: 'app_id', product_variant_id: 'product_variant_id', warehouse_id: 'warehouse_id' },
    ],
  },
  checks: {
    stock_reservations_qty_check: 'qty > 0',
  },
  indexes: {
    stock_reservations_place_idx: ['app_id', 'product_variant_id', 'warehouse_id'],
  },
});
