import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions can be found by their end. */
const STATEMENTS = [
  `create index access_tokens_ended_idx on access_tokens (least(expires_at, revoked_at)) where kind = 'session'`,
];

export class PeopleAndSessions1763700000005 implements MigrationInterface {
  readonly name = 'PeopleAndSessions1763700000005';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
