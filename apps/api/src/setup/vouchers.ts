import { IS_INVALID, Unjudged } from '../http/request-fields.js';
import { integer, nullable, number } from '../http/shapes.js';
import { amount, aText, endsBeforeItBegins, flag, optionalId, optionalMoment, type Row } from './fields.js';
import { setUpBody, type Broken, type Resource } from './resource.js';

const FIELDS = {
  code: aText(),
  amount: amount(1),
  customer_id: optionalId,
  valid_from: optionalMoment,
  valid_until: optionalMoment,
  active: flag(true),
};

class PutVouchers {
  @Unjudged(setUpBody({ fields: FIELDS })) vouchers?: unknown;
}

export const VOUCHERS: Resource = {
  name: 'vouchers',
  area: 'Vouchers',
  shapeName: 'Voucher',
  what: 'vouchers',
  fields: FIELDS,
  readOnly: {
    spent: { shape: number, toShown: (stored, reading) => FIELDS.amount.toShown(stored ?? 0, reading) },
    proforma_order_id: { shape: nullable(integer), toShown: (_, { row }) => row['held_by'] ?? null },
  },
  body: PutVouchers,
  lockedAs: 'voucher',
  reference: { field: 'customer_id', table: 'customers', failure: 'API.Customers.NotFound' },
  finish: coversWhatIsUsed,
};

/** A proforma that holds it may spend all of it: until then the amount can only be raised. */
function coversWhatIsUsed(next: Row, before: Row | undefined): Row | Broken {
  if (endsBeforeItBegins(next)) return { field: 'valid_until', rule: IS_INVALID };
  const isHeld = (before?.['held_by'] ?? null) !== null;
  const used = Number(before?.[isHeld ? 'amount' : 'spent'] ?? 0);
  return Number(next['amount']) < used ? { field: 'amount', rule: IS_INVALID } : next;
}
