import type { Buyer, EvaluatedLine, EvaluatedVoucher, Promotion } from '@back-office/kernel';
import { appId, bigint, identity, jsonb, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';
import { fees, TERM_COLUMNS, TOTAL_COLUMNS } from './sale-columns.js';

const FROZEN_BASKET = {
  ...TERM_COLUMNS,
  ...TOTAL_COLUMNS,
  items: jsonb<readonly EvaluatedLine[]>(),
  fees: fees(),
  promotions: jsonb<readonly Promotion[]>().default([]),
  vouchers: jsonb<readonly EvaluatedVoucher[]>().default([]),
};

export const EVALUATIONS = defineTable({
  name: 'order_processings',
  columns: {
    app_id: appId(),
    id: identity(),
    ...FROZEN_BASKET,
    customer_id: bigint().nullable(),
    buyer: jsonb<Buyer>(),
    warehouse_id: bigint().nullable(),
    expires_at: timestamptz(),
    consumed_at: timestamptz().nullable(),
    inserted_at: timestamptz(),
  },
  foreignKeys: {
    order_processings_app_id_fkey: ['apps', { app_id: 'id' }],
    order_processings_customer_fkey: ['customers', { app_id: 'app_id', customer_id: 'id' }],
    order_processings_warehouse_fkey: ['warehouses', { app_id: 'app_id', warehouse_id: 'id' }],
  },
  indexes: {
    order_processings_customer_idx: { columns: ['app_id', 'customer_id'], where: 'customer_id is not null' },
    order_processings_id_idx: ['id'],
    order_processings_unused_idx: { columns: ['app_id', 'inserted_at'], where: 'consumed_at is null' },
  },
});
