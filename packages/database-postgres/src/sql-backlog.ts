import type { Backlog, BacklogFigures } from '@back-office/database';
import { STATUSES, statusId } from '@back-office/proforma';
import type { Postgres } from './connection/postgres.js';
import { OPEN_IDS } from './proformas/status-ids.js';

// Reads partial indexes and the current reservations, so the time depends on the waiting work, not on the size of the
// tables. The queue of jobs uses the clock of the server.
const SUM_BACKLOG = `
  /* across apps: waiting work */
  with open as (
    select status_id, due_at from proforma_orders where due_at is not null
    union all
    select status_id, due_at from proforma_orders where due_at is null and status_id in (${OPEN_IDS})
  ), job as (
    select run_at, attempts < max_attempts as "isRetried" from graphile_worker.jobs where locked_at is null
  )
  select (
    select coalesce(json_object_agg(status_id, count), '{}') from (
      select status_id, count(*) as count from open group by status_id
    ) as by_status
  ) as "openByStatusId", (
    select json_build_object('count', count(*), 'dueForSeconds', coalesce(extract(epoch from $1 - min(due_at)), 0))
    from open where due_at <= $1::timestamptz
  ) as "overdueProformas", (
    select count(*) from stock_reservations
  ) as "reservedLines", (
    select json_build_object('count', count(*),
      'dueForSeconds', greatest(coalesce(extract(epoch from $1 - min(next_attempt_at)), 0), 0))
    from payments where next_attempt_at is not null
  ) as "pendingRefunds", (
    select json_build_object('count', count(*), 'dueForSeconds', coalesce(extract(epoch from now() - min(run_at)), 0))
    from job where "isRetried" and run_at <= now()
  ) as "dueJobs", (
    select count(*) from job where not "isRetried"
  ) as "failedJobs"`;

interface FiguresRow extends Omit<BacklogFigures, 'openProformas'> {
  readonly openByStatusId: Readonly<Record<string, number>>;
}

export class SqlBacklog implements Backlog {
  constructor(private readonly database: Postgres) {}

  async figures(now: Date): Promise<BacklogFigures> {
    const [row] = await this.database.rows<FiguresRow>(SUM_BACKLOG, [now]);
    const { openByStatusId, ...figures } = row as FiguresRow;
    const openCounts = STATUSES.flatMap((status) => {
      const count = openByStatusId[statusId(status)];
      return count === undefined ? [] : [[status, count] as const];
    });
    return { ...figures, openProformas: Object.fromEntries(openCounts) };
  }
}
