import type { PaymentStatus } from '@back-office/kernel';
import type { Payer, PaymentKind } from '@back-office/proforma';
import { appId, bigint, identity, jsonb, smallint, text, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';

export const PAYMENTS = defineTable({
  name: 'payments',
  columns: {
    app_id: appId(),
    id: identity(),
    proforma_order_id: bigint().nullable(),
    order_id: bigint().nullable(),
    amount: bigint(),
    method: text(),
    payment_method_id: bigint().nullable(),
    status: text<PaymentStatus>(),
    paid_at: timestamptz(),
    refund_of: bigint().nullable(),
    refunded: bigint().default(0),
    attempts: smallint().default(0),
    next_attempt_at: timestamptz().nullable(),
    inserted_at: timestamptz(),
    kind: text<PaymentKind>().default('other'),
    reference: text().nullable(),
    voucher_id: bigint().nullable(),
    key_part: text().nullable(),
    external_ref: text().nullable(),
    received_at: timestamptz().nullable(),
    payer: jsonb<Payer>().nullable(),
  },
  foreignKeys: {
    payments_method_fkey: ['payment_methods', { app_id: 'app_id', payment_method_id: 'id' }],
    payments_order_fkey: ['orders', { app_id: 'app_id', order_id: 'id' }],
    payments_proforma_fkey: ['proforma_orders', { app_id: 'app_id', proforma_order_id: 'id' }],
    payments_refund_of_fkey: ['payments', { app_id: 'app_id', refund_of: 'id' }],
    payments_voucher_fkey: ['vouchers', { app_id: 'app_id', voucher_id: 'id' }],
  },
  checks: {
    payments_amount_check: 'amount <> 0',
    payments_kind_check: "kind in ('cash', 'bank_transfer', 'card', 'other', 'voucher')",
    payments_next_attempt_check: "next_attempt_at is null or (status = 'pending' and amount < 0)",
    payments_owner_check: 'proforma_order_id is not null or order_id is not null',
    payments_refund_check: '(amount < 0) = (refund_of is not null)',
    payments_refunded_check: 'refunded between 0 and greatest(amount, 0)',
    payments_status_check: "status in ('pending', 'settled', 'failed', 'refunded', 'refund_failed')",
    payments_voucher_check: "(kind = 'voucher') = (voucher_id is not null)",
  },
  indexes: {
    payments_external_ref_key: { columns: ['app_id', 'external_ref'], where: 'external_ref is not null', unique: true },
    payments_next_attempt_idx: { columns: ['next_attempt_at'], where: 'next_attempt_at is not null' },
    payments_order_idx: { columns: ['app_id', 'order_id'], where: 'order_id is not null' },
    payments_proforma_idx: ['app_id', 'proforma_order_id'],
  },
});
