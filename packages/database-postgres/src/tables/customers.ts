import { appId, bigint, boolean, identity, integer, smallint, text, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';

export const CUSTOMERS = defineTable({
  name: 'customers',
  columns: {
    app_id: appId(),
    id: identity(),
    data_part: smallint(),
    time_part: integer(),
    external_ref: text().nullable(),
    email: text(),
    first_name: text(),
    last_name: text(),
    phone: text().nullable(),
    viber_subscribed: boolean().default(false),
    preferred_notification_channel_id: smallint().nullable(),
    loyalty_points: bigint().default(0),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
    search_text: text()
      .nullable()
      .generatedAs(
        "folded_for_people(((((((((((COALESCE(first_name, ''::text) || ' '::text) || COALESCE(last_name, ''::text)) || ' '::text) || COALESCE(email, ''::text)) || ' '::text) || COALESCE(phone, ''::text)) || chr(10)) || COALESCE(last_name, ''::text)) || ' '::text) || COALESCE(first_name, ''::text)))",
      ),
  },
  foreignKeys: {
    customers_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  uniques: {
    customers_external_ref_key: ['app_id', 'external_ref'],
  },
  checks: {
    customers_data_part_check: 'data_part between 1 and 64',
    customers_loyalty_points_check: 'loyalty_points >= 0',
    customers_preferred_notification_channel_id_check: 'preferred_notification_channel_id between 1 and 4',
    customers_time_part_check: 'time_part >= 0',
  },
  indexes: {
    customers_updated_idx: ['app_id', 'updated_at', 'id'],
  },
  sqlIndexes: {
    customers_email_key: 'by an expression',
    customers_name_idx: 'by an expression',
    customers_search_idx: 'by letter triples',
  },
});

export const CARDS = defineTable({
  name: 'cards',
  columns: {
    app_id: appId(),
    id: identity(),
    data_part: smallint(),
    time_part: integer(),
    barcode: text(),
    external_ref: text().nullable(),
    customer_id: bigint().nullable(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    cards_app_id_fkey: ['apps', { app_id: 'id' }],
    cards_customer_fkey: ['customers', { app_id: 'app_id', customer_id: 'id' }],
  },
  uniques: {
    cards_barcode_key: ['app_id', 'barcode'],
    cards_external_ref_key: ['app_id', 'external_ref'],
  },
  checks: {
    cards_data_part_check: 'data_part between 1 and 64',
    cards_time_part_check: 'time_part >= 0',
  },
  indexes: {
    cards_customer_idx: { columns: ['app_id', 'customer_id'], where: 'customer_id is not null' },
  },
});

export const CONSENT_CHANGES = defineTable({
  name: 'customer_consent_changes',
  columns: {
    app_id: appId(),
    id: identity(),
    customer_id: bigint(),
    channel: text(),
    step: bigint(),
    from_state: text(),
    to_state: text(),
    source: text(),
    changed_at: timestamptz(),
  },
  foreignKeys: {
    customer_consent_changes_customer_fkey: ['customers', { app_id: 'app_id', customer_id: 'id' }],
  },
  uniques: {
    customer_consent_changes_step_key: ['app_id', 'customer_id', 'channel', 'step'],
  },
  checks: {
    customer_consent_changes_channel_check: "channel in ('master', 'email', 'sms', 'push', 'viber')",
    customer_consent_changes_from_state_check: "from_state in ('granted', 'revoked')",
    customer_consent_changes_real_check: "from_state <> to_state and (to_state = 'revoked') = (step % 2 = 1)",
    customer_consent_changes_step_check: 'step > 0',
    customer_consent_changes_to_state_check: "to_state in ('granted', 'revoked')",
  },
  indexes: {
    customer_consent_changes_customer_idx: ['app_id', 'customer_id', 'id'],
  },
});

export const DEVICES = defineTable({
  name: 'notification_devices',
  columns: {
    app_id: appId(),
    id: identity(),
    customer_id: bigint(),
    uuid: text(),
    messaging_token: text(),
    notification_channel_id: smallint(),
    device_type: text().nullable(),
    device_vendor: text().nullable(),
    mobile_info: text().nullable(),
    mobile_info_is_object: boolean().default(false),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    notification_devices_customer_fkey: ['customers', { app_id: 'app_id', customer_id: 'id' }],
  },
  uniques: {
    notification_devices_uuid_key: ['app_id', 'customer_id', 'uuid'],
  },
  checks: {
    notification_devices_notification_channel_id_check: 'notification_channel_id = 3',
  },
  sqlIndexes: {
    notification_devices_token_key: 'by a hash, because tokens may be longer than an entry of an index',
  },
});

export const LOYALTY_BOOKINGS = defineTable({
  name: 'loyalty_bookings',
  columns: {
    app_id: appId(),
    order_id: bigint().primary(),
    customer_id: bigint(),
    points: bigint(),
    inserted_at: timestamptz(),
    taken_back_at: timestamptz().nullable(),
  },
  foreignKeys: {
    loyalty_bookings_customer_fkey: ['customers', { app_id: 'app_id', customer_id: 'id' }],
    loyalty_bookings_order_fkey: ['orders', { app_id: 'app_id', order_id: 'id' }],
  },
  checks: {
    loyalty_bookings_points_check: 'points > 0',
  },
});
