import { USAGES } from '../tables/files.js';

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

/** The service stores no label for its records, because lists show their current name. */
export const RECORD_USAGES = `insert into cdn_usages (${USAGE_COLUMNS.list})`;
