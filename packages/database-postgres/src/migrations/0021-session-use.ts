import type { MigrationInterface, QueryRunner } from 'typeorm';

// Existing sessions get a last use, so that the new idle limit does not end them at the upgrade.
const STATEMENTS = [
  `update access_tokens set last_used_at = now()
   where kind = 'session' and last_used_at is null and revoked_at is null and expires_at > now()`,
];

export class SessionUse1763700000021 implements MigrationInterface {
  readonly name = 'SessionUse1763700000021';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
