import { DEFAULT_EVENT_RETENTION_DAYS } from '@back-office/apps';
import {
  MAX_READ_EVENTS,
  type EventFeed,
  type EventPage,
  type EventRecord,
  type EventSelection,
  type PositionExpired,
} from '@back-office/events';
import { addHours, type Clock } from '@back-office/kernel';
import { placeholders } from '../lists/placeholders.js';
import type { Postgres } from '../connection/postgres.js';

const MAX_PLACED_EVENTS = 10_000;
const MAX_PURGED_EVENTS = 5_000;
const HOURS_PER_DAY = 24;

const FIND_UNPLACED = 'select 1 from unplaced_events where app_id = $1 limit 1';

const LOCK_FEED = `
  insert into event_feeds (app_id, last_position) values ($1, 0)
  on conflict (app_id) do update set last_position = event_feeds.last_position
  returning last_position as "lastPosition"`;

// The ids of a record's events follow the order of its commits, so every batch keeps this order.
// The largest id of a batch is computed first, because without statistics a join may compare each row with all others.
const PLACE_EVENTS = `
  with taken as (
    delete from unplaced_events where app_id = $1 and id <= (
      select max(id) from (
        select id, sum(cardinality(record_ids)) over (order by id) - cardinality(record_ids) as earlier_events
        from (
          select id, record_ids from unplaced_events where app_id = $1 order by id limit ${MAX_PLACED_EVENTS}
        ) as oldest
      ) as counted
      where earlier_events < ${MAX_PLACED_EVENTS}
    ) returning id, at, type, record_ids, warehouse_ids, part_ids, removed
  ), placed as (
    insert into events (app_id, at, type, record_id, warehouse_id, part_id, removed, position)
    select $1, t.at, t.type, e.record_id, e.warehouse_id, e.part_id, t.removed -> (e.index::int - 1),
      $2 + row_number() over (order by t.id, e.index)
    from taken t cross join lateral unnest(t.record_ids, t.warehouse_ids, t.part_ids)
      with ordinality as e (record_id, warehouse_id, part_id, index)
    order by t.id, e.index
    returning position
  ), moved as (
    update event_feeds set last_position = (select max(position) from placed)
    where app_id = $1 and exists (select from placed)
  )
  select count(*)::int as count from placed`;

const EVENT_COLUMNS = `id, position, at, type, record_id as "recordId", warehouse_id as "warehouseId",
  part_id as "partId", removed`;

const FIND_LAST_POSITION = 'select last_position as "lastPosition" from event_feeds where app_id = $1';

const FIND_APPS = `
  /* across apps: how long apps keep events */
  select app_id as id, coalesce((settings -> 'events' ->> 'retention_days')::int, ${DEFAULT_EVENT_RETENTION_DAYS}) as days
  from app_settings order by app_id`;

const FIND_OLDEST = 'select at from events where app_id = $1 order by position limit 1';

const FIND_OLDEST_EVENTS = `
  select position, at from events where app_id = $1 order by position limit ${MAX_PURGED_EVENTS}`;

/** Locks in the order of ids, to prevent a deadlock with a worker that stores the results of a turn. */
const LOCK_ENDPOINTS = 'select id from webhook_endpoints where app_id = $1 order by id for no key update';

const PURGE_EVENTS = `
  with purged as (
    delete from events where app_id = $1 and position <= $2
  ), purged_delivery as (
    delete from webhook_deliveries where app_id = $1 and position <= $2
  )
  update event_feeds set purged_position = $2 where app_id = $1 and purged_position < $2`;

/** Makes events due that waited behind a purged event of the same record. */
const MAKE_FOLLOWERS_DUE = `
  update webhook_deliveries d set next_attempt_at = $2
  where d.app_id = $1 and d.status = 'pending' and d.next_attempt_at is null and not exists (
    select from webhook_deliveries h
    where h.app_id = $1 and h.endpoint_id = d.endpoint_id and h.status = 'pending' and h.subject = d.subject
      and h.position < d.position
  )`;

type PageRow = { readonly lastPosition: number; readonly purgedPosition: number } & (
  | EventRecord
  | { readonly id: null }
);

/**
 * Transactions add rows to `unplaced_events`. The first reader of the feed moves the committed rows to `events` and
 * gives each event a position. Only one reader of an app does so at a time, so positions follow the order of commits
 * and no writer waits.
 */
export class SqlEventFeed implements EventFeed {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async page(appId: number, after: number | 'start', selection: EventSelection): Promise<EventPage | PositionExpired> {
    await this.placeNew(appId);
    const position = after === 'start' ? 0 : after;
    const { text, values } = pageStatement(appId, position, selection);
    const rows = await this.database.rows<PageRow>(text, values);
    const [firstRow] = rows;
    const { lastPosition, purgedPosition } = firstRow ?? { lastPosition: 0, purgedPosition: 0 };
    if (after !== 'start' && (after < purgedPosition || after > lastPosition)) return { restartAt: purgedPosition };
    const events = rows.flatMap((row) => (row.id === null ? [] : [toEvent(row)]));
    const readUpTo = Math.max(position, Math.min(Math.max(position, purgedPosition) + MAX_READ_EVENTS, lastPosition));
    const end = events.length === selection.limit ? (events.at(-1)?.position ?? position) : readUpTo;
    return { events, position: end, hasMore: end < lastPosition };
  }

  async lastPosition(appId: number): Promise<number> {
    await this.placeNew(appId);
    const [feed] = await this.database.rows<{ lastPosition: number }>(FIND_LAST_POSITION, [appId]);
    return feed?.lastPosition ?? 0;
  }

  async purge(): Promise<boolean> {
    let hasMore = false;
    for (const { id, days } of await this.database.rows<{ id: number; days: number }>(FIND_APPS)) {
      // Without this call, the first reader after weeks would have to place millions of events.
      await this.placeNew(id);
      const end = addHours(this.clock.now(), -days * HOURS_PER_DAY);
      const [oldest] = await this.database.rows<{ at: Date }>(FIND_OLDEST, [id]);
      if (oldest && oldest.at < end) hasMore = (await this.purgeApp(id, end)) || hasMore;
    }
    return hasMore;
  }

  /** Removes only the start of the feed, so that a reader knows by its position whether it missed events. */
  private async purgeApp(appId: number, end: Date): Promise<boolean> {
    const events = await this.database.rows<{ position: number; at: Date }>(FIND_OLDEST_EVENTS, [appId]);
    const keptIndex = events.findIndex(({ at }) => at >= end);
    const purgedEvents = keptIndex < 0 ? events : events.slice(0, keptIndex);
    const lastPurged = purgedEvents.at(-1);
    if (lastPurged) {
      await this.database.transaction(async (transaction) => {
        transaction.locks('webhook');
        await transaction.rows(LOCK_ENDPOINTS, [appId]);
        await transaction.rows(PURGE_EVENTS, [appId, lastPurged.position]);
        await transaction.runLast(MAKE_FOLLOWERS_DUE, [appId, this.clock.now()]);
      });
    }
    return purgedEvents.length === MAX_PURGED_EVENTS;
  }

  private async placeNew(appId: number): Promise<void> {
    while ((await this.database.rows(FIND_UNPLACED, [appId])).length > 0) {
      const placedCount = await this.database.transaction(async (transaction) => {
        const [feed] = await transaction.rows<{ lastPosition: number }>(LOCK_FEED, [appId]);
        // Places events in a new statement. Only a new statement sees events that were committed during the wait for
        // the lock.
        const [placed] = await transaction.runLast<{ count: number }>(PLACE_EVENTS, [appId, feed?.lastPosition]);
        return placed?.count ?? 0;
      });
      if (placedCount < MAX_PLACED_EVENTS) return;
    }
  }
}

function pageStatement(appId: number, after: number, { types, record, limit }: EventSelection) {
  const values: unknown[] = [appId, after, limit];
  const value = placeholders(values);
  const conditions = [
    `type = any(${value(types)}::text[])`,
    ...(record === undefined ? [] : [`record_id = ${value(record.id)}::bigint`]),
    ...(record?.warehouseId === undefined ? [] : [`warehouse_id = ${value(record.warehouseId)}::bigint`]),
  ];
  const text = `
    select f.last_position as "lastPosition", f.purged_position as "purgedPosition", e.*
    from event_feeds f left join lateral (
      select ${EVENT_COLUMNS} from events
      where app_id = $1 and position > greatest($2, f.purged_position)
        and position <= greatest($2, f.purged_position) + ${MAX_READ_EVENTS} and ${conditions.join(' and ')}
      order by position limit $3
    ) as e on true
    where f.app_id = $1 order by e.position`;
  return { text, values };
}

function toEvent(row: PageRow & EventRecord): EventRecord {
  const { id, position, at, type, recordId, warehouseId, partId, removed } = row;
  return { id, position, at, type, recordId, warehouseId, partId, removed };
}
