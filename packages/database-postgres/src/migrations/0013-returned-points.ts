import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [`alter table loyalty_bookings add column taken_back_at timestamptz`];

export class ReturnedPoints1763700000013 implements MigrationInterface {
  readonly name = 'ReturnedPoints1763700000013';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
