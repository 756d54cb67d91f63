import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createAppTable } from '../schema/app-table.js';

const ENDPOINTS = {
  name: 'webhook_endpoints',
  definition: `
    app_id bigint not null,
    id bigint generated always as identity,
    url text not null,
    description text,
    types text[],
    subject text,
    areas text[],
    status text not null constraint webhook_endpoints_status_check check (status in ('active', 'paused', 'switched_off')),
    status_reason text,
    secrets jsonb not null,
    position bigint not null,
    failures integer not null default 0,
    failing_since timestamptz,
    retry_at timestamptz,
    revision integer not null default 0,
    lease uuid,
    leased_until timestamptz,
    inserted_at timestamptz not null,
    updated_at timestamptz not null,
    constraint webhook_endpoints_pkey primary key (app_id, id)`,
  foreignKeys: { webhook_endpoints_app_id_fkey: 'foreign key (app_id) references apps (id)' },
};

const DELIVERIES = {
  name: 'webhook_deliveries',
  definition: `
    app_id bigint not null,
    endpoint_id bigint not null,
    event_id bigint not null,
    position bigint not null,
    at timestamptz not null,
    type text not null,
    record_id bigint not null,
    warehouse_id bigint,
    part_id bigint,
    removed jsonb,
    subject text not null,
    status text not null constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'failed')),
    attempts integer not null,
    first_attempt_at timestamptz,
    last_attempt_at timestamptz,
    next_attempt_at timestamptz,
    url text,
    request_bytes integer,
    latency_ms integer,
    response_status integer,
    error text,
    response_text text,
    constraint webhook_deliveries_pkey primary key (app_id, endpoint_id, event_id)`,
  foreignKeys: {
    webhook_deliveries_endpoint_fkey: `foreign key (app_id, endpoint_id) references webhook_endpoints (app_id, id)`,
  },
};

const INDEXES = [
  `create index webhook_deliveries_listed_idx on webhook_deliveries (app_id, endpoint_id, position)`,
  `create index webhook_deliveries_position_idx on webhook_deliveries (app_id, position)`,
  `create index webhook_deliveries_pending_idx on webhook_deliveries (app_id, endpoint_id, subject, position)
     where status = 'pending'`,
  `create index webhook_deliveries_due_idx on webhook_deliveries (app_id, endpoint_id, next_attempt_at)
     where next_attempt_at is not null`,
];

export class Webhooks1763700000024 implements MigrationInterface {
  readonly name = 'Webhooks1763700000024';

  async up(runner: QueryRunner): Promise<void> {
    await createAppTable(runner, ENDPOINTS);
    await createAppTable(runner, DELIVERIES);
    for (const statement of INDEXES) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
