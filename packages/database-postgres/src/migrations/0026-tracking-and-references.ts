import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `alter table orders add column tracking jsonb not null default '[]'`,
  // One call may swap the references of two products, so PostgreSQL checks uniqueness at the end of the statement.
  'alter table products drop constraint products_external_ref_key',
  'alter table products add constraint products_external_ref_key unique (app_id, external_ref) deferrable',
];

export class TrackingAndReferences1763700000026 implements MigrationInterface {
  readonly name = 'TrackingAndReferences1763700000026';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
