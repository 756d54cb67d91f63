import { text, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';

export const WORKERS = defineTable({
  name: 'workers',
  schema: 'job_queue',
  columns: {
    worker: text().primary(),
    seen_at: timestamptz(),
  },
});
