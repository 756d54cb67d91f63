import type { EarnedPoints, SettledVoucher } from '@back-office/proforma';
import type { Transaction } from '../database/database.js';

const LET_GO = `
  with settled as (
    select * from json_to_recordset($2) as r ("proformaId" bigint, "voucherId" bigint, spent bigint)
  ), locked as materialized (
    select v.id from vouchers v join settled on settled."voucherId" = v.id and settled."proformaId" = v.held_by
    where v.app_id = $1 order by v.id for update of v
  )
  update vouchers v set spent = v.spent + settled.spent, held_by = null, updated_at = $3
  from settled, locked where v.app_id = $1 and v.id = locked.id and v.id = settled."voucherId"`;

/** Vouchers that are no longer held: what was not spent of them can be used again. */
export async function settleVouchers(
  transaction: Transaction,
  appId: number,
  settled: readonly SettledVoucher[],
  now: Date,
): Promise<void> {
  if (settled.length === 0) return;
  transaction.locks('voucher');
  await transaction.rows(LET_GO, [appId, JSON.stringify(settled), now]);
}

const BOOK = `
  with earned as (
    insert into loyalty_bookings (app_id, order_id, customer_id, points, inserted_at)
    select $1, "orderId", "customerId", points, $3
    from json_to_recordset($2) as r ("orderId" bigint, "customerId" bigint, points bigint)
    returning customer_id, points
  )
  update customers c set loyalty_points = c.loyalty_points + earned.points, updated_at = $3
  from (select customer_id, sum(points) as points from earned group by customer_id) earned
  where c.app_id = $1 and c.id = earned.customer_id`;

/** Points that customers earned by their orders: once per order, for ever. */
export async function bookPoints(
  transaction: Transaction,
  appId: number,
  earned: readonly EarnedPoints[],
  now: Date,
): Promise<void> {
  if (earned.length === 0) return;
  transaction.locks('customer');
  await transaction.rows(BOOK, [appId, JSON.stringify(earned), now]);
}
