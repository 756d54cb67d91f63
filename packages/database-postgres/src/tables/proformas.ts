import type { FeeLine, Promotion } from '@back-office/kernel';
import {
  EXPIRING_STATUSES,
  statusId,
  STATUSES,
  type Alert,
  type Payment,
  type PaymentSource,
  type ProformaFee,
} from '@back-office/proforma';
import { WITHDRAWN_IDS } from '../proformas/status-ids.js';
import { ColumnList, type FromJson } from './column-list.js';
import { appId, bigint, identity, integer, jsonb, smallint, text, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';
import { BUYER_COLUMNS, EDITABLE_TERMS, FROZEN_TERMS, LINE_COLUMNS, TOTAL_COLUMNS } from './sale-columns.js';

/** Payments that were stored by early releases have no `keyPart` and no source. */
type StoredPayment = FromJson<Omit<Payment, LaterFields>> & Partial<FromJson<Pick<Payment, LaterFields>>>;
type LaterFields = 'keyPart' | keyof PaymentSource;

// Columns that never change after the insert and have the same names as the proforma's fields.
const FROZEN_FIELDS = {
  number: text(),
  ...FROZEN_TERMS,
  original_end_sales: bigint(),
  promotions: jsonb<readonly Promotion[]>().default([]),
  processing_date: timestamptz(),
  expires_at: timestamptz(),
  inserted_at: timestamptz(),
};

// Columns that change with the proforma and have the same names as its fields.
const CHANGING_FIELDS = {
  ...TOTAL_COLUMNS,
  ...EDITABLE_TERMS,
  warehouse_confirmed_at: timestamptz().nullable(),
  converted_at: timestamptz().nullable(),
  canceled_at: timestamptz().nullable(),
  cancel_reason: text().nullable(),
  order_id: bigint().nullable(),
  updated_at: timestamptz(),
};

const FROZEN_COLUMNS = {
  ...FROZEN_FIELDS,
  ...BUYER_COLUMNS,
  customer_data_part: smallint().nullable(),
  customer_time_part: integer().nullable(),
  order_processing_id: bigint(),
};

/** Fees that were stored by early releases have neither an id nor a confirmed quantity. */
type StoredFee = FeeLine & Partial<ProformaFee>;

const CHANGING_COLUMNS = {
  ...CHANGING_FIELDS,
  fees: jsonb<readonly StoredFee[]>(),
  status_id: smallint(),
  paid: bigint().default(0),
  debt: bigint(),
  alerts: jsonb<readonly FromJson<Alert>[]>().default([]),
  alerts_count: integer().default(0),
  open_alerts_count: integer().default(0),
  due_at: timestamptz().nullable(),
  payments_at_conversion: jsonb<readonly StoredPayment[]>().nullable(),
  converted_order_number: text().nullable(),
  earned_points: bigint().default(0),
};

export const PROFORMAS = defineTable({
  name: 'proforma_orders',
  columns: {
    app_id: appId(),
    id: identity(),
    version: integer().default(1),
    ...FROZEN_COLUMNS,
    ...CHANGING_COLUMNS,
  },
  foreignKeys: {
    proforma_orders_app_id_fkey: ['apps', { app_id: 'id' }],
    proforma_orders_customer_fkey: ['customers', { app_id: 'app_id', customer_id: 'id' }],
    proforma_orders_evaluation_fkey: ['order_processings', { app_id: 'app_id', order_processing_id: 'id' }],
    proforma_orders_order_fkey: ['orders', { app_id: 'app_id', order_id: 'id' }],
  },
  uniques: {
    proforma_orders_evaluation_key: ['app_id', 'order_processing_id'],
    proforma_orders_number_key: ['app_id', 'number'],
  },
  checks: {
    proforma_orders_canceled_check: `(status_id in (${WITHDRAWN_IDS})) = (canceled_at is not null)`,
    proforma_orders_check: 'discount between 0 and sales',
    proforma_orders_converted_check: `(status_id = ${statusId('converted')}) = (order_id is not null)`,
    proforma_orders_debt_check: 'debt = greatest(end_sales - paid, 0)',
    proforma_orders_earned_points_check: 'earned_points >= 0',
    proforma_orders_original_check: 'end_sales <= original_end_sales',
    proforma_orders_paid_check: 'paid >= 0',
    proforma_orders_sales_check: 'sales >= 0',
    proforma_orders_status_id_check: `status_id between 1 and ${STATUSES.length}`,
    proforma_orders_totals_check: 'end_sales = sales - discount and end_sales = net_sales + vat',
    proforma_orders_vat_check: 'vat >= 0',
  },
  indexes: {
    proforma_orders_converted_idx: { columns: ['app_id', 'converted_at'], where: 'converted_at is not null' },
    proforma_orders_deadline_idx: { columns: ['app_id', 'due_at'], where: 'due_at is not null' },
    proforma_orders_expires_idx: ['app_id', 'expires_at', 'id'],
    proforma_orders_order_key: { columns: ['app_id', 'order_id'], where: 'order_id is not null', unique: true },
    proforma_orders_paid_idx: {
      columns: ['app_id', 'expires_at'],
      where: `due_at is null and status_id <= ${Math.max(...EXPIRING_STATUSES.map(statusId))}`,
    },
    proforma_orders_updated_idx: ['app_id', 'updated_at', 'id'],
  },
  sqlIndexes: {
    proforma_orders_alerts_idx: 'newest first',
    proforma_orders_customer_idx: 'newest first',
    proforma_orders_name_idx: 'by an expression',
    proforma_orders_newest_idx: 'newest first',
    proforma_orders_status_idx: 'newest first',
  },
});

export const PROFORMA_ITEMS = defineTable({
  name: 'proforma_items',
  columns: {
    app_id: appId(),
    id: identity(),
    proforma_order_id: bigint(),
    ...LINE_COLUMNS,
    qty_confirmed: bigint().nullable(),
    vat_rate: integer(),
    warehouse_id: bigint(),
  },
  foreignKeys: {
    proforma_items_proforma_fkey: ['proforma_orders', { app_id: 'app_id', proforma_order_id: 'id' }],
    proforma_items_variant_fkey: ['product_variants', { app_id: 'app_id', product_variant_id: 'id' }],
    proforma_items_warehouse_fkey: ['warehouses', { app_id: 'app_id', warehouse_id: 'id' }],
  },
  uniques: {
    proforma_items_position_key: ['app_id', 'proforma_order_id', 'position'],
  },
  checks: {
    proforma_items_check: 'qty_confirmed between 0 and qty',
    proforma_items_check1: 'discount between 0 and sales',
    proforma_items_price_check: 'price >= 0',
    proforma_items_qty_check: 'qty > 0',
    proforma_items_sales_check: 'sales >= 0',
    proforma_items_vat_rate_check: 'vat_rate between 0 and 10000',
  },
});

export const PROFORMA_COLUMNS = {
  frozen: new ColumnList(FROZEN_COLUMNS),
  frozenFields: new ColumnList(FROZEN_FIELDS).names,
  changing: new ColumnList(CHANGING_COLUMNS),
  changingFields: new ColumnList(CHANGING_FIELDS).names,
};
