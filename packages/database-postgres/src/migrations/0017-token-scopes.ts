import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // Existing tokens keep every scope, because null means every scope.
  `alter table access_tokens add column name text, add column scopes text[], add column last_used_at timestamptz`,
  `create index access_tokens_listed_idx on access_tokens (app_id, kind, id)`,
];

export class TokenScopes1763700000017 implements MigrationInterface {
  readonly name = 'TokenScopes1763700000017';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
