import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds a voucher by a code that a person typed. */
export class LooseVoucherCodes1763700000035 implements MigrationInterface {
  readonly name = 'LooseVoucherCodes1763700000035';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index vouchers_loose_code_idx on vouchers (app_id, lower(btrim(code)))');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
