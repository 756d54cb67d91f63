import type { DomainEvent, EventType } from '@back-office/kernel';

/** Must run while the records are locked: ids then have the order in which the changes of a record commit. */
const INSERT_EVENTS = `
  insert into events (app_id, at, type, record_id, warehouse_id, part_id, removed)
  select $1, $2, e.type, e.record_id, e.warehouse_id, e.part_id, e.removed::jsonb
  from unnest($3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[])
    with ordinality as e (type, record_id, warehouse_id, part_id, removed, ordinal)
  order by ordinal`;

export function eventsStatement(appId: number, at: Date, events: readonly DomainEvent[]) {
  const values = [
    appId,
    at,
    events.map(({ type }) => type),
    events.map(({ recordId }) => recordId),
    events.map(({ warehouseId }) => warehouseId ?? null),
    events.map(({ partId }) => partId ?? null),
    events.map(({ removed }) => (removed ? JSON.stringify(removed) : null)),
  ];
  return { text: INSERT_EVENTS, values };
}

/**
 * CTE that adds the events of the parameter `events`, see {@link eventRows}. `newRecord` names a CTE with the id of a
 * new record, which gets the events without a record.
 */
export function eventsSql(at: string, events: string, newRecord?: string): string {
  const [recordId, from] = newRecord
    ? [`coalesce(e.record_id, ${newRecord}.id)`, `${newRecord}, json_to_recordset`]
    : ['e.record_id', 'json_to_recordset'];
  return `event as (
    insert into events (app_id, at, type, record_id, warehouse_id, part_id)
    select $1, ${at}, e.type, ${recordId}, e.warehouse_id, e.part_id
    from ${from}(${events})
      as e (ordinal int, type text, record_id bigint, warehouse_id bigint, part_id bigint)
    order by ordinal
  )`;
}

export function eventRows(events: readonly DomainEvent[]): string {
  return JSON.stringify(
    events.map(({ type, recordId, warehouseId, partId }, ordinal) => ({
      ordinal,
      type,
      record_id: recordId,
      warehouse_id: warehouseId,
      part_id: partId,
    })),
  );
}

/** CTE that adds an event for each id of the CTE `files`. */
export function fileEventsSql(type: EventType, files: string, at: string): string {
  return `event as (
    insert into events (app_id, at, type, record_id) select $1, ${at}, '${type}', id from ${files} order by id
  )`;
}
