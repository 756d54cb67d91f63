/** A statement that returns a row for each statement that waits for a lock. */
export const LOCK_WAITS = `
  select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;
