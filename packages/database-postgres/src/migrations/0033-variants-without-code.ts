import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['product_variants', 'proforma_items', 'order_items'];

export class VariantsWithoutCode1763700000033 implements MigrationInterface {
  readonly name = 'VariantsWithoutCode1763700000033';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`alter table ${table} alter column code drop not null`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
