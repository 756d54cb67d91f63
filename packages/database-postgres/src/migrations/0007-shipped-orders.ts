import type { MigrationInterface, QueryRunner } from 'typeorm';

// Stores the shipping time, because shipped orders cannot be canceled even if their delivery status changes later.
const STATEMENTS = [
  `alter table orders add column shipped_at timestamptz`,
  `update orders o set shipped_at = coalesce(moved.at, o.updated_at)
   from orders same
   left join (
     select app_id, reference, min(booked_at) as at from stock_movements where kind = 'ship' group by app_id, reference
   ) as moved on moved.app_id = same.app_id and moved.reference = same.order_number
   where same.app_id = o.app_id and same.id = o.id and (o.delivery_status_id in (2, 3) or moved.at is not null)`,
];

export class ShippedOrders1763700000007 implements MigrationInterface {
  readonly name = 'ShippedOrders1763700000007';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
