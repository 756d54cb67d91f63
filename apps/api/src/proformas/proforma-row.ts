import type {
  Alert,
  FeeLine,
  Payment,
  PaymentStatus,
  Proforma,
  ProformaLine,
  ProformaStatus,
} from '@back-office/proforma';
import { STATUSES } from '@back-office/proforma';

/** A row of proforma_orders with its items and payments as JSON; times inside JSON are texts. */
export interface ProformaRow {
  readonly id: number;
  readonly number: string;
  readonly version: number;
  readonly seen_version: number;
  readonly status_id: number;
  readonly order_processing_id: number;
  readonly customer_id: number | null;
  readonly customer_data_part: number | null;
  readonly customer_time_part: number | null;
  readonly customer_email: string | null;
  readonly customer_first_name: string | null;
  readonly customer_last_name: string | null;
  readonly customer_phone: string | null;
  readonly delivery: Proforma['delivery'];
  readonly shipment_method_code: string | null;
  readonly pickup_point_code: string | null;
  readonly market_id: number;
  readonly currency: string;
  readonly sales_channel_id: number;
  readonly sales_channel: string;
  readonly fees: readonly FeeLine[];
  readonly sales: number;
  readonly discount: number;
  readonly net_sales: number;
  readonly vat: number;
  readonly end_sales: number;
  readonly original_end_sales: number;
  readonly tags: readonly string[];
  readonly comment: string | null;
  readonly alerts: readonly StoredAlert[];
  readonly processing_date: Date;
  readonly expires_at: Date;
  readonly warehouse_confirmed_at: Date | null;
  readonly converted_at: Date | null;
  readonly canceled_at: Date | null;
  readonly cancel_reason: string | null;
  readonly order_id: number | null;
  readonly payments_at_conversion: readonly StoredPayment[] | null;
  readonly converted_order_number: string | null;
  readonly earned_points: number;
  /** `null` while there is no order. */
  readonly is_order_payable: boolean | null;
  readonly promotions: Proforma['promotions'];
  readonly inserted_at: Date;
  readonly updated_at: Date;
  readonly items: readonly ItemRow[];
  readonly payments: readonly PaymentRow[] | null;
}

type StoredAlert = Omit<Alert, 'resolvedAt' | 'insertedAt'> & {
  readonly resolvedAt: string | null;
  readonly insertedAt: string;
};
type StoredPayment = Omit<Payment, 'date'> & { readonly date: string };

interface ItemRow {
  readonly id: number;
  readonly product_id: number;
  readonly product_variant_id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly name: string;
  readonly qty: number;
  readonly qty_confirmed: number | null;
  readonly price: number;
  readonly vat_rate: number | null;
  readonly sales: number;
  readonly discount: number;
  readonly promotions: ProformaLine['promotions'];
  readonly warehouse_id: number;
  readonly warehouse_code: string | null;
}

interface PaymentRow {
  readonly id: number;
  readonly amount: number;
  readonly method: string;
  readonly payment_method_id: number | null;
  readonly status: PaymentStatus;
  readonly paid_at: string;
  readonly refund_of: number | null;
  readonly kind: Payment['kind'];
  readonly reference: string | null;
  readonly voucher_id: number | null;
}

export function fromRow(row: ProformaRow): Proforma {
  const lines = row.items.map(lineFrom);
  const { payments_at_conversion: frozen, converted_order_number: orderNumber } = row;
  return {
    id: row.id,
    number: row.number,
    evaluationId: row.order_processing_id,
    processingDate: row.processing_date,
    expiresAt: row.expires_at,
    buyer: {
      id: row.customer_id,
      dataPart: row.customer_data_part,
      timePart: row.customer_time_part,
      email: row.customer_email,
      firstName: row.customer_first_name,
      lastName: row.customer_last_name,
      phone: row.customer_phone,
    },
    delivery: row.delivery,
    shipmentMethodCode: row.shipment_method_code,
    pickupPointCode: row.pickup_point_code,
    marketId: row.market_id,
    currency: row.currency,
    salesChannelId: row.sales_channel_id,
    salesChannel: row.sales_channel,
    originalFees: row.fees,
    originalEndSales: row.original_end_sales,
    promotions: row.promotions,
    insertedAt: row.inserted_at,
    sales: row.sales,
    discount: row.discount,
    netSales: row.net_sales,
    vat: row.vat,
    endSales: row.end_sales,
    status: STATUSES[row.status_id - 1] as ProformaStatus,
    lines,
    fees: lines.every((line) => line.qtyConfirmed === 0) ? [] : row.fees,
    payments: (row.payments ?? []).map(paymentFrom),
    alerts: row.alerts.map(alertFrom),
    tags: row.tags,
    comment: row.comment,
    warehouseConfirmedAt: row.warehouse_confirmed_at,
    convertedAt: row.converted_at,
    converted:
      frozen === null
        ? null
        : {
            payments: frozen.map((each) => ({ ...each, date: new Date(each.date) })),
            orderNumber: orderNumber ?? '',
            points: row.earned_points,
            isOrderPayable: row.is_order_payable ?? false,
          },
    orderId: row.order_id,
    canceledAt: row.canceled_at,
    cancelReason: row.cancel_reason,
    updatedAt: row.updated_at,
  };
}

function lineFrom(row: ItemRow): ProformaLine {
  return {
    id: row.id,
    productId: row.product_id,
    variantId: row.product_variant_id,
    code: row.code,
    barcode: row.barcode,
    name: row.name,
    qty: row.qty,
    qtyConfirmed: row.qty_confirmed,
    price: row.price,
    vatRate: row.vat_rate,
    sales: row.sales,
    discount: row.discount,
    promotions: row.promotions,
    warehouseId: row.warehouse_id,
    warehouseCode: row.warehouse_code,
  };
}

function paymentFrom(row: PaymentRow): Payment {
  return {
    id: row.id,
    amount: row.amount,
    method: row.method,
    methodId: row.payment_method_id,
    status: row.status,
    date: new Date(row.paid_at),
    refundOf: row.refund_of,
    kind: row.kind,
    reference: row.reference,
    voucherId: row.voucher_id,
  };
}

function alertFrom(alert: StoredAlert): Alert {
  const resolvedAt = alert.resolvedAt === null ? null : new Date(alert.resolvedAt);
  return { ...alert, resolvedAt, insertedAt: new Date(alert.insertedAt) };
}
