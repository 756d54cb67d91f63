import { USAGES } from '../tables/files.js';

// The select lists of callers follow this order.
const USAGE_COLUMNS = USAGES.columns.pick(
  'app_id',
  'key',
  'entity_type',
  'entity_id',
  'field',
  'label',
  'url',
  'inserted_at',
);

/**
 * Start of a statement that records usages, one per field with a URL. Records of the service have no label, because
 * lists show their current name.
 */
export const RECORD_USAGES = `insert into cdn_usages (${USAGE_COLUMNS.list})`;
