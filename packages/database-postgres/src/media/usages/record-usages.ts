import { USAGES } from '../../tables/files.js';

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

/** Stores no label for usages by the service's own records, because lists show the record's current name. */
export const RECORD_USAGES = `insert into cdn_usages (${USAGE_COLUMNS.list})`;
