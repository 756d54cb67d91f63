import { EVENT_TYPES, type EventType } from '@back-office/kernel';

/**
 * A select of changed records with the columns `app_id`, `id`, `part` (see {@link PART}), `at` (time of the change) and
 * `label` (name of the record in the report).
 */
export type Changes = string;

export const NO_PART = '0 as part';
/** Returns a select of the rows of a table that meet `where`, each row as a change. */
export const changesSql = (noun: string, table: string, at: string, where = 'true'): Changes => `
  select app_id, id, ${NO_PART}, ${at} as at, format('${noun} %s', id) as label from ${table} where ${where}`;

/**
 * Id of the warehouse of a stock event, id of the refund of a refund event, index of an alert, or 0 for other events.
 */
const PART = 'coalesce(warehouse_id, part_id, 0) as part';

export const typesOfKind = (...kinds: readonly string[]): EventType[] =>
  EVENT_TYPES.filter((type) => kinds.includes(type.split('.')[0] ?? ''));

export const ALL_EVENTS = `
  select app_id, at, type, record_id, warehouse_id, part_id from events
  union all
  select u.app_id, u.at, u.type, e.record_id, e.warehouse_id, e.part_id
  from unplaced_events u
  cross join lateral unnest(u.record_ids, u.warehouse_ids, u.part_ids) as e (record_id, warehouse_id, part_id)`;

export const eventsOfSql = (types: readonly EventType[], part = PART): string => `
  select app_id, record_id as id, ${part}, count(*) as count, max(at) as at
  from (${ALL_EVENTS}) as events where type in (${types.map((type) => `'${type}'`).join(', ')}) group by 1, 2, 3`;

/**
 * Time of the oldest event of each app, plus one hour if events were purged. Every later change must have an event. The
 * hour is a margin: events are purged by position, and the order of positions may differ from the order of times by
 * minutes.
 */
export const OLDEST_EVENTS = `
  select e.app_id, min(e.at) + case when f.purged_position > 0 then interval '1 hour' else interval '0' end as at
  from (${ALL_EVENTS}) as e left join event_feeds f on f.app_id = e.app_id group by e.app_id, f.purged_position`;

export const comparisonSql = (types: readonly EventType[], changes: Changes, part = PART): string => `
  from (${changes}) as r
  join (${OLDEST_EVENTS}) as oldest on oldest.app_id = r.app_id and r.at > oldest.at
  left join (${eventsOfSql(types, part)}) as e on e.app_id = r.app_id and e.id = r.id and e.part = r.part`;

/** Finds changes that do not have exactly one event. */
export const oneEventSql = (type: EventType, changes: Changes): string => `
  select r.app_id, format('%s: %s events', r.label, coalesce(e.count, 0)) as breach
  ${comparisonSql([type], changes)}
  where coalesce(e.count, 0) <> 1`;

/**
 * Finds records whose last change has no event of these types. Pass {@link NO_PART} to ignore the part of the event.
 */
export const lastEventSql = (types: readonly EventType[], changes: Changes, part = PART): string => `
  select r.app_id, format('%s: changed at %s, last event at %s', r.label, r.at, coalesce(e.at::text, 'no time')) as breach
  ${comparisonSql(types, changes, part)}
  where e.at is null or e.at < r.at`;

/**
 * Finds records without an event of this type. Ignores times, because the change may come from a node with another
 * clock.
 */
export const someEventSql = (type: EventType, changes: Changes): string => `
  select r.app_id, format('%s: no event', r.label) as breach ${comparisonSql([type], changes)} where e.count is null`;
