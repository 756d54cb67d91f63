import { USAGES } from '../tables/files.js';

// In the order of the callers' select lists.
const RECORDED = USAGES.columns.pick(
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
 * Start of a statement that records usages, one per field with a URL. Records of the service have no label: lists show
 * their current name.
 */
export const RECORD_USAGES = `insert into cdn_usages (${RECORDED.list})`;
