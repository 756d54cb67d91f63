import type { MigrationInterface, QueryRunner } from 'typeorm';

// Tokens of earlier releases keep what they could do.
const giveScope = (scope: string, holder: string): string => `
  update access_tokens set scopes = scopes || array['${scope}']
  where kind = 'app' and '${holder}' = any(scopes) and not '${scope}' = any(scopes)`;

export class NarrowScopes1763700000037 implements MigrationInterface {
  readonly name = 'NarrowScopes1763700000037';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(giveScope('customers:erase', 'customers:write'));
    await runner.query(giveScope('audit:write', 'settings:write'));
    await runner.query('alter table access_tokens add column created_by bigint');
    await runner.query(`create index access_tokens_created_idx on access_tokens (app_id, created_by)
      where created_by is not null`);
    await runner.query('alter table webhook_endpoints add column created_by bigint');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
