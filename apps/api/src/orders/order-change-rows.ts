import { isRow, MAX_STRING_LENGTH, MALFORMED, rowErrorKey, rowErrorKeys, checkTextField } from '@back-office/kernel';
import {
  ALREADY_SHIPPED,
  DELIVERY_STATUSES,
  INVALID_REFUND,
  INVALID_STATUS,
  NEGATIVE_STOCK,
  NOT_REFUNDABLE,
  ORDER_NOT_FOUND,
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  type ParsedChange,
} from '@back-office/orders';
import { parseTracking } from './tracking.js';
import { fieldOfMessageKey } from '../http/failed-rows.js';

const STATUS_FIELDS = [
  ['order_status_id', 'status', ORDER_STATUSES],
  ['payment_status_id', 'paymentStatus', PAYMENT_STATUSES],
  ['delivery_status_id', 'deliveryStatus', DELIVERY_STATUSES],
] as const;

export const ORDER_CHANGE_ERROR_KEYS = [
  ...rowErrorKeys('Orders', { texts: ['invoice_number'], optionalValues: ['tracking'] }),
  ORDER_NOT_FOUND,
  INVALID_STATUS,
  ALREADY_SHIPPED,
  NEGATIVE_STOCK,
  INVALID_REFUND,
  NOT_REFUNDABLE,
];

/** Returns the parsed row, or the message key of its first error. */
export function parseOrderChange(row: unknown): ParsedChange {
  if (!isRow(row)) return rowErrorKey('Orders', '', MALFORMED);
  const { id, data_part: dataPart, time_part: timePart, invoice_number: invoiceNumber, refund } = row;
  if (![id, dataPart, timePart].every(Number.isSafeInteger)) return ORDER_NOT_FOUND;
  const statuses = STATUS_FIELDS.filter(([field]) => row[field] !== undefined && row[field] !== null);
  if (!statuses.every(([field, , names]) => isStatusId(row[field], names))) return INVALID_STATUS;
  const error = checkTextField(invoiceNumber, MAX_STRING_LENGTH, false);
  if (error !== undefined) return rowErrorKey('Orders', 'invoice_number', error);
  if (refund !== undefined && refund !== null && typeof refund !== 'boolean') {
    return rowErrorKey('Orders', 'refund', MALFORMED);
  }
  const tracking = parseTracking(row['tracking']);
  if (typeof tracking === 'string') return rowErrorKey('Orders', 'tracking', tracking);
  return {
    id: id as number,
    dataPart: dataPart as number,
    timePart: timePart as number,
    ...Object.fromEntries(statuses.map(([field, name, names]) => [name, names[Number(row[field]) - 1]])),
    ...(invoiceNumber !== undefined && {
      invoiceNumber: invoiceNumber === '' ? null : (invoiceNumber as string | null),
    }),
    ...(tracking && { tracking }),
    ...(refund === true && { refund }),
  };
}

/** Returns the field that broke the rule; `undefined` when the rule concerns several fields. */
export function fieldOfOrderError(row: unknown, key: string): string | undefined {
  if (!isRow(row)) return undefined;
  if (key === INVALID_REFUND) return 'refund';
  if (key === rowErrorKey('Orders', '', MALFORMED)) {
    if (!isText(row['invoice_number'])) return 'invoice_number';
    return parseTracking(row['tracking']) === MALFORMED ? 'tracking' : 'refund';
  }
  if (key !== INVALID_STATUS) return fieldOfMessageKey(key);
  const isInvalid = (field: string, names: readonly string[]) =>
    row[field] !== undefined && row[field] !== null && !isStatusId(row[field], names);
  return STATUS_FIELDS.find(([field, , names]) => isInvalid(field, names))?.[0];
}

function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function isStatusId(value: unknown, names: readonly string[]): boolean {
  return Number.isInteger(value) && names[Number(value) - 1] !== undefined;
}
