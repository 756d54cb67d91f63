import { LONGEST_STRING } from '@back-office/kernel';
import { explanationOf, MATCHING, matchOf, type Explanation } from '@back-office/matching';
import {
  ALREADY_SHIPPED,
  DELIVERY_STATUSES,
  INVALID_REFUND,
  INVALID_STATUS,
  isSameOrder,
  NEGATIVE_STOCK,
  NOT_REFUNDABLE,
  ORDER_NOT_FOUND,
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  type OrderName,
  type ReadChange,
} from '@back-office/orders';
import { isRow, rowKey, rowKeys, wrongText } from '../http/row-check.js';
import { MALFORMED } from '../http/request-fields.js';

const STATUSES = [
  ['order_status_id', 'status', ORDER_STATUSES],
  ['payment_status_id', 'paymentStatus', PAYMENT_STATUSES],
  ['delivery_status_id', 'deliveryStatus', DELIVERY_STATUSES],
] as const;

/** All keys by which a row may fail. */
export const ORDER_CHANGE_KEYS = [
  ...rowKeys('Orders', { texts: ['invoice_number'] }),
  ORDER_NOT_FOUND,
  INVALID_STATUS,
  ALREADY_SHIPPED,
  NEGATIVE_STOCK,
  INVALID_REFUND,
  NOT_REFUNDABLE,
];

/** A row of PUT /orders/bulk_update as a change, or the key of why it fails. */
export function orderChange(row: unknown): ReadChange {
  if (!isRow(row)) return rowKey('Orders', '', MALFORMED);
  const { id, data_part: dataPart, time_part: timePart, invoice_number: invoiceNumber, refund } = row;
  if (![id, dataPart, timePart].every(Number.isSafeInteger)) return ORDER_NOT_FOUND;
  const statuses = STATUSES.filter(([field]) => row[field] !== undefined && row[field] !== null);
  if (!statuses.every(([field, , names]) => isStatusId(row[field], names))) return INVALID_STATUS;
  const wrong = wrongText(invoiceNumber, LONGEST_STRING, false);
  if (wrong !== undefined) return rowKey('Orders', 'invoice_number', wrong);
  if (refund !== undefined && refund !== null && typeof refund !== 'boolean') {
    return rowKey('Orders', 'refund', MALFORMED);
  }
  return {
    id: id as number,
    dataPart: dataPart as number,
    timePart: timePart as number,
    ...Object.fromEntries(statuses.map(([field, name, names]) => [name, names[Number(row[field]) - 1]])),
    ...(invoiceNumber !== undefined && {
      invoiceNumber: invoiceNumber === '' ? null : (invoiceNumber as string | null),
    }),
    ...(refund === true && { refund }),
  };
}

function isStatusId(value: unknown, names: readonly string[]): boolean {
  return Number.isInteger(value) && names[Number(value) - 1] !== undefined;
}

/** How each row finds its order. A row that cannot be read names nothing. */
export function explainChanges(changes: readonly ReadChange[], found: readonly OrderName[]): Explanation[][] {
  const orders = new Map(found.map((order) => [order.id, order]));
  return changes.map((change) => {
    if (typeof change === 'string') return [];
    const order = orders.get(change.id);
    const named = order && isSameOrder(order, change) ? order : undefined;
    return [
      explanationOf(
        'order',
        matchOf(MATCHING['PUT /orders/bulk_update'].order, change, () => named),
      ),
    ];
  });
}
