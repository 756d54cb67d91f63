import { appId, bigint, boolean, identity, integer, jsonb, text, texts, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';

export const PAYMENT_METHODS = defineTable({
  name: 'payment_methods',
  columns: {
    app_id: appId(),
    id: identity(),
    code: text(),
    name: text(),
    kind: text(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    payment_methods_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  uniques: {
    payment_methods_code_key: ['app_id', 'code'],
  },
  checks: {
    payment_methods_kind_check: "kind in ('cash', 'bank_transfer', 'card', 'other')",
  },
});

export const PROMOTIONS = defineTable({
  name: 'promotions',
  columns: {
    app_id: appId(),
    id: identity(),
    code: text(),
    name: text(),
    kind: text(),
    value: bigint(),
    buy_qty: integer().nullable(),
    get_qty: integer().nullable(),
    min_qty: bigint().default(0),
    min_amount: bigint().default(0),
    variant_codes: texts().default([]),
    coupon_code: text().nullable(),
    valid_from: timestamptz().nullable(),
    valid_until: timestamptz().nullable(),
    priority: integer().default(0),
    active: boolean().default(true),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    promotions_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  uniques: {
    promotions_code_key: ['app_id', 'code'],
  },
  checks: {
    promotions_buy_check: 'buy_qty > 0 and get_qty > 0',
    promotions_groups_check: "(kind = 'buy_x_get_y') = (buy_qty is not null and get_qty is not null)",
    promotions_kind_check: "kind in ('percentage', 'amount', 'buy_x_get_y')",
    promotions_min_amount_check: 'min_amount >= 0',
    promotions_min_qty_check: 'min_qty >= 0',
    promotions_share_check: "kind = 'amount' or value <= 10000",
    promotions_value_check: 'value > 0',
  },
  indexes: {
    promotions_active_idx: { columns: ['app_id'], where: 'active' },
  },
});

export const SHIPMENT_METHODS = defineTable({
  name: 'shipment_methods',
  columns: {
    app_id: appId(),
    id: identity(),
    code: text(),
    name: text(),
    price: bigint(),
    vat_rate: integer(),
    free_from: bigint().nullable(),
    requires_pickup_point: boolean().default(false),
    pickup_points: jsonb<unknown>().default([]),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    shipment_methods_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  uniques: {
    shipment_methods_code_key: ['app_id', 'code'],
  },
  checks: {
    shipment_methods_free_from_check: 'free_from >= 0',
    shipment_methods_price_check: 'price >= 0',
    shipment_methods_vat_rate_check: 'vat_rate between 0 and 10000',
  },
});

export const VOUCHERS = defineTable({
  name: 'vouchers',
  columns: {
    app_id: appId(),
    id: identity(),
    code: text(),
    amount: bigint(),
    spent: bigint().default(0),
    customer_id: bigint().nullable(),
    valid_from: timestamptz().nullable(),
    valid_until: timestamptz().nullable(),
    active: boolean().default(true),
    held_by: bigint().nullable(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    vouchers_app_id_fkey: ['apps', { app_id: 'id' }],
    vouchers_customer_fkey: ['customers', { app_id: 'app_id', customer_id: 'id' }],
    vouchers_held_by_fkey: ['proforma_orders', { app_id: 'app_id', held_by: 'id' }],
  },
  uniques: {
    vouchers_code_key: ['app_id', 'code'],
  },
  checks: {
    vouchers_amount_check: 'amount > 0',
    vouchers_spent_check: 'spent between 0 and amount',
  },
  indexes: {
    vouchers_held_by_idx: { columns: ['app_id', 'held_by'], where: 'held_by is not null' },
  },
  sqlIndexes: {
    vouchers_loose_code_idx: 'by an expression',
  },
});
