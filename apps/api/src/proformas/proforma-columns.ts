import {
  debtOf,
  dueAt,
  openAlerts,
  paidOf,
  refundable,
  statusId,
  type Payment,
  type Proforma,
  type ProformaLine,
} from '@back-office/proforma';

/** The columns that are set once, when the proforma is made. */
export function frozenColumns(proforma: Proforma): object {
  const { buyer } = proforma;
  return {
    number: proforma.number,
    order_processing_id: proforma.evaluationId,
    customer_id: buyer.id,
    customer_data_part: buyer.dataPart,
    customer_time_part: buyer.timePart,
    customer_email: buyer.email,
    customer_first_name: buyer.firstName,
    customer_last_name: buyer.lastName,
    customer_phone: buyer.phone,
    delivery: proforma.delivery,
    shipment_method_code: proforma.shipmentMethodCode,
    pickup_point_code: proforma.pickupPointCode,
    market_id: proforma.marketId,
    currency: proforma.currency,
    sales_channel_id: proforma.salesChannelId,
    sales_channel: proforma.salesChannel,
    fees: proforma.originalFees,
    original_end_sales: proforma.originalEndSales,
    promotions: proforma.promotions,
    processing_date: proforma.processingDate,
    expires_at: proforma.expiresAt,
    inserted_at: proforma.insertedAt,
  };
}

/** The columns that follow the proforma's life. What is shown of a converted one stays as at its conversion. */
export function livingColumns(proforma: Proforma): object {
  const payments = proforma.converted?.payments ?? proforma.payments;
  return {
    id: proforma.id,
    status_id: statusId(proforma.status),
    sales: proforma.sales,
    discount: proforma.discount,
    net_sales: proforma.netSales,
    vat: proforma.vat,
    end_sales: proforma.endSales,
    paid: paidOf(payments),
    debt: debtOf({ endSales: proforma.endSales, payments }),
    tags: proforma.tags,
    comment: proforma.comment,
    alerts: proforma.alerts,
    alerts_count: proforma.alerts.length,
    open_alerts_count: openAlerts(proforma),
    due_at: dueAt(proforma),
    warehouse_confirmed_at: proforma.warehouseConfirmedAt,
    converted_at: proforma.convertedAt,
    canceled_at: proforma.canceledAt,
    cancel_reason: proforma.cancelReason,
    order_id: proforma.orderId,
    payments_at_conversion: proforma.converted?.payments ?? null,
    converted_order_number: proforma.converted?.orderNumber ?? null,
    earned_points: proforma.converted?.points ?? 0,
    updated_at: proforma.updatedAt,
  };
}

export function lineColumns(line: ProformaLine): object {
  return {
    id: line.id,
    product_id: line.productId,
    product_variant_id: line.variantId,
    code: line.code,
    barcode: line.barcode,
    name: line.name,
    qty: line.qty,
    qty_confirmed: line.qtyConfirmed,
    price: line.price,
    vat_rate: line.vatRate,
    sales: line.sales,
    discount: line.discount,
    promotions: line.promotions,
    warehouse_id: line.warehouseId,
    warehouse_code: line.warehouseCode,
  };
}

export function paymentColumns(payment: Payment, all: readonly Payment[]): object {
  return {
    id: payment.id,
    amount: payment.amount,
    method: payment.method,
    payment_method_id: payment.methodId,
    status: payment.status,
    paid_at: payment.date,
    refund_of: payment.refundOf,
    kind: payment.kind,
    reference: payment.reference,
    voucher_id: payment.voucherId,
    refunded: payment.amount > 0 && payment.status === 'settled' ? payment.amount - refundable(payment, all) : 0,
  };
}
