import {
  MAX_ATTEMPTS_PER_TURN,
  MIN_FAILURES_TO_SLOW_DOWN,
  subjectOf,
  switchedOffEvents,
  type Delivery,
  type EndpointLag,
  type EventRecord,
  type KnownDeliveries,
  type LeasedEndpoint,
  type StoredResults,
  type TurnResult,
  type WebhookQueue,
} from '@back-office/events';
import { addSeconds, type Clock } from '@back-office/kernel';
import { publish } from '../events/published-events.js';
import type { State } from '../state.js';
import type { EndpointRecord } from './records.js';
import { deliveriesOf, makeDue, putDeliveries } from './stored-deliveries.js';

export class MemoryWebhookQueue implements WebhookQueue {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async findDue(limit: number): Promise<readonly { readonly appId: number; readonly endpointId: number }[]> {
    const { webhookEndpoints } = this.state;
    const now = this.clock.now();
    return webhookEndpoints
      .appIds()
      .flatMap((appId) =>
        webhookEndpoints
          .all(appId)
          .filter((record) => isLeasable(record, now) && this.hasWork(appId, record, now))
          .sort(compareDue)
          .map((record, turn) => ({ appId, record, turn })),
      )
      .sort((a, b) => compareHealth(a.record, b.record) || a.turn - b.turn || compareDue(a.record, b.record))
      .slice(0, limit)
      .map(({ appId, record }) => ({ appId, endpointId: record.id }));
  }

  async lease(appId: number, endpointId: number, lease: string, seconds: number): Promise<LeasedEndpoint | undefined> {
    const { state } = this;
    return state.memory.transaction(() => {
      const now = this.clock.now();
      const record = state.webhookEndpoints.get(appId, endpointId);
      if (record === undefined || !isLeasable(record, now)) return undefined;
      state.webhookEndpoints.put(appId, { ...record, lease, leasedUntil: addSeconds(now, seconds) });
      const { endpoint, position, health, revision } = record;
      return { appId, endpoint, lease, revision, position, health, due: this.dueDeliveries(appId, endpointId, now) };
    });
  }

  async findKnown(appId: number, endpointId: number, events: readonly EventRecord[]): Promise<KnownDeliveries> {
    const subjects = new Set(events.map(subjectOf));
    const ids = new Set(events.map(({ id }) => id));
    const deliveries = deliveriesOf(this.state, appId, endpointId).map(({ delivery }) => delivery);
    const pendingSubjects = deliveries.flatMap(({ status, event }) => (status === 'pending' ? subjectOf(event) : []));
    return {
      eventIds: new Set(deliveries.flatMap(({ event }) => (ids.has(event.id) ? event.id : []))),
      pendingSubjects: new Set(pendingSubjects.filter((subject) => subjects.has(subject))),
    };
  }

  async storeResults(leased: LeasedEndpoint, result: TurnResult): Promise<StoredResults> {
    const { state } = this;
    const { appId, endpoint, lease, health: previousHealth } = leased;
    return state.memory.transaction((): StoredResults => {
      const record = state.webhookEndpoints.get(appId, endpoint.id);
      if (record === undefined || record.lease !== lease) return 'nothing';
      putDeliveries(state, appId, endpoint.id, result.deliveries);
      const { health, switchOffReason } = result;
      if (result.deliveries.length > 0) {
        const hasRecovered = previousHealth.failures >= MIN_FAILURES_TO_SLOW_DOWN && health.failures === 0;
        makeDue(state, appId, endpoint.id, this.clock.now(), hasRecovered ? 'all' : 'first');
      }
      if (record.revision !== leased.revision) {
        state.webhookEndpoints.put(appId, { ...record, lease: null });
        return 'deliveries';
      }
      const isSwitchedOff = switchOffReason !== undefined && record.endpoint.status === 'active';
      const status = isSwitchedOff
        ? ({ status: 'switched_off', statusReason: switchOffReason } as const)
        : { status: record.endpoint.status };
      state.webhookEndpoints.put(appId, {
        ...record,
        endpoint: { ...record.endpoint, failingSince: health.failingSince, ...status },
        position: Math.max(record.position, result.position),
        health,
        lease: null,
      });
      if (isSwitchedOff) publish(state, appId, this.clock.now(), switchedOffEvents(endpoint.id));
      return 'all';
    });
  }

  async lags(): Promise<readonly EndpointLag[]> {
    const { webhookEndpoints, events } = this.state;
    return webhookEndpoints.appIds().flatMap((appId) =>
      webhookEndpoints
        .all(appId)
        .filter(({ endpoint }) => endpoint.status === 'active')
        .map(({ id: endpointId, position }) => {
          const pendingAt = this.pendingDeliveries(appId, endpointId).map(({ event }) => event.at);
          const missingAt = events.all(appId).flatMap((event) => (event.position > position ? [event.at] : []));
          const [oldestAt = null] = [...pendingAt, ...missingAt].sort((a, b) => a.getTime() - b.getTime());
          return { appId, endpointId, oldestAt };
        }),
    );
  }

  private hasWork(appId: number, { id, position }: EndpointRecord, now: Date): boolean {
    const lastPosition = this.state.eventFeeds.get(appId, appId)?.last_position ?? 0;
    if (lastPosition > position) return true;
    return this.pendingDeliveries(appId, id).some(
      ({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt <= now,
    );
  }

  private dueDeliveries(appId: number, endpointId: number, now: Date): Delivery[] {
    const isDueBySubject = new Map<string, boolean>();
    const due = this.pendingDeliveries(appId, endpointId).filter(({ event, nextAttemptAt }) => {
      const subject = subjectOf(event);
      if (!isDueBySubject.has(subject)) isDueBySubject.set(subject, nextAttemptAt !== null && nextAttemptAt <= now);
      return isDueBySubject.get(subject);
    });
    return due.slice(0, MAX_ATTEMPTS_PER_TURN);
  }

  private pendingDeliveries(appId: number, endpointId: number): Delivery[] {
    return deliveriesOf(this.state, appId, endpointId)
      .map(({ delivery }) => delivery)
      .filter(({ status }) => status === 'pending');
  }
}

function isLeasable({ endpoint, health, leasedUntil, lease }: EndpointRecord, now: Date): boolean {
  const { retryAt } = health;
  const isLeased = lease !== null && leasedUntil !== null && leasedUntil > now;
  return endpoint.status === 'active' && (retryAt === null || retryAt <= now) && !isLeased;
}

function isFailing({ health }: EndpointRecord): boolean {
  return health.failingSince !== null;
}

function compareHealth(a: EndpointRecord, b: EndpointRecord): number {
  return Number(isFailing(a)) - Number(isFailing(b));
}

/** Healthy endpoints come before failing ones. Among equals, the endpoint that was leased longest ago comes first. */
function compareDue(a: EndpointRecord, b: EndpointRecord): number {
  return compareHealth(a, b) || (a.leasedUntil?.getTime() ?? 0) - (b.leasedUntil?.getTime() ?? 0);
}
