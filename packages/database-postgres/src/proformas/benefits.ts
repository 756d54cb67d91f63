import type { EarnedPoints, VoucherRefund, ReleasedVoucher } from '@back-office/proforma';
import type { Sql } from '../connection/sql.js';
import type { Transaction } from '../connection/transaction.js';

const RELEASE_VOUCHERS = `
  with settled as (
    select * from json_to_recordset($2) as r ("proformaId" bigint, "voucherId" bigint, spent bigint)
  ), locked as materialized (
    select v.id from vouchers v join settled on settled."voucherId" = v.id and settled."proformaId" = v.held_by
    where v.app_id = $1 order by v.id for update of v
  )
  update vouchers v set spent = v.spent + settled.spent, held_by = null, updated_at = $3
  from settled, locked where v.app_id = $1 and v.id = locked.id and v.id = settled."voucherId"`;

export async function releaseVouchers(
  sql: Sql,
  appId: number,
  vouchers: readonly ReleasedVoucher[],
  now: Date,
): Promise<void> {
  await sql.rows(RELEASE_VOUCHERS, [appId, JSON.stringify(vouchers), now]);
}

const BOOK_POINTS = `
  with earned as (
    insert into loyalty_bookings (app_id, order_id, customer_id, points, inserted_at)
    select $1, "orderId", "customerId", points, $3
    from json_to_recordset($2) as r ("orderId" bigint, "customerId" bigint, points bigint)
    returning customer_id, points
  )
  update customers c set loyalty_points = c.loyalty_points + earned.points, updated_at = $3
  from (select customer_id, sum(points) as points from earned group by customer_id) earned
  where c.app_id = $1 and c.id = earned.customer_id`;

export async function bookPoints(sql: Sql, appId: number, points: readonly EarnedPoints[], now: Date): Promise<void> {
  await sql.rows(BOOK_POINTS, [appId, JSON.stringify(points), now]);
}

const LOCK_VOUCHERS = 'select id from vouchers where app_id = $1 and id = any($2::bigint[]) order by id for update';
const LOCK_CUSTOMERS =
  'select id from customers where app_id = $1 and id = any($2::bigint[]) order by id for no key update';

export async function lockBenefits(
  transaction: Transaction,
  appId: number,
  { voucherIds, customerIds }: { readonly voucherIds: readonly number[]; readonly customerIds: readonly number[] },
): Promise<void> {
  transaction.locks('voucher');
  if (voucherIds.length > 0) await transaction.rows(LOCK_VOUCHERS, [appId, voucherIds]);
  transaction.locks('customer');
  if (customerIds.length > 0) await transaction.rows(LOCK_CUSTOMERS, [appId, customerIds]);
}

const RETURN_VOUCHERS = `
  update vouchers v set spent = v.spent - r.amount, updated_at = $3
  from (
    select "voucherId" as id, sum(amount) as amount
    from json_to_recordset($2) as each ("voucherId" bigint, amount bigint) group by 1
  ) as r
  where v.app_id = $1 and v.id = r.id`;

export async function returnVouchers(
  sql: Sql,
  appId: number,
  refunds: readonly VoucherRefund[],
  now: Date,
): Promise<void> {
  await sql.rows(RETURN_VOUCHERS, [appId, JSON.stringify(refunds), now]);
}

const WITHDRAW_POINTS = `
  with taken as (
    update loyalty_bookings b set taken_back_at = $3
    where b.app_id = $1 and b.order_id = any($2::bigint[]) and b.taken_back_at is null
    returning b.customer_id, b.points
  )
  update customers c set loyalty_points = c.loyalty_points - taken.points, updated_at = $3
  from (select customer_id, sum(points) as points from taken group by customer_id) taken
  where c.app_id = $1 and c.id = taken.customer_id
  returning c.id`;

export async function withdrawPoints(
  sql: Sql,
  appId: number,
  orderIds: readonly number[],
  now: Date,
): Promise<number[]> {
  const customers = await sql.rows<{ readonly id: number }>(WITHDRAW_POINTS, [appId, orderIds, now]);
  return customers.map(({ id }) => id);
}
