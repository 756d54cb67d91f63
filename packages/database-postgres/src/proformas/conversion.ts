import type { Order } from '@back-office/orders';
import {
  proformaEvents,
  reservationChanges,
  releasedVouchers,
  type DecidedChange,
  type Proforma,
  type ProformaChange,
} from '@back-office/proforma';
import type { Transaction } from '../transaction.js';
import { eventRows, eventsSql } from '../events/event-statements.js';
import { rememberMadeOrder } from '../call-writes.js';
import {
  ORDER_ROW_COLUMNS,
  insertOrderSql,
  movePaymentsSql,
  orderValues,
  withOrder,
} from '../orders/converted-orders.js';
import { PROFORMA_COLUMNS } from '../tables/proformas.js';
import { changingColumns } from './proforma-columns.js';

const SAVED_COLUMNS = PROFORMA_COLUMNS.changing.except('order_id');

/**
 * Parameters: $1 app, $2 order, $3 items, $4 proforma, $5 its columns, $6 now, $7 events, and $8 the version. Locks the
 * proforma before the order. Fails with a division by zero when the proforma no longer has the version.
 */
const convertStatement = (hasVersion: string): string => `
  with target as materialized (
    select p.id from proforma_orders p where p.app_id = $1 and p.id = $4 ${hasVersion} for update
  ), ${insertOrderSql('where exists (select 1 from target)')}, ${movePaymentsSql('$4')}, saved as (
    update proforma_orders p set version = p.version + 1, order_id = made.id, ${SAVED_COLUMNS.setFrom('r')}
    from made, json_to_recordset($5) as r (${SAVED_COLUMNS.typedList})
    where p.app_id = $1 and p.id = $4 returning p.id
  ), ${eventsSql('$6::timestamptz', '$7', 'made')}
  select ${ORDER_ROW_COLUMNS.of('made')}, (select json_agg(i order by i.position) from item i) as items,
    (select json_agg(y order by y.id) from moved y) as payments, 1 / (select count(*) from saved) as guard
  from (select 1) as one left join made on true`;

const CONVERT = convertStatement('');
const CONVERT_VERSION = convertStatement('and p.version = $8::int');

/** Returns true for a conversion that changes only the proforma and makes its order. */
export function isPlainConversion({ before, after }: ProformaChange): boolean {
  return (
    before.status !== 'converted' &&
    after.status === 'converted' &&
    before.payments === after.payments &&
    before.lines.every((line, index) => line === after.lines[index]) &&
    reservationChanges(before, after).length === 0 &&
    releasedVouchers(before, after).length === 0 &&
    (after.buyer.id === null || after.converted?.points === 0)
  );
}

/** One statement stores a plain conversion with its order, if it is the only change. */
export function onlyPlainConversion(changes: readonly DecidedChange[]): DecidedChange | undefined {
  const [change] = changes;
  return change && changes.length === 1 && isPlainConversion(change) ? change : undefined;
}

/** Stores the proforma and its order in one statement. Returns the proforma with the id of the order. */
export async function storeConversion(
  transaction: Transaction,
  appId: number,
  change: ProformaChange,
  now: Date,
  version?: number,
): Promise<Proforma> {
  const { after } = change;
  transaction.locks('order');
  const events = eventRows(proformaEvents([change]));
  const values = [appId, ...orderValues(after), after.id, JSON.stringify([changingColumns(after)]), now, events];
  const [stored] = await (version === undefined
    ? transaction.runLast<Order & { guard: number }>(CONVERT, values)
    : transaction.runLast<Order & { guard: number }>(CONVERT_VERSION, [...values, version]));
  const { guard: _, ...order } = stored as Order & { guard: number };
  rememberMadeOrder(appId, order);
  return withOrder(after, order);
}
