import { fieldsOf } from '@back-office/kernel';
import {
  confirmFee,
  NO_SOURCE,
  statusOfId,
  type Alert,
  type Conversion,
  type Payment,
  type Proforma,
  type ProformaFee,
  type ProformaLine,
} from '@back-office/proforma';
import type { FromJson } from '../tables/column-list.js';
import type { RowOf } from '../tables/define-table.js';
import type { PAYMENTS } from '../tables/payments.js';
import { PROFORMA_COLUMNS, type PROFORMA_ITEMS, type PROFORMAS } from '../tables/proformas.js';
import { LINE_FIELDS, PAYMENT_FIELDS } from './proforma-columns.js';

type ItemRow = FromJson<RowOf<typeof PROFORMA_ITEMS>>;
type PaymentRow = FromJson<RowOf<typeof PAYMENTS>>;

export interface ProformaRow extends RowOf<typeof PROFORMAS> {
  readonly seen_version: number;
  readonly order: Pick<Conversion, 'isOrderPayable' | 'isOrderCanceled' | 'orderParts'> | null;
  readonly items: readonly ItemRow[];
  readonly payments: readonly PaymentRow[] | null;
}

const { frozenFields, changingFields } = PROFORMA_COLUMNS;

export function toProforma(row: ProformaRow): Proforma {
  const lines = row.items.map(toLine);
  return {
    id: row.id,
    ...fieldsOf(row, frozenFields),
    ...fieldsOf(row, changingFields),
    evaluationId: row.order_processing_id,
    buyer: {
      id: row.customer_id,
      dataPart: row.customer_data_part,
      timePart: row.customer_time_part,
      email: row.customer_email,
      firstName: row.customer_first_name,
      lastName: row.customer_last_name,
      phone: row.customer_phone,
    },
    status: statusOfId(row.status_id),
    lines,
    fees: row.fees.map((fee, index) => toFee(fee, index, lines)),
    payments: (row.payments ?? []).map(toPayment),
    alerts: row.alerts.map(toAlert),
    converted: toConversion(row),
  };
}

function toConversion(row: ProformaRow): Conversion | null {
  if (row.payments_at_conversion === null) return null;
  return {
    payments: row.payments_at_conversion.map((payment) => ({
      keyPart: null,
      ...NO_SOURCE,
      ...payment,
      date: new Date(payment.date),
      receivedAt: toDate(payment.receivedAt),
    })),
    orderNumber: row.converted_order_number ?? '',
    points: row.earned_points,
    ...(row.order ?? { isOrderPayable: false, isOrderCanceled: false, orderParts: null }),
  };
}

function toLine(row: ItemRow): ProformaLine {
  return { variantId: row.product_variant_id, ...fieldsOf(row, LINE_FIELDS) };
}

/** A fee of an early release is confirmed with the lines, and dropped when none of them is left. */
function toFee(stored: ProformaRow['fees'][number], index: number, lines: readonly ProformaLine[]): ProformaFee {
  const fee = { id: -1 - index, qtyConfirmed: null, ...stored };
  if (stored.id !== undefined || lines.every(({ qtyConfirmed }) => qtyConfirmed === null)) return fee;
  return confirmFee(fee, lines.every(({ qtyConfirmed }) => qtyConfirmed === 0) ? 0 : fee.qty);
}

function toPayment(row: PaymentRow): Payment {
  return {
    methodId: row.payment_method_id,
    ...fieldsOf(row, PAYMENT_FIELDS),
    date: new Date(row.paid_at),
    receivedAt: toDate(row.received_at),
  };
}

function toDate(text: string | null | undefined): Date | null {
  return text === null || text === undefined ? null : new Date(text);
}

function toAlert(alert: FromJson<Alert>): Alert {
  const resolvedAt = alert.resolvedAt === null ? null : new Date(alert.resolvedAt);
  return { ...alert, resolvedAt, insertedAt: new Date(alert.insertedAt) };
}
