import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  ...['product_variants', 'proforma_items', 'order_items'].map(
    (table) => `alter table ${table} alter column code drop not null`,
  ),
  `create index product_images_variant_idx on product_images (app_id, product_variant_id, id)
    where product_variant_id is not null`,
  `create index product_variants_price_idx on product_variants (app_id, price, product_id) where price is not null`,
];

/** Variants may have no code, show their own images, and are found by their prices. */
export class VariantsInFull1763700000033 implements MigrationInterface {
  readonly name = 'VariantsInFull1763700000033';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
