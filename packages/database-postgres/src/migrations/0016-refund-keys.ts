import type { MigrationInterface, QueryRunner } from 'typeorm';

// Existing refunds keep their keys, which have no random part.
const STATEMENTS = ['alter table payments add column key_part text'];

export class RefundKeys1763700000016 implements MigrationInterface {
  readonly name = 'RefundKeys1763700000016';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
