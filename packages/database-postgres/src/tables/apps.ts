import { appId, bigint, boolean, bytea, identity, jsonb, smallint, text, texts, timestamptz, uuid } from './columns.js';
import { defineTable } from './define-table.js';

export const APPS = defineTable({
  name: 'apps',
  columns: {
    id: identity(),
    media_prefix: text(),
    inserted_at: timestamptz(),
  },
  uniques: {
    apps_media_prefix_key: ['media_prefix'],
  },
  checks: {
    apps_media_prefix_check: "media_prefix ~ '^[a-z0-9]{8}$'",
  },
});

export const APP_SETTINGS = defineTable({
  name: 'app_settings',
  columns: {
    app_id: appId(),
    name: text(),
    currency: text(),
    default_language: text().default('en'),
    translations: jsonb<unknown>().default({}),
    settings: jsonb<unknown>().default({}),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    app_settings_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  checks: {
    app_settings_currency_check: "currency ~ '^[A-Z]{3}$'",
  },
});

export const ACCESS_TOKENS = defineTable({
  name: 'access_tokens',
  columns: {
    app_id: appId(),
    id: identity(),
    kind: text(),
    token_hash: bytea(),
    language: text().nullable(),
    inserted_at: timestamptz(),
    expires_at: timestamptz().nullable(),
    revoked_at: timestamptz().nullable(),
    customer_id: bigint().nullable(),
    device_id: bigint().nullable(),
    device_uuid: text().nullable(),
    device_type: text().nullable(),
    device_vendor: text().nullable(),
    mobile_info: text().nullable(),
    mobile_info_is_object: boolean().default(false),
    firebase_token: text().nullable(),
    name: text().nullable(),
    scopes: texts().nullable(),
    last_used_at: timestamptz().nullable(),
    upload_folder: text().nullable(),
    upload_preset_id: bigint().nullable(),
    created_by: bigint().nullable(),
  },
  foreignKeys: {
    access_tokens_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  uniques: {
    access_tokens_token_hash_key: ['app_id', 'token_hash'],
  },
  checks: {
    access_tokens_kind_check: "kind in ('app', 'session', 'upload')",
    access_tokens_token_hash_check: 'octet_length(token_hash) = 32',
  },
  indexes: {
    access_tokens_created_idx: { columns: ['app_id', 'created_by'], where: 'created_by is not null' },
    access_tokens_hash_idx: ['token_hash'],
    access_tokens_listed_idx: ['app_id', 'kind', 'id'],
    access_tokens_customer_idx: { columns: ['app_id', 'customer_id'], where: 'customer_id is not null' },
  },
  sqlIndexes: {
    access_tokens_ended_idx: 'by an expression',
  },
});

export const AUDIT_LOG = defineTable({
  name: 'audit_log',
  columns: {
    app_id: appId(),
    id: identity(),
    at: timestamptz(),
    actor: text(),
    token_id: bigint().nullable(),
    customer_id: bigint().nullable(),
    address: text().nullable(),
    request_id: text().nullable(),
    service_request_id: text().nullable(),
    action: text(),
    subject_id: bigint().nullable(),
    before: jsonb<unknown>().nullable(),
    after: jsonb<unknown>().nullable(),
  },
  foreignKeys: {
    audit_log_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  checks: {
    audit_log_actor_check: "actor in ('app', 'session', 'cli', 'worker')",
  },
  indexes: {
    audit_log_listed_idx: ['app_id', 'at', 'id'],
    audit_log_subject_idx: ['app_id', 'action', 'subject_id', 'at'],
  },
});

export const KEYED_CALLS = defineTable({
  name: 'idempotency_keys',
  columns: {
    app_id: appId(),
    access_token_id: bigint().primary(),
    key: text().primary(),
    fingerprint: bytea(),
    run: uuid(),
    leased_until: timestamptz(),
    outcome: bytea().nullable(),
    status: smallint().nullable(),
    headers: jsonb<unknown>().nullable(),
    body: bytea().nullable(),
    inserted_at: timestamptz(),
  },
  foreignKeys: {
    idempotency_keys_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  checks: {
    idempotency_keys_fingerprint_check: 'octet_length(fingerprint) = 32',
  },
  indexes: {
    idempotency_keys_inserted_idx: ['inserted_at'],
  },
});
