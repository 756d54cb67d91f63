import { among } from '../lists/list-conditions.js';

/**
 * CTEs that book changed reservations. They insert one movement per warehouse, reference and kind, in this order,
 * because the foreign keys lock the warehouses.
 * `change` names a CTE of (line_id, variant_id, warehouse_id, qty, delta, reference). Its shelves must be locked. `qty`
 * is the new quantity, or null in the warehouse that the line leaves.
 */
export function bookReservationsSql(change: string, appId: string, now: string): string {
  return `
  reservation_dropped as (
    delete from stock_reservations r using ${change} c
    where r.app_id = ${appId} and ${among('r.proforma_item_id', change, 'line_id')}
      and r.proforma_item_id = c.line_id and c.qty = 0
  ), reservation_kept as (
    insert into stock_reservations
      (app_id, proforma_item_id, product_variant_id, warehouse_id, qty, inserted_at, updated_at)
    select ${appId}, line_id, variant_id, warehouse_id, qty, ${now}, ${now} from ${change} where qty > 0
    on conflict (app_id, proforma_item_id) do update
      set warehouse_id = excluded.warehouse_id, qty = excluded.qty, updated_at = excluded.updated_at
  ), reservation_entry as (
    select reference, warehouse_id, variant_id, case when delta > 0 then 'reserve' else 'release' end as kind,
      sum(delta)::bigint as qty
    from ${change} group by 1, 2, 3, 4
  ), reservation_movement as (
    insert into stock_movements (app_id, warehouse_id, kind, reference, booked_at)
    select distinct ${appId}::bigint, warehouse_id, kind, reference, ${now}::timestamptz from reservation_entry
    order by warehouse_id, reference, kind
    returning id, warehouse_id, kind, reference
  ), reservation_movement_line as (
    insert into stock_movement_lines (app_id, movement_id, product_variant_id, qty)
    select ${appId}, m.id, e.variant_id, e.qty
    from reservation_entry e join reservation_movement m using (warehouse_id, kind, reference)
    order by m.id, e.variant_id
  ), reservation_sum as (
    update stocks s set reserved = s.reserved + d.delta, updated_at = ${now}
    from (select variant_id, warehouse_id, sum(delta)::bigint as delta from ${change} group by 1, 2) as d
    where s.app_id = ${appId} and ${among('s.product_variant_id', change, 'variant_id')}
      and s.product_variant_id = d.variant_id and s.warehouse_id = d.warehouse_id
  )`;
}

const lockShelvesStatement = (shelves: string): string => `
  select s.product_variant_id as "variantId", s.warehouse_id as "warehouseId", w.code as "warehouseCode",
    s.on_hand as "onHand", s.reserved
  from stocks s join warehouses w on w.app_id = $1 and w.id = s.warehouse_id
  where s.app_id = $1 and (s.product_variant_id, s.warehouse_id) in (${shelves})
  order by s.product_variant_id, s.warehouse_id for update of s`;

const SELECT_SHELVES = 'select * from unnest($2::bigint[], $3::bigint[])';

export const LOCK_SHELVES = lockShelvesStatement(SELECT_SHELVES);

/**
 * Locks the same shelves as {@link LOCK_SHELVES}, and shelves from which larger reservations of the variants ($4) may
 * take stock. These are in the warehouse of the evaluation ($5), or in every sellable warehouse.
 */
export const LOCK_SHELVES_AND_SOURCES = lockShelvesStatement(`${SELECT_SHELVES}
    union
    select growing.variant_id, w.id
    from unnest($4::bigint[], $5::bigint[]) as growing (variant_id, evaluation_id)
    join order_processings e on e.app_id = $1 and e.id = growing.evaluation_id
    join warehouses w on w.app_id = $1 and w.id = coalesce(e.warehouse_id, w.id) and w.sellable and w.deleted_at is null
  `);

// Must run after the shelves of these warehouses are locked: a statement that waits for locks does not see what was
// committed during the wait. Locking warehouses after stock violates the lock order but cannot deadlock. This statement
// waits only for changes of warehouses, which lock in the order of ids and never wait for stock.
export const SHARE_WAREHOUSES = `
  select id, sellable and deleted_at is null as "isSelling" from warehouses
  where app_id = $1 and id = any($2::bigint[])
  order by id for key share`;
