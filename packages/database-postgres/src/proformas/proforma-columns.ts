import {
  debtOf,
  dueAt,
  countOpenAlerts,
  paidAmountOf,
  refundableAmount,
  statusId,
  type Payment,
  type Proforma,
  type ProformaLine,
} from '@back-office/proforma';
import { buyerColumns, columnsOf } from '@back-office/kernel';
import { PAYMENTS } from '../tables/payments.js';
import { PROFORMA_COLUMNS, PROFORMA_ITEMS } from '../tables/proformas.js';

const { frozenFields, changingFields } = PROFORMA_COLUMNS;

type Values<List extends { readonly names: readonly string[] }> = Readonly<Record<List['names'][number], unknown>>;

export function frozenColumns(proforma: Proforma): Values<typeof PROFORMA_COLUMNS.frozen> {
  const { buyer } = proforma;
  return {
    customer_data_part: buyer.dataPart,
    ...columnsOf(proforma, frozenFields),
    ...buyerColumns(buyer),
    customer_time_part: buyer.timePart,
    order_processing_id: proforma.evaluationId,
  };
}

/** A converted proforma keeps the payments that it had at its conversion. */
export function changingColumns(
  proforma: Proforma,
): Values<typeof PROFORMA_COLUMNS.changing> & { readonly id: number } {
  const payments = proforma.converted?.payments ?? proforma.payments;
  return {
    id: proforma.id,
    ...columnsOf(proforma, changingFields),
    fees: proforma.fees,
    status_id: statusId(proforma.status),
    paid: paidAmountOf(payments),
    debt: debtOf({ endSales: proforma.endSales, payments }),
    alerts: proforma.alerts,
    alerts_count: proforma.alerts.length,
    open_alerts_count: countOpenAlerts(proforma),
    due_at: dueAt(proforma),
    payments_at_conversion: proforma.converted?.payments ?? null,
    converted_order_number: proforma.converted?.orderNumber ?? null,
    earned_points: proforma.converted?.points ?? 0,
  };
}

export const LINE_FIELDS = PROFORMA_ITEMS.columns.except(
  'app_id',
  'proforma_order_id',
  'product_variant_id',
  'position',
).names;

export function lineColumns(line: ProformaLine): object {
  return { product_variant_id: line.variantId, ...columnsOf(line, LINE_FIELDS) };
}

export const PAYMENT_FIELDS = PAYMENTS.columns.pick(
  'id',
  'amount',
  'method',
  'status',
  'refund_of',
  'kind',
  'reference',
  'voucher_id',
  'key_part',
  'external_ref',
  'received_at',
  'payer',
).names;

export function paymentColumns(payment: Payment, allPayments: readonly Payment[]): object {
  return {
    payment_method_id: payment.methodId,
    ...columnsOf(payment, PAYMENT_FIELDS),
    paid_at: payment.date,
    refunded:
      payment.amount > 0 && payment.status === 'settled' ? payment.amount - refundableAmount(payment, allPayments) : 0,
  };
}
