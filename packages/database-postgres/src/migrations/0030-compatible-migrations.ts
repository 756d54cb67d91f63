import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a release mark migrations with which the release before it still works. */
export class CompatibleMigrations1763700000030 implements MigrationInterface {
  readonly name = 'CompatibleMigrations1763700000030';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table migrations add column compatible boolean not null default false');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
