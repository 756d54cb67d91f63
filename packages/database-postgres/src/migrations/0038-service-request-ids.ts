import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ServiceRequestIds1763700000038 implements MigrationInterface {
  readonly name = 'ServiceRequestIds1763700000038';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table audit_log add column service_request_id text');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
