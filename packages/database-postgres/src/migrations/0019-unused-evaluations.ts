import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  'create index order_processings_unused_idx on order_processings (app_id, inserted_at) where consumed_at is null',
  'create index order_processings_customer_idx on order_processings (app_id, customer_id) where customer_id is not null',
];

export class UnusedEvaluations1763700000019 implements MigrationInterface {
  readonly name = 'UnusedEvaluations1763700000019';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
