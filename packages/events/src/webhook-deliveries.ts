import { addSeconds, type EventType, type Page } from '@back-office/kernel';
import { EVENT_KINDS } from './event-types.js';
import type { EventRecord } from './event-feed.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';
import {
  GIVE_UP_AFTER_SECONDS,
  isDelivered,
  retryAt,
  type EndpointHealth,
  type WebhookAnswer,
} from './webhook-rules.js';

/** A `pending` delivery is retried for three days after its first attempt, then becomes `failed`. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface Delivery {
  readonly event: EventRecord;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly firstAttemptAt: Date | null;
  readonly lastAttemptAt: Date | null;
  /** Null while an earlier event of the same record is pending, and after the last attempt of this delivery. */
  readonly nextAttemptAt: Date | null;
  readonly url: string | null;
  readonly requestBytes: number | null;
  readonly latencyMs: number | null;
  readonly responseStatus: number | null;
  readonly error: string | null;
  /** The first kilobyte of the latest answer. */
  readonly responseText: string | null;
}

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly types?: readonly EventType[] | undefined;
  readonly from?: Date | undefined;
  /** Exclusive end of the period. */
  readonly until?: Date | undefined;
}

/** Events to deliver again. `from` and `until` are limits of the event time; `until` is exclusive. */
export type ReplaySelection =
  | { readonly eventIds: readonly number[] }
  | { readonly failed: true }
  | { readonly from: Date; readonly until: Date };

export const MAX_REPLAYED_EVENTS = 10_000;
/** Maximum number of attempts in a turn. The results of an endpoint are stored after each turn. */
export const MAX_ATTEMPTS_PER_TURN = 100;

export interface WebhookDeliveries {
  /** Lists deliveries, newest event first; returns `undefined` for a missing endpoint. */
  list(appId: number, endpointId: number, filter: DeliveryFilter, page: Page): Promise<Delivery[] | undefined>;
  /**
   * Makes the selected events pending again, even delivered ones, oldest first. Skips events that the endpoint does not
   * receive or that have expired. Returns the number of events; `undefined` for a missing endpoint.
   */
  replay(appId: number, endpointId: number, selection: ReplaySelection): Promise<number | undefined>;
}

/** An endpoint that only one worker may serve, until that worker stores its results or the lease ends. */
export interface LeasedEndpoint {
  readonly appId: number;
  readonly endpoint: WebhookEndpoint;
  readonly lease: string;
  /** Increases with each change of the endpoint. */
  readonly revision: number;
  /** Every event up to this position was delivered or has a stored delivery. */
  readonly position: number;
  readonly health: EndpointHealth;
  /** Due deliveries, and pending deliveries that wait behind them, in the order of their events. */
  readonly due: readonly Delivery[];
}

export interface TurnResult {
  readonly position: number;
  readonly deliveries: readonly Delivery[];
  readonly health: EndpointHealth;
  readonly switchOffReason: string | undefined;
}

/**
 * Which results of a turn were stored. `deliveries`: only the deliveries, because the endpoint was changed during the
 * turn; the next turn reads the same events again with the new filter. `nothing`: the worker had lost its lease.
 */
export type StoredResults = 'all' | 'deliveries' | 'nothing';

export interface EndpointLag {
  readonly appId: number;
  readonly endpointId: number;
  /** Time of the oldest event that the endpoint has not received; null when it has received every event. */
  readonly oldestAt: Date | null;
}

export interface KnownDeliveries {
  readonly eventIds: ReadonlySet<number>;
  readonly pendingSubjects: ReadonlySet<string>;
}

export interface WebhookQueue {
  /**
   * Returns active endpoints of all apps that may have events to deliver. Healthy endpoints come before failing ones.
   * Among equals, the apps take turns, and the endpoint of an app that was leased longest ago comes first.
   */
  findDue(limit: number): Promise<readonly { readonly appId: number; readonly endpointId: number }[]>;
  /** Returns `undefined` when another worker has leased the endpoint, or the endpoint is no longer due. */
  lease(appId: number, endpointId: number, lease: string, seconds: number): Promise<LeasedEndpoint | undefined>;
  /** Returns which of these events have stored deliveries, and which of their records have pending deliveries. */
  findKnown(appId: number, endpointId: number, events: readonly EventRecord[]): Promise<KnownDeliveries>;
  /** Stores the results of a turn and ends the lease. */
  storeResults(leased: LeasedEndpoint, result: TurnResult): Promise<StoredResults>;
  lags(): Promise<readonly EndpointLag[]>;
}

/** Returns kind and ids of the record, such as `stocks/5/2`. */
export function subjectOf({
  type,
  recordId,
  warehouseId,
}: Pick<EventRecord, 'type' | 'recordId' | 'warehouseId'>): string {
  return [EVENT_KINDS[type].subject, recordId, ...(warehouseId === null ? [] : [warehouseId])].join('/');
}

/** `isBlocked` is true while an earlier event of the same record is pending. */
export function newDelivery(event: EventRecord, now: Date, isBlocked: boolean): Delivery {
  return {
    event,
    status: 'pending',
    attempts: 0,
    firstAttemptAt: null,
    lastAttemptAt: null,
    nextAttemptAt: isBlocked ? null : now,
    url: null,
    requestBytes: null,
    latencyMs: null,
    responseStatus: null,
    error: null,
    responseText: null,
  };
}

export interface Attempt {
  readonly at: Date;
  readonly endedAt: Date;
  readonly url: string;
  readonly requestBytes: number;
  readonly latencyMs: number;
  readonly answer: WebhookAnswer;
}

/** Returns the delivery after the attempt. `random`, from 0 to 1, spreads simultaneous retries. */
export function attemptedDelivery(delivery: Delivery, attempt: Attempt, random: number): Delivery {
  const { at, endedAt, url, requestBytes, latencyMs, answer } = attempt;
  const attempts = delivery.attempts + 1;
  const firstAttemptAt = delivery.firstAttemptAt ?? at;
  const giveUpAt = addSeconds(firstAttemptAt, GIVE_UP_AFTER_SECONDS);
  const status = isDelivered(answer) ? 'delivered' : giveUpAt <= endedAt ? 'failed' : 'pending';
  const nextAttemptAt = retryAt(endedAt, attempts, answer, random);
  return {
    ...delivery,
    status,
    attempts,
    firstAttemptAt,
    lastAttemptAt: at,
    nextAttemptAt: status !== 'pending' ? null : nextAttemptAt < giveUpAt ? nextAttemptAt : giveUpAt,
    url,
    requestBytes,
    latencyMs,
    responseStatus: 'status' in answer ? answer.status : null,
    error: 'error' in answer ? answer.error : null,
    responseText: 'status' in answer ? answer.text : null,
  };
}

/** Groups the deliveries by record. The deliveries of one record are sent one after another. */
export function chainsOf(deliveries: readonly Delivery[]): Delivery[][] {
  const chains = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const subject = subjectOf(delivery.event);
    const chain = chains.get(subject);
    if (chain) chain.push(delivery);
    else chains.set(subject, [delivery]);
  }
  return [...chains.values()];
}

/**
 * Keeps the time of the first pending delivery of each record. Clears the times of the others, because they must wait.
 */
export function clearFollowerTimes(deliveries: readonly Delivery[]): Delivery[] {
  const pendingSubjects = new Set<string>();
  return deliveries.map((delivery) => {
    const subject = subjectOf(delivery.event);
    if (delivery.status !== 'pending') return delivery;
    if (pendingSubjects.has(subject)) return { ...delivery, nextAttemptAt: null };
    pendingSubjects.add(subject);
    return delivery;
  });
}
