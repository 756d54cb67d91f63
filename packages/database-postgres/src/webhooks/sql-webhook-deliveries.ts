import {
  EVENT_KINDS,
  MAX_REPLAYED_EVENTS,
  replayEntry,
  selectionOf,
  type Delivery,
  type DeliveryFilter,
  type ReplaySelection,
  type WebhookDeliveries,
} from '@back-office/events';
import type { Clock, Page } from '@back-office/kernel';
import { placeholders, type Placeholder } from '../lists/placeholders.js';
import type { Postgres } from '../connection/postgres.js';
import { DELIVERY_COLUMNS, toDelivery, type DeliveryRow } from './delivery-rows.js';
import { ENDPOINT_COLUMNS, toEndpoint, type EndpointRow } from './endpoint-rows.js';
import { makeDue } from './due-deliveries.js';

const HAS_ENDPOINT = 'select id from webhook_endpoints where app_id = $1 and id = $2';

const LOCK_ENDPOINT = `select ${ENDPOINT_COLUMNS} from webhook_endpoints where app_id = $1 and id = $2 for no key update`;

export class SqlWebhookDeliveries implements WebhookDeliveries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async list(
    appId: number,
    endpointId: number,
    { status, types, from, until }: DeliveryFilter,
    { offset, limit }: Page,
  ): Promise<Delivery[] | undefined> {
    const values: unknown[] = [appId, endpointId];
    const value = placeholders(values);
    const conditions = [
      'app_id = $1 and endpoint_id = $2',
      ...(status === undefined ? [] : [`status = ${value(status)}`]),
      ...(types === undefined ? [] : [`type = any(${value(types)}::text[])`]),
      ...(from === undefined ? [] : [`at >= ${value(from)}`]),
      ...(until === undefined ? [] : [`at < ${value(until)}`]),
    ];
    const text = `select ${DELIVERY_COLUMNS} from webhook_deliveries where ${conditions.join(' and ')}
      order by position desc offset ${value(offset)} limit ${value(limit)}`;
    const rows = await this.database.rows<DeliveryRow>(text, values);
    if (rows.length > 0) return rows.map(toDelivery);
    const endpoints = await this.database.rows(HAS_ENDPOINT, [appId, endpointId]);
    return endpoints.length === 0 ? undefined : [];
  }

  replay(appId: number, endpointId: number, selection: ReplaySelection): Promise<number | undefined> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('webhook');
      const [row] = await transaction.rows<EndpointRow>(LOCK_ENDPOINT, [appId, endpointId]);
      if (row === undefined) return undefined;
      const { text, values } = replayStatement(appId, row, selection);
      const replayedEvents = await transaction.rows(text, values);
      const now = this.clock.now();
      await makeDue(transaction, { appId, endpointId, due: 'first', subjects: null, now });
      transaction.record(appId, now, { entries: [replayEntry(endpointId, selection, replayedEvents.length)] });
      return replayedEvents.length;
    });
  }
}

function replayStatement(appId: number, row: EndpointRow, selection: ReplaySelection) {
  const { types, record } = selectionOf(toEndpoint(row));
  const subjectKinds = types.map((type) => EVENT_KINDS[type].subject);
  const values: unknown[] = [appId, row.id, row.position, types, subjectKinds];
  const value = placeholders(values);
  const conditions = [
    ...conditionsOf(selection, value),
    ...(record === undefined ? [] : [`n.record_id = ${value(record.id)}::bigint`]),
    ...(record?.warehouseId === undefined ? [] : [`n.warehouse_id = ${value(record.warehouseId)}::bigint`]),
  ];
  const text = `
    insert into webhook_deliveries
      (app_id, endpoint_id, event_id, position, at, type, record_id, warehouse_id, part_id, removed, subject, status, attempts)
    select $1, $2, id, position, at, type, record_id, warehouse_id, part_id, removed, subject, 'pending', 0
    from (
      select n.*, concat_ws('/', k.subject, n.record_id, n.warehouse_id) as subject
      from events n join unnest($4::text[], $5::text[]) as k (type, subject) on k.type = n.type
      where n.app_id = $1 and n.position <= $3 and ${conditions.join(' and ')}
      order by n.position limit ${MAX_REPLAYED_EVENTS}
    ) as chosen
    order by id
    on conflict (app_id, endpoint_id, event_id) do update
      set status = 'pending', attempts = 0, first_attempt_at = null, next_attempt_at = null
    returning event_id`;
  return { text, values };
}

function conditionsOf(selection: ReplaySelection, value: Placeholder): string[] {
  if ('eventIds' in selection) return [`n.id = any(${value(selection.eventIds)}::bigint[])`];
  if (!('failed' in selection)) return [`n.at >= ${value(selection.from)}`, `n.at < ${value(selection.until)}`];
  return [
    `exists (
      select from webhook_deliveries f
      where f.app_id = $1 and f.endpoint_id = $2 and f.event_id = n.id and f.status = 'failed'
    )`,
  ];
}
