import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `alter table access_tokens drop constraint access_tokens_kind_check`,
  `alter table access_tokens add constraint access_tokens_kind_check check (kind in ('app', 'session', 'upload'))`,
  `alter table access_tokens add column upload_folder text, add column upload_preset_id bigint`,
  // The index now includes upload tokens, which are removed like sessions after they expire.
  `drop index access_tokens_ended_idx`,
  `create index access_tokens_ended_idx on access_tokens (least(expires_at, revoked_at)) where kind <> 'app'`,
];

export class UploadTokens1763700000022 implements MigrationInterface {
  readonly name = 'UploadTokens1763700000022';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
