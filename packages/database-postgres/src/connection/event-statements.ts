import type { DomainEvent, EventType } from '@back-office/kernel';
import { FIXED_PLAN } from './prepared-statements.js';

/** Limits the row size. PostgreSQL stores rows above 2 kB separately, and this costs more than another row. */
const MAX_EVENTS_PER_ROW = 100;

const EVENT_COLUMNS = 'app_id, at, type, record_ids, warehouse_ids, part_ids, removed';

/** Must run while the records are locked, so that the ids follow the order in which the changes of a record commit. */
const INSERT_EVENTS = `${FIXED_PLAN} ${insertSql('$2', 'e.record_ids', '', '$3')}`;

export function eventsStatement(appId: number, at: Date, events: readonly DomainEvent[]) {
  return { text: INSERT_EVENTS, values: [appId, at, eventRows(events)] };
}

/**
 * CTE that adds the events of the parameter `events`, see {@link eventRows}. `newRecord` names a CTE that returns
 * the id of a new record. Events without record ids get this id.
 */
export function eventsSql(at: string, events: string, newRecord?: string): string {
  const insert = newRecord
    ? insertSql(at, `coalesce(e.record_ids, array[${newRecord}.id])`, `${newRecord}, `, events)
    : insertSql(at, 'e.record_ids', '', events);
  return `event as (${insert})`;
}

function insertSql(at: string, recordIds: string, from: string, events: string): string {
  return `
    insert into unplaced_events (${EVENT_COLUMNS})
    select $1, ${at}, e.type, ${recordIds}, e.warehouse_ids, e.part_ids, e.removed
    from ${from}json_to_recordset(${events})
      as e (ordinal int, type text, record_ids bigint[], warehouse_ids bigint[], part_ids bigint[], removed jsonb)
    order by e.ordinal`;
}

/** Puts consecutive events of the same type into one row, and returns the rows as JSON. */
export function eventRows(events: readonly DomainEvent[]): string {
  const groups: DomainEvent[][] = [];
  for (const event of events) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    if (group && first && canShareRow(first, event) && group.length < MAX_EVENTS_PER_ROW) group.push(event);
    else groups.push([event]);
  }
  return JSON.stringify(groups.map(rowOf));
}

function canShareRow(first: DomainEvent, event: DomainEvent): boolean {
  return (
    first.type === event.type &&
    (first.removed === undefined) === (event.removed === undefined) &&
    first.recordId !== null &&
    event.recordId !== null
  );
}

function rowOf(group: readonly DomainEvent[], ordinal: number) {
  const [first] = group;
  const listUnlessEmpty = <Value>(values: readonly (Value | undefined)[]) =>
    values.some((value) => value !== undefined) ? values : undefined;
  return {
    ordinal,
    type: first?.type,
    record_ids: first?.recordId === null ? undefined : group.map(({ recordId }) => recordId),
    warehouse_ids: listUnlessEmpty(group.map(({ warehouseId }) => warehouseId)),
    part_ids: listUnlessEmpty(group.map(({ partId }) => partId)),
    removed: listUnlessEmpty(group.map(({ removed }) => removed)),
  };
}

/** CTE that adds an event for each id of the CTE `files`. */
export function fileEventsSql(type: EventType, files: string, at: string): string {
  return `event as (
    insert into unplaced_events (app_id, at, type, record_ids)
    select $1, ${at}, '${type}', array_agg(id order by id)
    from (select id, (row_number() over (order by id) - 1) / ${MAX_EVENTS_PER_ROW} as slice from ${files}) as sliced
    group by slice order by slice
  )`;
}
