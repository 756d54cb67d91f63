/** Locks the stock rows of the places ($2 variants, $3 warehouses), in the order of their keys. */
export const LOCK_ON_HAND = `
  select product_variant_id as variant_id, warehouse_id, on_hand from stocks
  where app_id = $1 and (product_variant_id, warehouse_id) in (select * from unnest($2::bigint[], $3::bigint[]))
  order by product_variant_id, warehouse_id for update`;

/**
 * The stock ledger's part of a larger statement: reserved pieces that leave (`ship`) or go back on sale (`release`).
 * `departure` is a CTE of (proforma_item_id, variant_id, warehouse_id, qty, kind, reference). The stock rows must be
 * locked already. Each reference gets one movement per warehouse and kind.
 */
export function bookDepartures(departure: string, appId: string, now: string): string {
  return `
  departed_reservation as (
    delete from stock_reservations r using ${departure} d
    where r.app_id = ${appId} and r.proforma_item_id = d.proforma_item_id
  ), departed_entry as (
    select reference, warehouse_id, variant_id, kind, sum(qty)::bigint as qty from ${departure} group by 1, 2, 3, 4
  ), departed_movement as (
    insert into stock_movements (app_id, warehouse_id, kind, reference, booked_at)
    select distinct ${appId}::bigint, warehouse_id, kind, reference, ${now}::timestamptz from departed_entry
    returning id, warehouse_id, kind, reference
  ), departed_line as (
    insert into stock_movement_lines (app_id, movement_id, product_variant_id, qty)
    select ${appId}, m.id, e.variant_id, -e.qty
    from departed_entry e join departed_movement m using (warehouse_id, kind, reference)
  ), departed_sum as (
    update stocks s set on_hand = s.on_hand - d.shipped, reserved = s.reserved - d.qty, updated_at = ${now}
    from (
      select variant_id, warehouse_id, sum(qty)::bigint as qty,
        coalesce(sum(qty) filter (where kind = 'ship'), 0)::bigint as shipped
      from departed_entry group by 1, 2
    ) as d
    where s.app_id = ${appId} and s.product_variant_id = d.variant_id and s.warehouse_id = d.warehouse_id
  )`;
}
