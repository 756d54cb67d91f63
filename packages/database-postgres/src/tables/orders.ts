import { DELIVERY_STATUSES, ORDER_STATUSES, PAYMENT_STATUSES, type Shipment } from '@back-office/orders';
import { appId, bigint, identity, integer, jsonb, smallint, text, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';
import { BUYER_COLUMNS, fees, LINE_COLUMNS, TERM_COLUMNS, TOTAL_COLUMNS } from './sale-columns.js';

export const ORDERS = defineTable({
  name: 'orders',
  columns: {
    app_id: appId(),
    id: identity(),
    data_part: smallint(),
    time_part: integer(),
    order_number: text(),
    external_ref: text().nullable(),
    order_date: timestamptz(),
    invoice_number: text().nullable(),
    order_status_id: smallint().default(1),
    payment_status_id: smallint(),
    delivery_status_id: smallint().default(1),
    ...BUYER_COLUMNS,
    app_location_id: bigint().nullable(),
    ...TERM_COLUMNS,
    fees: fees(),
    ...TOTAL_COLUMNS,
    paid: bigint().default(0),
    debt: bigint(),
    proforma_order_id: bigint().nullable(),
    proforma_number: text().nullable(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
    search_text: text()
      .nullable()
      .generatedAs(
        "folded_for_people(((((((((((((((order_number || ' '::text) || COALESCE(invoice_number, ''::text)) || ' '::text) || COALESCE(customer_first_name, ''::text)) || ' '::text) || COALESCE(customer_last_name, ''::text)) || ' '::text) || COALESCE(customer_email, ''::text)) || ' '::text) || COALESCE(customer_phone, ''::text)) || chr(10)) || COALESCE(customer_last_name, ''::text)) || ' '::text) || COALESCE(customer_first_name, ''::text)))",
      ),
    shipped_at: timestamptz().nullable(),
    tracking: jsonb<readonly Shipment[]>().default([]),
  },
  foreignKeys: {
    orders_app_id_fkey: ['apps', { app_id: 'id' }],
    orders_customer_fkey: ['customers', { app_id: 'app_id', customer_id: 'id' }],
    orders_location_fkey: ['app_locations', { app_id: 'app_id', app_location_id: 'id' }],
    orders_proforma_fkey: ['proforma_orders', { app_id: 'app_id', proforma_order_id: 'id' }],
  },
  uniques: {
    orders_order_number_key: ['app_id', 'order_number'],
    orders_proforma_key: ['app_id', 'proforma_order_id'],
  },
  checks: {
    orders_check: 'discount between 0 and sales',
    orders_data_part_check: 'data_part between 1 and 64',
    orders_debt_check: 'debt = greatest(end_sales - paid, 0)',
    orders_delivery_status_id_check: `delivery_status_id between 1 and ${DELIVERY_STATUSES.length}`,
    orders_order_status_id_check: `order_status_id between 1 and ${ORDER_STATUSES.length}`,
    orders_paid_check: 'paid >= 0',
    orders_payment_status_id_check: `payment_status_id between 1 and ${PAYMENT_STATUSES.length}`,
    orders_sales_check: 'sales >= 0',
    orders_time_part_check: 'time_part >= 0',
    orders_totals_check: 'end_sales = sales - discount and end_sales = net_sales + vat',
    orders_vat_check: 'vat >= 0',
  },
  indexes: {
    orders_date_idx: ['app_id', 'order_date', 'id'],
    orders_external_ref_key: { columns: ['app_id', 'external_ref'], where: 'external_ref is not null', unique: true },
    orders_updated_idx: ['app_id', 'updated_at', 'id'],
  },
  sqlIndexes: {
    orders_customer_idx: 'newest first',
    orders_location_idx: 'newest first',
    orders_name_idx: 'by an expression',
    orders_search_idx: 'by letter triples',
  },
});

export const ORDER_ITEMS = defineTable({
  name: 'order_items',
  columns: {
    app_id: appId(),
    id: identity(),
    order_id: bigint(),
    ...LINE_COLUMNS,
    proforma_item_id: bigint().nullable(),
    vat_rate: integer().nullable(),
    warehouse_id: bigint().nullable(),
  },
  foreignKeys: {
    order_items_order_fkey: ['orders', { app_id: 'app_id', order_id: 'id' }],
    order_items_proforma_item_fkey: ['proforma_items', { app_id: 'app_id', proforma_item_id: 'id' }],
    order_items_variant_fkey: ['product_variants', { app_id: 'app_id', product_variant_id: 'id' }],
  },
  uniques: {
    order_items_position_key: ['app_id', 'order_id', 'position'],
    order_items_proforma_item_key: ['app_id', 'proforma_item_id'],
  },
  checks: {
    order_items_check: 'discount between 0 and sales',
    order_items_price_check: 'price >= 0',
    order_items_qty_check: 'qty > 0',
    order_items_sales_check: 'sales >= 0',
    order_items_vat_rate_check: 'vat_rate between 0 and 10000',
  },
  indexes: {
    order_items_variant_idx: ['app_id', 'product_variant_id'],
  },
});
