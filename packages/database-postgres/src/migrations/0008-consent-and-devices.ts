import type { MigrationInterface, QueryRunner } from 'typeorm';

// The last change of a consent switch is its state; a switch without changes is granted. Steps are numbered from 1: odd
// steps revoke, even steps grant. A check constraint refuses changes without effect.
const STATEMENTS = [
  `create table customer_consent_changes (
    app_id bigint not null,
    id bigint generated always as identity,
    customer_id bigint not null,
    channel text not null check (channel in ('master', 'email', 'sms', 'push', 'viber')),
    step bigint not null check (step > 0),
    from_state text not null check (from_state in ('granted', 'revoked')),
    to_state text not null check (to_state in ('granted', 'revoked')),
    source text not null,
    changed_at timestamptz not null,
    primary key (app_id, id),
    constraint customer_consent_changes_step_key unique (app_id, customer_id, channel, step),
    constraint customer_consent_changes_customer_fkey foreign key (app_id, customer_id) references customers (app_id, id),
    constraint customer_consent_changes_real_check check (
      from_state <> to_state and (to_state = 'revoked') = (step % 2 = 1)
    )
  )`,
  `create index customer_consent_changes_customer_idx on customer_consent_changes (app_id, customer_id, id)`,
  `alter table access_tokens add column device_uuid text, add column device_type text, add column device_vendor text,
    add column mobile_info text, add column firebase_token text`,
  `create table notification_devices (
    app_id bigint not null,
    id bigint generated always as identity,
    customer_id bigint not null,
    uuid text not null,
    messaging_token text not null,
    notification_channel_id smallint not null check (notification_channel_id = 3),
    device_type text,
    device_vendor text,
    mobile_info text,
    inserted_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (app_id, id),
    constraint notification_devices_uuid_key unique (app_id, customer_id, uuid),
    constraint notification_devices_messaging_token_key unique (app_id, messaging_token),
    constraint notification_devices_customer_fkey foreign key (app_id, customer_id) references customers (app_id, id)
  )`,
];

export class ConsentAndDevices1763700000008 implements MigrationInterface {
  readonly name = 'ConsentAndDevices1763700000008';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
