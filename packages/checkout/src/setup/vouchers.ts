import { IS_INVALID } from '@back-office/kernel';
import { amount, aText, hasReversedPeriod, flag, optionalId, optionalMoment, type Row } from './fields.js';
import type { BrokenRule } from './resource.js';

const FIELDS = {
  code: aText(),
  amount: amount(1),
  customer_id: optionalId,
  valid_from: optionalMoment,
  valid_until: optionalMoment,
  active: flag(true),
};

export const VOUCHERS = {
  area: 'Vouchers',
  fields: FIELDS,
  reference: { field: 'customer_id', failure: 'API.Customers.NotFound' },
  finish: coverUsedAmount,
};

/** A proforma may spend all of a held voucher, so its amount can only rise. */
function coverUsedAmount(next: Row, before: Row | undefined): Row | BrokenRule {
  if (hasReversedPeriod(next)) return { field: 'valid_until', rule: IS_INVALID };
  const isHeld = (before?.['held_by'] ?? null) !== null;
  const used = Number(before?.[isHeld ? 'amount' : 'spent'] ?? 0);
  return Number(next['amount']) < used ? { field: 'amount', rule: IS_INVALID } : next;
}
