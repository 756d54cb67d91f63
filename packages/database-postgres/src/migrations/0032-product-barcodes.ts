import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  'alter table products add column barcode text',
  // One call may swap the barcodes of two products, so PostgreSQL checks uniqueness at the end of the statement.
  'alter table products add constraint products_barcode_key unique (app_id, barcode) deferrable',
  `create index products_loose_barcode_idx on products (app_id, lower(barcode)) where barcode is not null`,
];

export class ProductBarcodes1763700000032 implements MigrationInterface {
  readonly name = 'ProductBarcodes1763700000032';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
