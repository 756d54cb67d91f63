import type { MigrationInterface, QueryRunner } from 'typeorm';

// Sales to guests have no customer, and only imported orders have an external reference. Until it is converted, a
// proforma has no order. An index without these rows is written less often.
const STATEMENTS = [
  'alter table proforma_orders drop constraint proforma_orders_order_key',
  'create unique index proforma_orders_order_key on proforma_orders (app_id, order_id) where order_id is not null',
  'drop index orders_customer_idx',
  `create index orders_customer_idx on orders (app_id, customer_id, inserted_at desc, id desc)
    where customer_id is not null`,
  'alter table orders drop constraint orders_external_ref_key',
  'create unique index orders_external_ref_key on orders (app_id, external_ref) where external_ref is not null',
  'drop index payments_order_idx',
  'create index payments_order_idx on payments (app_id, order_id) where order_id is not null',
];

export class SmallerIndexes1763700000027 implements MigrationInterface {
  readonly name = 'SmallerIndexes1763700000027';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
