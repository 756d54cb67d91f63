import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `create index proforma_orders_deadline_idx on proforma_orders (app_id, due_at) where due_at is not null`,
  `drop index proforma_orders_due_idx`,
  `create index proforma_orders_updated_idx on proforma_orders (app_id, updated_at, id)`,
];

export class ProformasByApp1763700000009 implements MigrationInterface {
  readonly name = 'ProformasByApp1763700000009';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
