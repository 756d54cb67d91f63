import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createAppTable } from '../schema/app-table.js';

const STATEMENTS = [
  'alter table payments add column external_ref text, add column received_at timestamptz, add column payer jsonb',
  `create unique index payments_external_ref_key on payments (app_id, external_ref)
    where external_ref is not null`,
];

/** References by which a repeated payment or stock call is recognised. */
export class PaymentAndStockReferences1763700000031 implements MigrationInterface {
  readonly name = 'PaymentAndStockReferences1763700000031';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
    await createAppTable(runner, {
      name: 'stock_references',
      definition: `
        app_id bigint not null,
        reference text not null,
        content_hash text not null,
        updated integer not null default 0,
        failed jsonb not null default '[]',
        movement_ids jsonb not null default '[]',
        booked_at timestamptz not null,
        primary key (app_id, reference)`,
      foreignKeys: { stock_references_app_id_fkey: 'foreign key (app_id) references apps (id)' },
    });
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
