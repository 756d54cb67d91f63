import { IS_INVALID } from '@back-office/kernel';
import {
  amountField,
  textField,
  hasReversedPeriod,
  flagField,
  optionalId,
  optionalEnd,
  optionalMoment,
  type Row,
} from './fields.js';
import type { BrokenRule } from './resource.js';

const FIELDS = {
  code: textField(),
  amount: amountField(1),
  customer_id: optionalId,
  valid_from: optionalMoment,
  valid_until: optionalEnd,
  active: flagField(true),
};

export const VOUCHERS = {
  area: 'Vouchers',
  looseCode: 'code',
  fields: FIELDS,
  reference: { field: 'customer_id', failure: 'API.Customers.NotFound' },
  finish: checkUsedAmount,
};

/**
 * Refuses a reversed period, and an amount below the spent amount. Also refuses a lower amount of a reserved voucher,
 * because its proforma may spend all of it.
 */
function checkUsedAmount(nextRecord: Row, storedRecord: Row | undefined): Row | BrokenRule {
  if (hasReversedPeriod(nextRecord)) return { field: 'valid_until', rule: IS_INVALID };
  const isReserved = (storedRecord?.['held_by'] ?? null) !== null;
  const usedAmount = Number(storedRecord?.[isReserved ? 'amount' : 'spent'] ?? 0);
  return Number(nextRecord['amount']) < usedAmount ? { field: 'amount', rule: IS_INVALID } : nextRecord;
}
