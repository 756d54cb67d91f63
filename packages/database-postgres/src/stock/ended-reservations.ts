export const LOCK_ON_HAND = `
  select product_variant_id as variant_id, warehouse_id, on_hand from stocks
  where app_id = $1 and (product_variant_id, warehouse_id) in (select * from unnest($2::bigint[], $3::bigint[]))
  order by product_variant_id, warehouse_id for update`;

/**
 * CTEs that book reserved pieces as shipped (`ship`) or released (`release`). They insert one movement per warehouse,
 * reference and kind, in this order, because the foreign keys lock the warehouses.
 * `endedCte` names a CTE of (proforma_item_id, variant_id, warehouse_id, qty, kind, reference). Its shelves must be
 * locked.
 */
export function bookEndedReservationsSql(endedCte: string, appId: string, now: string): string {
  return `
  ended_reservation as (
    delete from stock_reservations r using ${endedCte} d
    where r.app_id = ${appId} and r.proforma_item_id = d.proforma_item_id
  ), ended_entry as (
    select reference, warehouse_id, variant_id, kind, sum(qty)::bigint as qty from ${endedCte} group by 1, 2, 3, 4
  ), ended_movement as (
    insert into stock_movements (app_id, warehouse_id, kind, reference, booked_at)
    select distinct ${appId}::bigint, warehouse_id, kind, reference, ${now}::timestamptz from ended_entry
    order by warehouse_id, reference, kind
    returning id, warehouse_id, kind, reference
  ), ended_line as (
    insert into stock_movement_lines (app_id, movement_id, product_variant_id, qty)
    select ${appId}, m.id, e.variant_id, -e.qty
    from ended_entry e join ended_movement m using (warehouse_id, kind, reference)
    order by m.id, e.variant_id
  ), ended_sum as (
    update stocks s set on_hand = s.on_hand - d.shipped, reserved = s.reserved - d.qty, updated_at = ${now}
    from (
      select variant_id, warehouse_id, sum(qty)::bigint as qty,
        coalesce(sum(qty) filter (where kind = 'ship'), 0)::bigint as shipped
      from ended_entry group by 1, 2
    ) as d
    where s.app_id = ${appId} and s.product_variant_id = d.variant_id and s.warehouse_id = d.warehouse_id
  )`;
}
