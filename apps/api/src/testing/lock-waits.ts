/** A statement that returns a row for each statement that waits for a lock, on a cluster those of all nodes. */
export const LOCK_WAITS = `
  select 1 from ${process.env['CLUSTER'] === '1' ? 'citus_stat_activity' : 'pg_stat_activity'}
  where datname = current_database() and wait_event_type = 'Lock'`;
