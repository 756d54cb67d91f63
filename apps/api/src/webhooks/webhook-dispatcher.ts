import type { AppContext, AppQueries } from '@back-office/apps';
import {
  attemptedDelivery,
  clearFollowerTimes,
  chainsOf,
  isDelivered,
  isGone,
  deriveHealth,
  MAX_ATTEMPTS_PER_TURN,
  MIN_FAILURES_TO_SLOW_DOWN,
  newDelivery,
  retryAfterSeconds,
  selectionOf,
  subjectOf,
  type Delivery,
  type EventFeed,
  type EventPage,
  type EventRecord,
  type LeasedEndpoint,
  type WebhookAnswer,
  type WebhookQueue,
  type WebhookSender,
} from '@back-office/events';
import type { Clock } from '@back-office/kernel';
import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { DeliveryPace } from './delivery-pace.js';
import { EndpointSlots } from './endpoint-slots.js';
import { stopOf } from './stop-promise.js';
import { messageId, type WebhookMessages } from './webhook-messages.js';

/** More than the slots, because slow endpoints may have no slot now. */
const MAX_DUE = 1_000;
const MAX_REQUESTS_PER_ENDPOINT = 16;
const MAX_REQUESTS_PER_SLOW_ENDPOINT = 2;
/** Time after which a turn starts no further request. */
const TURN_MS = 4_000;
/** Time after which an endpoint must wait while other endpoints take turns. */
const MAX_TURNS_MS = 10_000;
/** Longer than a turn and its last request. If a worker dies, other workers wait this long for its endpoints. */
const LEASE_SECONDS = 25;

export interface DispatcherPorts {
  readonly apps: Pick<AppQueries, 'context'>;
  readonly feed: EventFeed;
  readonly queue: WebhookQueue;
  readonly sender: WebhookSender;
}

export interface AttemptCounts {
  readonly delivered: number;
  readonly failed: number;
}

export interface DispatchReport {
  switchedOff(appId: number, endpointId: number, reason: string): void;
  failed(appId: number, endpointId: number, error: unknown): void;
}

interface EndpointWork {
  readonly appId: number;
  readonly endpointId: number;
  readonly stopping: AbortSignal;
  readonly report: DispatchReport;
}

interface TurnWork {
  readonly app: AppContext;
  readonly leased: LeasedEndpoint;
  readonly stopping: AbortSignal;
  readonly endMs: number;
}

interface AttemptResult {
  readonly delivery: Delivery;
  readonly answer: WebhookAnswer;
  readonly latencyMs: number;
}

/**
 * Delivers events to the endpoints of all apps. Endpoints take separate turns, and the apps start deliveries in turn.
 */
export class WebhookDispatcher {
  private readonly slots: EndpointSlots;
  private readonly pace = new DeliveryPace();
  private readonly counts = { delivered: 0, failed: 0 };

  constructor(
    private readonly ports: DispatcherPorts,
    private readonly messages: WebhookMessages,
    private readonly clock: Clock,
  ) {
    this.slots = new EndpointSlots(clock);
  }

  get attempts(): AttemptCounts {
    return this.counts;
  }

  /** Starts a turn for each due endpoint without waiting for its end. */
  async start(stopping: AbortSignal, report: DispatchReport): Promise<void> {
    if (this.slots.isFull || stopping.aborted) return;
    for (const { appId, endpointId } of await this.ports.queue.findDue(MAX_DUE))
      this.slots.start(keyOf(appId, endpointId), () =>
        this.deliverAll({ appId, endpointId, stopping, report }).catch((error: unknown) =>
          report.failed(appId, endpointId, error),
        ),
      );
  }

  /** Waits until all running turns have ended. */
  idle(): Promise<void> {
    return this.slots.idle();
  }

  private async deliverAll(work: EndpointWork): Promise<void> {
    const endMs = performance.now() + MAX_TURNS_MS;
    while (!work.stopping.aborted && performance.now() < endMs && (await this.takeTurn(work)));
  }

  /** Makes one turn of an endpoint. Returns whether more deliveries may be due now. */
  private async takeTurn({ appId, endpointId, stopping, report }: EndpointWork): Promise<boolean> {
    const { apps, queue } = this.ports;
    const leased = await queue.lease(appId, endpointId, randomUUID(), LEASE_SECONDS);
    const app = leased && (await apps.context(appId));
    if (leased === undefined || app === undefined) return false;
    const endMs = performance.now() + TURN_MS;
    const isSlowedDown = leased.health.failures >= MIN_FAILURES_TO_SLOW_DOWN;
    const dueDeliveries = leased.due.slice(0, isSlowedDown ? 1 : MAX_ATTEMPTS_PER_TURN);
    // Also sends a new event to a slowed-down endpoint. A receiver that refuses all repeated events may still accept a
    // new one.
    const page = await this.readNew(leased, isSlowedDown ? 1 : MAX_ATTEMPTS_PER_TURN - dueDeliveries.length);
    const newDeliveries = await this.newDeliveries(leased, page.events);
    const startedAt = this.clock.now();
    // If the turn omits older deliveries, newer deliveries of the same record must wait for them.
    const isComplete = dueDeliveries.length === leased.due.length;
    const sendableDeliveries = newDeliveries.filter(({ nextAttemptAt }) => isComplete || nextAttemptAt !== null);
    const attempts = await this.attempt({ app, leased, stopping, endMs }, [...dueDeliveries, ...sendableDeliveries]);
    const answers = attempts.map(({ answer }) => answer);
    const attemptedById = new Map(attempts.map(({ delivery }) => [delivery.event.id, delivery]));
    const { health, switchOffReason } = deriveHealth(leased.health, {
      startedAt,
      endedAt: this.clock.now(),
      answers,
      hasFirstAttempt: attempts.some(({ delivery }) => delivery.attempts === 1),
    });
    const deliveries = clearFollowerTimes([
      ...dueDeliveries.flatMap(({ event }) => attemptedById.get(event.id) ?? []),
      ...newDeliveries.map((delivery) => attemptedById.get(delivery.event.id) ?? delivery),
    ]);
    const stored = await queue.storeResults(leased, { position: page.position, deliveries, health, switchOffReason });
    this.count(answers);
    const latenciesMs = attempts.map(({ latencyMs }) => latencyMs);
    this.slots.note(keyOf(appId, endpointId), latenciesMs);
    if (stored === 'all' && switchOffReason !== undefined) report.switchedOff(appId, endpointId, switchOffReason);
    const hasMore = page.hasMore || dueDeliveries.length === MAX_ATTEMPTS_PER_TURN;
    return stored !== 'nothing' && hasMore && health.retryAt === null && switchOffReason === undefined;
  }

  private count(answers: readonly WebhookAnswer[]): void {
    const deliveredCount = answers.filter(isDelivered).length;
    this.counts.delivered += deliveredCount;
    this.counts.failed += answers.length - deliveredCount;
  }

  /** Reads the next events after the position. If they have expired, continues with the oldest event in the feed. */
  private async readNew({ appId, endpoint, position }: LeasedEndpoint, limit: number): Promise<EventPage> {
    if (limit <= 0) return { events: [], position, hasMore: true };
    const selection = { ...selectionOf(endpoint), limit };
    const page = await this.ports.feed.page(appId, position, selection);
    if (!('restartAt' in page)) return page;
    return this.readNew({ appId, endpoint, position: page.restartAt } as LeasedEndpoint, limit);
  }

  /** Makes deliveries of new events. Omits events that an earlier turn stored before the endpoint was changed. */
  private async newDeliveries(
    { appId, endpoint }: LeasedEndpoint,
    events: readonly EventRecord[],
  ): Promise<Delivery[]> {
    if (events.length === 0) return [];
    const now = this.clock.now();
    const { eventIds, pendingSubjects } = await this.ports.queue.findKnown(appId, endpoint.id, events);
    return events
      .filter(({ id }) => !eventIds.has(id))
      .map((event) => newDelivery(event, now, pendingSubjects.has(subjectOf(event))));
  }

  /**
   * Sends the deliveries of each record in order. Returns the attempted deliveries with their answers. A failed
   * delivery ends the chain of its record.
   */
  private async attempt(turn: TurnWork, deliveries: readonly Delivery[]): Promise<AttemptResult[]> {
    const { app, leased, stopping, endMs } = turn;
    const events = deliveries.map(({ event }) => event);
    if (events.length === 0) return [];
    const bodyOf = await this.messages.bodiesOf(app, events);
    const isSlow = this.slots.isSlow(keyOf(app.id, leased.endpoint.id));
    const limit = pLimit(isSlow ? MAX_REQUESTS_PER_SLOW_ENDPOINT : MAX_REQUESTS_PER_ENDPOINT);
    const stop = stopOf(stopping);
    const results: AttemptResult[] = [];
    const dueIds = new Set(leased.due.map(({ event }) => event.id));
    let isHalted = false;
    const runChain = async (chain: readonly Delivery[]): Promise<void> => {
      const [first] = chain;
      // The first delivery of a chain must be due; otherwise an earlier delivery of this record is pending.
      if (first && first.nextAttemptAt === null && !dueIds.has(first.event.id)) return;
      for (const delivery of chain) {
        if (isHalted || stopping.aborted || performance.now() > endMs) return;
        await Promise.race([this.pace.take(app.id), stop.promise]);
        if (isHalted || stopping.aborted || performance.now() > endMs) return;
        const result = await this.attemptOne(leased, delivery, bodyOf(delivery.event), stop.promise);
        if (result === undefined) return;
        results.push(result);
        isHalted ||= isGone(result.answer) || retryAfterSeconds(result.answer) > 0;
        if (!isDelivered(result.answer)) return;
      }
    };
    await Promise.all(chainsOf(deliveries).map((chain) => limit(() => runChain(chain)))).finally(stop.forget);
    return results;
  }

  /** Sends one delivery. Returns `undefined` when the process stops before the answer arrives. */
  private async attemptOne(
    { endpoint }: LeasedEndpoint,
    delivery: Delivery,
    body: string,
    stopped: Promise<undefined>,
  ): Promise<AttemptResult | undefined> {
    const request = this.messages.requestOf(endpoint, messageId(endpoint, delivery.event), body);
    const at = this.clock.now();
    const startMs = performance.now();
    const answer = await Promise.race([this.ports.sender.send(request), stopped]);
    if (answer === undefined) return undefined;
    const latencyMs = Math.round(performance.now() - startMs);
    const requestBytes = Buffer.byteLength(body);
    const attempt = { at, endedAt: this.clock.now(), url: endpoint.url, requestBytes, latencyMs, answer };
    return { delivery: attemptedDelivery(delivery, attempt, Math.random()), answer, latencyMs };
  }
}

function keyOf(appId: number, endpointId: number): string {
  return `${appId}/${endpointId}`;
}
