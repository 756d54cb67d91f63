import { appId, bigint, double, identity, integer, text, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';

export const LOCATIONS = defineTable({
  name: 'app_locations',
  columns: {
    app_id: appId(),
    id: identity(),
    code: text().nullable(),
    external_ref: text().nullable(),
    name: text(),
    latitude: double(),
    longitude: double(),
    address_line_1: text().nullable(),
    city: text().nullable(),
    postcode: text().nullable(),
    image_url: text().nullable(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    app_locations_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  deferrableUniques: {
    app_locations_code_key: ['app_id', 'code'],
    app_locations_external_ref_key: ['app_id', 'external_ref'],
  },
  checks: {
    app_locations_latitude_check: 'latitude between -90 and 90',
    app_locations_longitude_check: 'longitude between -180 and 180',
  },
  indexes: {
    app_locations_latitude_idx: ['app_id', 'latitude'],
  },
});

export const ATTENDANCES = defineTable({
  name: 'customer_attendances',
  columns: {
    app_id: appId(),
    id: identity(),
    customer_id: bigint(),
    app_location_id: bigint(),
    latitude: double(),
    longitude: double(),
    accuracy: double().nullable(),
    distance_m: integer(),
    inserted_at: timestamptz(),
  },
  foreignKeys: {
    customer_attendances_customer_fkey: ['customers', { app_id: 'app_id', customer_id: 'id' }],
    customer_attendances_location_fkey: ['app_locations', { app_id: 'app_id', app_location_id: 'id' }],
  },
  checks: {
    customer_attendances_distance_m_check: 'distance_m >= 0',
  },
  sqlIndexes: {
    customer_attendances_newest_idx: 'newest first',
  },
});
