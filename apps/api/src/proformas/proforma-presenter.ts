import { currencyNumber, formatDateTime, formatOptional } from '@back-office/kernel';
import * as domain from '@back-office/proforma';
import { type AppContext, money } from '@back-office/apps';
import type { TypeOf } from '../http/shapes.js';
import * as sale from '../sales/index.js';
import {
  type AlertShape,
  type CommonShape,
  type InstructionsShape,
  type ItemShape,
  type ProformaOut,
} from './proforma-shapes.js';

type AmountConverter = (minor: number) => number;

export function presentProforma(app: AppContext, proforma: domain.Proforma, now: Date): ProformaOut {
  const toAmount = money(app);
  return {
    ...presentCommon(proforma, toAmount, now),
    proforma_status: proforma.status,
    order_processing_id: proforma.evaluationId,
    customer_phone: proforma.buyer.phone,
    items: proforma.lines.map((line) => presentItem(line, toAmount)),
    fee_items: proforma.fees.map((fee) => ({
      proforma_order_item_id: fee.id,
      ...sale.presentFee(fee, toAmount),
      qty_confirmed: fee.qtyConfirmed,
    })),
    payments: domain.shownPayments(proforma).map((payment) => sale.presentPayment(payment, toAmount)),
    payment_instructions: presentInstructions(app, proforma, now),
    tax_brackets: domain.proformaBrackets(proforma).map((bracket) => sale.presentBracket(bracket, toAmount)),
    delivery_area: sale.presentDeliveryArea(proforma),
    alerts: proforma.alerts.map((alert, index) => presentAlert(alert, index, toAmount)),
    ...sale.presentNotes(proforma),
    converted_order_number: proforma.converted?.orderNumber ?? null,
  };
}

function presentCommon(proforma: domain.Proforma, toAmount: AmountConverter, now: Date): TypeOf<typeof CommonShape> {
  const { buyer } = proforma;
  return {
    id: proforma.id,
    proforma_number: proforma.number,
    transaction_reference: domain.paymentReference(proforma.number),
    proforma_status_id: domain.statusId(proforma.status),
    proforma_status_color: domain.statusColor(proforma.status),
    proforma_status_final: domain.isFinal(proforma.status),
    processing_date: formatDateTime(proforma.processingDate),
    expires_at: formatDateTime(proforma.expiresAt),
    expires_in_seconds: secondsLeft(proforma, now),
    customer_id: buyer.id,
    customer_data_part: buyer.dataPart,
    customer_time_part: buyer.timePart,
    customer_email: buyer.email,
    customer_first_name: buyer.firstName,
    customer_last_name: buyer.lastName,
    anonymous: buyer.id === null,
    ...presentAmounts(proforma, toAmount),
    market_id: proforma.marketId,
    currency_id: currencyNumber(proforma.currency),
    sales_channel_id: proforma.salesChannelId,
    sales_channel: proforma.salesChannel,
    warehouse_confirmed_at: formatOptional(proforma.warehouseConfirmedAt),
    converted_at: formatOptional(proforma.convertedAt),
    order_id: proforma.orderId,
    order_data_part: proforma.converted?.orderParts?.dataPart ?? null,
    order_time_part: proforma.converted?.orderParts?.timePart ?? null,
    canceled: proforma.canceledAt !== null,
    canceled_at: formatOptional(proforma.canceledAt),
    cancel_reason: proforma.cancelReason,
    tags: [...proforma.tags],
    alerts_count: proforma.alerts.length,
    open_alerts_count: domain.countOpenAlerts(proforma),
    inserted_at: formatDateTime(proforma.insertedAt),
    updated_at: formatDateTime(proforma.updatedAt),
  };
}

function presentAmounts(proforma: domain.Proforma, toAmount: AmountConverter) {
  const payments = domain.shownPayments(proforma);
  return {
    sales: toAmount(proforma.sales),
    discount: toAmount(proforma.discount),
    net_sales: toAmount(proforma.netSales),
    vat: toAmount(proforma.vat),
    end_sales: toAmount(proforma.endSales),
    paid: toAmount(domain.paidAmountOf(payments)),
    debt: toAmount(domain.shownDebtOf(proforma)),
  };
}

function secondsLeft(proforma: domain.Proforma, now: Date): number {
  if (domain.isFinal(proforma.status)) return 0;
  return Math.max(0, Math.floor((proforma.expiresAt.getTime() - now.getTime()) / 1000));
}

function presentItem(line: domain.ProformaLine, toAmount: AmountConverter): TypeOf<typeof ItemShape> {
  return {
    proforma_order_item_id: line.id,
    product_id: line.productId,
    product_variant_id: line.variantId,
    code: line.code,
    barcode: line.barcode,
    name: line.name,
    qty: line.qty,
    qty_confirmed: line.qtyConfirmed,
    price: toAmount(line.price),
    vat_rate: sale.toPercent(line.vatRate),
    sales: toAmount(line.sales),
    discount: toAmount(line.discount),
    end_sales: toAmount(line.sales - line.discount),
    promotions: line.promotions.map((promotion) => sale.presentPromotion(promotion, toAmount)),
    warehouse_code: line.warehouseCode,
  };
}

export function presentInstructions(
  app: AppContext,
  proforma: domain.Proforma,
  now: Date,
): TypeOf<typeof InstructionsShape> {
  const account = app.settings.bankAccount;
  const amountDue = domain.amountDue(proforma, now);
  const reference = domain.paymentReference(proforma.number);
  return {
    beneficiary: account.beneficiary,
    address: account.address,
    bank_account: account.accountNumber,
    amount: money(app)(amountDue),
    currency: proforma.currency,
    purpose: account.purpose,
    payment_code: account.paymentCode,
    model: '97',
    reference,
    qr: amountDue === 0 ? null : domain.ipsQrText(account, proforma.currency, amountDue, reference),
  };
}

function presentAlert(alert: domain.Alert, index: number, toAmount: AmountConverter): TypeOf<typeof AlertShape> {
  return {
    index,
    kind: alert.kind,
    message: alert.message,
    details: presentDetails(alert.details, toAmount),
    resolved: alert.resolvedAt !== null,
    resolved_at: formatOptional(alert.resolvedAt),
    inserted_at: formatDateTime(alert.insertedAt),
  };
}

const ALERT_AMOUNTS = new Set(['amount', 'paid', 'debt']);

/** Sorts the fields, because the database stores them in another order, which would change the `ETag`. */
function presentDetails(details: domain.Alert['details'], toAmount: AmountConverter): domain.Alert['details'] {
  const presented = Object.entries(details).map(([field, value]): [string, unknown] => [
    field,
    ALERT_AMOUNTS.has(field) && typeof value === 'number' ? toAmount(value) : value,
  ]);
  return Object.fromEntries(presented.sort(([a], [b]) => (a < b ? -1 : 1)));
}
