import {
  MIN_FAILURES_TO_SLOW_DOWN,
  subjectOf,
  switchedOffEvents,
  type EndpointLag,
  type EventRecord,
  type KnownDeliveries,
  type LeasedEndpoint,
  type StoredResults,
  type TurnResult,
  type WebhookQueue,
} from '@back-office/events';
import { addSeconds, type Clock } from '@back-office/kernel';
import type { Transaction } from '../connection/transaction.js';
import type { Postgres } from '../connection/postgres.js';
import { WEBHOOK_DELIVERIES } from '../tables/webhooks.js';
import { DELIVERY_COLUMNS, toDelivery, toDeliveryRow, type DeliveryRow } from './delivery-rows.js';
import { FIND_DUE_DELIVERIES, makeDue } from './due-deliveries.js';
import { ENDPOINT_COLUMNS, toEndpoint, type EndpointRow } from './endpoint-rows.js';

const FIND_DUE = `
  /* across apps: endpoints of webhooks that are due */
  select "appId", "endpointId" from (
    select e.app_id as "appId", e.id as "endpointId", e.failing_since is not null as "isFailing", e.leased_until,
      row_number() over (
        partition by e.app_id order by e.failing_since is not null, e.leased_until nulls first, e.id
      ) as turn
    from webhook_endpoints e
    where e.status = 'active' and (e.retry_at is null or e.retry_at <= $1)
      and (e.lease is null or e.leased_until <= $1)
      and (
        exists (
          select from webhook_deliveries d
          where d.app_id = e.app_id and d.endpoint_id = e.id and d.next_attempt_at <= $1
        )
        or exists (select from unplaced_events n where n.app_id = e.app_id)
        or exists (select from event_feeds f where f.app_id = e.app_id and f.last_position > e.position)
      )
  ) as due
  order by "isFailing", turn, leased_until nulls first, "appId", "endpointId" limit $2`;

const LEASE_ENDPOINT = `
  update webhook_endpoints set lease = $3, leased_until = $4
  where app_id = $1 and id = $2 and status = 'active' and (retry_at is null or retry_at <= $5)
    and (lease is null or leased_until <= $5)
  returning ${ENDPOINT_COLUMNS}`;

const FIND_KNOWN = `
  select distinct null::bigint as "eventId", subject from webhook_deliveries
  where app_id = $1 and endpoint_id = $2 and status = 'pending' and subject = any($3::text[])
  union all
  select event_id, null from webhook_deliveries where app_id = $1 and endpoint_id = $2 and event_id = any($4::bigint[])`;

const LOCK_LEASED = `
  select revision from webhook_endpoints where app_id = $1 and id = $2 and lease = $3 for no key update`;

const CHANGED_COLUMNS = WEBHOOK_DELIVERIES.columns.pick(
  'status',
  'attempts',
  'first_attempt_at',
  'last_attempt_at',
  'next_attempt_at',
  'url',
  'request_bytes',
  'latency_ms',
  'response_status',
  'error',
  'response_text',
);

// Inserts rows in the order of the primary key, because replays lock them in this order too.
const STORE_DELIVERIES = `
  insert into webhook_deliveries (${DELIVERY_COLUMNS})
  select $1, $2, ${WEBHOOK_DELIVERIES.columns.names.slice(2).join(', ')}
  from json_to_recordset($3) as d (${WEBHOOK_DELIVERIES.columns.typedList}) order by event_id
  on conflict (app_id, endpoint_id, event_id) do update set ${CHANGED_COLUMNS.setFrom('excluded')}`;

const SETTLE_ENDPOINT = `
  update webhook_endpoints set position = greatest(position, $3), failures = $4, failing_since = $5, retry_at = $6,
    status = case when $7::text is null or status <> 'active' then status else 'switched_off' end,
    status_reason = case when status = 'active' then $7 else status_reason end, lease = null
  where app_id = $1 and id = $2`;

const END_LEASE = 'update webhook_endpoints set lease = null where app_id = $1 and id = $2';

const FIND_LAGS = `
  /* across apps: how far endpoints of webhooks are behind */
  select e.app_id as "appId", e.id as "endpointId", least(
    (select min(d.at) from webhook_deliveries d
     where d.app_id = e.app_id and d.endpoint_id = e.id and d.status = 'pending'),
    (select n.at from events n where n.app_id = e.app_id and n.position > e.position order by n.position limit 1),
    (select n.at from unplaced_events n where n.app_id = e.app_id order by n.id limit 1)
  ) as "oldestAt"
  from webhook_endpoints e where e.status = 'active' order by e.app_id, e.id`;

export class SqlWebhookQueue implements WebhookQueue {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  findDue(limit: number): Promise<readonly { readonly appId: number; readonly endpointId: number }[]> {
    return this.database.rows(FIND_DUE, [this.clock.now(), limit]);
  }

  async lease(appId: number, endpointId: number, lease: string, seconds: number): Promise<LeasedEndpoint | undefined> {
    const now = this.clock.now();
    const values = [appId, endpointId, lease, addSeconds(now, seconds), now];
    const [row] = await this.database.rows<EndpointRow>(LEASE_ENDPOINT, values);
    if (row === undefined) return undefined;
    const due = await this.database.rows<DeliveryRow>(FIND_DUE_DELIVERIES, [appId, endpointId, now]);
    const health = { failures: row.failures, failingSince: row.failing_since, retryAt: row.retry_at };
    const { position, revision } = row;
    return { appId, endpoint: toEndpoint(row), lease, revision, position, health, due: due.map(toDelivery) };
  }

  async findKnown(appId: number, endpointId: number, events: readonly EventRecord[]): Promise<KnownDeliveries> {
    const subjects = [...new Set(events.map(subjectOf))];
    const values = [appId, endpointId, subjects, events.map(({ id }) => id)];
    const rows = await this.database.rows<{ eventId: number | null; subject: string | null }>(FIND_KNOWN, values);
    return {
      eventIds: new Set(rows.flatMap(({ eventId }) => eventId ?? [])),
      pendingSubjects: new Set(rows.flatMap(({ subject }) => subject ?? [])),
    };
  }

  storeResults(leased: LeasedEndpoint, result: TurnResult): Promise<StoredResults> {
    const { appId, endpoint, lease, revision, health: previousHealth } = leased;
    const { position, deliveries, health, switchOffReason = null } = result;
    return this.database.transaction<StoredResults>(async (transaction) => {
      transaction.locks('webhook');
      const [stored] = await transaction.rows<{ revision: number }>(LOCK_LEASED, [appId, endpoint.id, lease]);
      if (stored === undefined) return 'nothing';
      if (deliveries.length > 0) {
        await storeDeliveries(transaction, appId, endpoint.id, deliveries);
        const hasRecovered = previousHealth.failures >= MIN_FAILURES_TO_SLOW_DOWN && health.failures === 0;
        const subjects = hasRecovered ? null : deliveries.map(({ event }) => subjectOf(event));
        const due = hasRecovered ? 'all' : 'first';
        await makeDue(transaction, { appId, endpointId: endpoint.id, due, subjects, now: this.clock.now() });
      }
      if (stored.revision !== revision) {
        await transaction.runLast(END_LEASE, [appId, endpoint.id]);
        return 'deliveries';
      }
      if (switchOffReason !== null)
        transaction.record(appId, this.clock.now(), { events: switchedOffEvents(endpoint.id) });
      const { failures, failingSince, retryAt } = health;
      const values = [appId, endpoint.id, position, failures, failingSince, retryAt, switchOffReason];
      await transaction.runLast(SETTLE_ENDPOINT, values);
      return 'all';
    });
  }

  lags(): Promise<readonly EndpointLag[]> {
    return this.database.rows<EndpointLag>(FIND_LAGS);
  }
}

async function storeDeliveries(
  transaction: Transaction,
  appId: number,
  endpointId: number,
  deliveries: TurnResult['deliveries'],
): Promise<void> {
  const rows = deliveries.map((delivery) => toDeliveryRow(appId, endpointId, delivery));
  await transaction.rows(STORE_DELIVERIES, [appId, endpointId, JSON.stringify(rows)]);
}
