import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  'alter table cdn_renditions add column listed boolean not null default true',
  'alter table cdn_pdf_pages add column listed boolean not null default true',
];

export class ListedRenditions1763700000015 implements MigrationInterface {
  readonly name = 'ListedRenditions1763700000015';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
