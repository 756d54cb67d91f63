import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createAppTable } from '../schema/app-table.js';

const AUDIT_LOG = {
  name: 'audit_log',
  definition: `
    app_id bigint not null,
    id bigint generated always as identity,
    at timestamptz not null,
    actor text not null constraint audit_log_actor_check check (actor in ('app', 'session', 'cli', 'worker')),
    token_id bigint,
    customer_id bigint,
    address text,
    request_id text,
    action text not null,
    subject_id bigint,
    before jsonb,
    after jsonb,
    constraint audit_log_pkey primary key (app_id, id)`,
  foreignKeys: { audit_log_app_id_fkey: 'foreign key (app_id) references apps (id)' },
};

const INDEXES = [
  `create index audit_log_listed_idx on audit_log (app_id, at, id)`,
  `create index audit_log_subject_idx on audit_log (app_id, action, subject_id, at)`,
];

export class AuditLog1763700000020 implements MigrationInterface {
  readonly name = 'AuditLog1763700000020';

  async up(runner: QueryRunner): Promise<void> {
    await createAppTable(runner, AUDIT_LOG);
    for (const statement of INDEXES) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
