import { appId, bigint, bytea, identity, jsonb, smallint, text, timestamptz, uuid } from './columns.js';
import { defineTable } from './define-table.js';

export const APPS = defineTable({
  name: 'apps',
  columns: {
    id: identity(),
    name: text(),
    currency: text(),
    default_language: text().default('en'),
    translations: jsonb<unknown>().default({}),
    settings: jsonb<unknown>().default({}),
    media_prefix: text(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  uniques: {
    apps_media_prefix_key: ['media_prefix'],
  },
  checks: {
    apps_currency_check: "currency ~ '^[A-Z]{3}$'",
    apps_media_prefix_check: "media_prefix ~ '^[a-z0-9]{8}$'",
  },
});

export const ACCESS_TOKENS = defineTable({
  name: 'access_tokens',
  columns: {
    id: identity(),
    app_id: bigint(),
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
    firebase_token: text().nullable(),
  },
  foreignKeys: {
    access_tokens_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  uniques: {
    access_tokens_token_hash_key: ['token_hash'],
  },
  checks: {
    access_tokens_kind_check: "kind in ('app', 'session')",
    access_tokens_token_hash_check: 'octet_length(token_hash) = 32',
  },
  indexes: {
    access_tokens_customer_idx: { columns: ['app_id', 'customer_id'], where: 'customer_id is not null' },
  },
  sqlIndexes: {
    access_tokens_ended_idx: 'by an expression',
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
