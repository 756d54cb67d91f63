import { addSeconds, EVENT_TYPES, type EventType } from '@back-office/kernel';
import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import {
  attemptedDelivery,
  HEALTHY,
  MAX_WEBHOOK_ENDPOINTS,
  newDelivery,
  TOO_MANY_ENDPOINTS,
  type Delivery,
  type EndpointHealth,
  type EventRecord,
  type LeasedEndpoint,
  type NewWebhookEndpoint,
  type StoredResults,
  type WebhookAnswer,
  type WebhookChange,
  type WebhookDeliveries,
  type WebhookEndpoint,
  type WebhookEndpoints,
  type WebhookQueue,
} from '../index.js';
import type { EventFeedFixture } from './event-feed.contract.js';

export interface WebhooksFixture extends EventFeedFixture {
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookQueue: WebhookQueue;
  readonly webhookDeliveries: WebhookDeliveries;
}

const LEASE_SECONDS = 60;
const NEW_ENDPOINT: NewWebhookEndpoint = {
  url: 'https://shop.example/hook',
  description: 'ERP',
  types: null,
  subject: null,
  areas: null,
  createdBy: null,
  secret: 'whsec_AAAA',
};
const OK: WebhookAnswer = { status: 200, retryAfterSeconds: null, text: 'fine' };
const BROKEN: WebhookAnswer = { status: 500, retryAfterSeconds: null, text: 'broken' };
const PAGE = { offset: 0, limit: 100 };

let leaseCount = 0;
function newLease(): string {
  leaseCount += 1;
  return `00000000-0000-4000-8000-${String(leaseCount).padStart(12, '0')}`;
}

export function webhooksContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<WebhooksFixture>,
): void {
  let fixture: WebhooksFixture;
  let appId: number;
  let endpoint: WebhookEndpoint;

  const addEndpoint = async (fields: Partial<NewWebhookEndpoint> = {}, owner = appId): Promise<WebhookEndpoint> => {
    const created = await fixture.webhookEndpoints.create(owner, { ...NEW_ENDPOINT, ...fields });
    if ('refused' in created) throw new Error(created.refused);
    return created;
  };
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
    endpoint = await addEndpoint();
  });

  const now = (): Date => fixture.clock.now();
  const lease = (seconds = LEASE_SECONDS, { id } = endpoint): Promise<LeasedEndpoint | undefined> =>
    fixture.webhookQueue.lease(appId, id, newLease(), seconds);
  const leaseNow = async (): Promise<LeasedEndpoint> => {
    const leased = await lease();
    if (leased === undefined) throw new Error('The endpoint has no lease');
    return leased;
  };
  const isDue = async ({ id } = endpoint): Promise<boolean> =>
    (await fixture.webhookQueue.findDue(1_000)).some((due) => due.appId === appId && due.endpointId === id);
  const readEvents = async (position = 0): Promise<readonly EventRecord[]> => {
    const page = await fixture.eventFeed.page(appId, position, { types: EVENT_TYPES, limit: 100 });
    if ('restartAt' in page) throw new Error('The position has expired');
    return page.events;
  };
  const addEvents = async (count: number): Promise<readonly EventRecord[]> => {
    for (let index = 0; index < count; index += 1) await fixture.addCustomer(appId);
    return (await readEvents()).slice(-count);
  };
  const attempt = (delivery: Delivery, answer: WebhookAnswer): Delivery => {
    const facts = { url: NEW_ENDPOINT.url, requestBytes: 12, latencyMs: 34 };
    return attemptedDelivery(delivery, { at: now(), endedAt: now(), ...facts, answer }, 0.5);
  };
  const delivery = (event: EventRecord, answer?: WebhookAnswer, isBlocked = false): Delivery => {
    const blank = newDelivery(event, now(), isBlocked);
    return answer === undefined ? blank : attempt(blank, answer);
  };
  /** Stores the results of a turn that has read every event. */
  const storeTurn = async (
    deliveries: readonly Delivery[],
    health: EndpointHealth = HEALTHY,
    switchOffReason?: string,
  ): Promise<StoredResults> => {
    const leased = await leaseNow();
    const position = (await readEvents()).at(-1)?.position ?? leased.position;
    return fixture.webhookQueue.storeResults(leased, { position, deliveries, health, switchOffReason });
  };
  const listDeliveries = async (filter = {}): Promise<Delivery[]> =>
    (await fixture.webhookDeliveries.list(appId, endpoint.id, filter, PAGE)) ?? [];
  const eventIdsOf = (deliveries: readonly Delivery[]): number[] => deliveries.map(({ event }) => event.id);
  const withRecordOf = (first: EventRecord, second: EventRecord): EventRecord => ({
    ...second,
    recordId: first.recordId,
  });

  describe('endpoints of webhooks', () => {
    it('are found and listed with their fields', async () => {
      expect(endpoint).toEqual({
        id: expect.any(Number),
        url: NEW_ENDPOINT.url,
        description: 'ERP',
        types: null,
        subject: null,
        areas: null,
        createdBy: null,
        status: 'active',
        statusReason: null,
        secrets: [{ secret: 'whsec_AAAA', expiresAt: null }],
        failingSince: null,
        insertedAt: now(),
        updatedAt: now(),
      });
      const filter = { types: ['order.created'] as EventType[], subject: 'orders/5', areas: ['orders'] as const };
      const second = await addEndpoint({ ...filter, description: null });
      expect(second).toMatchObject({ ...filter, description: null });
      expect(await fixture.webhookEndpoints.find(appId, second.id)).toEqual(second);
      expect(await fixture.webhookEndpoints.list(appId, PAGE)).toEqual([endpoint, second]);
      expect(await fixture.webhookEndpoints.list(appId, { offset: 1, limit: 1 })).toEqual([second]);
    });

    it('are limited in number', async () => {
      for (let count = 1; count < MAX_WEBHOOK_ENDPOINTS; count += 1) await addEndpoint();
      expect(await fixture.webhookEndpoints.create(appId, NEW_ENDPOINT)).toEqual({ refused: TOO_MANY_ENDPOINTS });
    });

    it('keep the fields that a change omits', async () => {
      fixture.clock.forward({ seconds: 5 });
      const changed = await fixture.webhookEndpoints.change(appId, endpoint.id, {
        status: 'paused',
        types: ['order.created'],
      });
      expect(changed).toEqual({ ...endpoint, status: 'paused', types: ['order.created'], updatedAt: now() });
      expect(await fixture.webhookEndpoints.find(appId, endpoint.id)).toEqual(changed);
      const next = await fixture.webhookEndpoints.change(appId, endpoint.id, {
        url: 'https://other.example',
        types: null,
      });
      expect(next).toMatchObject({ url: 'https://other.example', types: null, status: 'paused', description: 'ERP' });
      expect(await fixture.webhookEndpoints.find(appId, endpoint.id)).toEqual(next);
    });

    it('are not changed when no event matches the new filter', async () => {
      const { id } = await addEndpoint({ types: ['order.created'], areas: ['orders'] });
      const change = (fields: WebhookChange) => fixture.webhookEndpoints.change(appId, id, fields);
      expect(await change({ subject: 'stocks/5/2' })).toEqual({ refused: 'is invalid', field: 'subject' });
      expect(await change({ types: ['stock.changed'] })).toEqual({ refused: 'is invalid', field: 'types' });
      expect(await change({ types: ['order.created', 'order.updated'], subject: 'orders/5' })).toMatchObject({ id });
      expect(await change({ types: ['product.created'] })).toEqual({ refused: 'is invalid', field: 'types' });
      expect(await fixture.webhookEndpoints.find(appId, id)).toMatchObject({
        types: ['order.created', 'order.updated'],
        subject: 'orders/5',
      });
    });

    it('sign also with old secrets until the overlap after a rotation ends', async () => {
      const overlapEndsAt = addSeconds(now(), 60);
      await fixture.webhookEndpoints.rotateSecret(appId, endpoint.id, 'whsec_BBBB', overlapEndsAt);
      expect((await fixture.webhookEndpoints.find(appId, endpoint.id))?.secrets).toEqual([
        { secret: 'whsec_BBBB', expiresAt: null },
        { secret: 'whsec_AAAA', expiresAt: overlapEndsAt },
      ]);
      fixture.clock.forward({ seconds: 61 });
      const rotated = await fixture.webhookEndpoints.rotateSecret(appId, endpoint.id, 'whsec_CCCC', now());
      expect(rotated?.secrets).toEqual([{ secret: 'whsec_CCCC', expiresAt: null }]);
    });

    it('are removed with their deliveries', async () => {
      const [event] = (await addEvents(1)) as [EventRecord];
      await storeTurn([delivery(event, OK)]);
      const other = await addEndpoint();
      await addEvents(1);
      const leased = (await lease(LEASE_SECONDS, other)) as LeasedEndpoint;
      const result = { position: leased.position, health: HEALTHY, switchOffReason: undefined };
      await fixture.webhookQueue.storeResults(leased, { ...result, deliveries: [delivery(event, OK)] });
      expect(await fixture.webhookEndpoints.remove(appId, endpoint.id)).toBe(true);
      expect(await fixture.webhookDeliveries.list(appId, other.id, {}, PAGE)).toHaveLength(1);
      expect(await fixture.webhookEndpoints.remove(appId, endpoint.id)).toBe(false);
      expect(await fixture.webhookEndpoints.find(appId, endpoint.id)).toBe(undefined);
      expect(await fixture.webhookDeliveries.list(appId, endpoint.id, {}, PAGE)).toBe(undefined);
    });

    it('belong to one app', async () => {
      const other = await fixture.makeApp();
      const { webhookEndpoints: endpoints, webhookDeliveries: deliveries } = fixture;
      expect(await endpoints.list(other, PAGE)).toEqual([]);
      expect(await endpoints.find(other, endpoint.id)).toBe(undefined);
      expect(await endpoints.change(other, endpoint.id, { status: 'paused' })).toBe(undefined);
      expect(await endpoints.rotateSecret(other, endpoint.id, 'whsec_BBBB', now())).toBe(undefined);
      expect(await endpoints.remove(other, endpoint.id)).toBe(false);
      expect(await deliveries.list(other, endpoint.id, {}, PAGE)).toBe(undefined);
      expect(await deliveries.replay(other, endpoint.id, { failed: true })).toBe(undefined);
      expect(await fixture.webhookQueue.lease(other, endpoint.id, newLease(), LEASE_SECONDS)).toBe(undefined);
      expect(await endpoints.find(appId, endpoint.id)).toEqual(endpoint);
    });
  });

  describe('the queue of webhooks', () => {
    it('contains an endpoint only while it has new events', async () => {
      expect(await isDue()).toBe(false);
      await addEvents(1);
      expect(await isDue()).toBe(true);
      await storeTurn([]);
      expect(await isDue()).toBe(false);
    });

    it('lists healthy endpoints first, in the order of their last leases', async () => {
      const second = await addEndpoint();
      const third = await addEndpoint();
      await addEvents(1);
      const leaseAndStore = async ({ id }: WebhookEndpoint, health: EndpointHealth): Promise<void> => {
        const leased = await lease(LEASE_SECONDS, { ...endpoint, id });
        if (leased === undefined) throw new Error('The endpoint has no lease');
        await fixture.webhookQueue.storeResults(leased, {
          position: leased.position,
          deliveries: [],
          health,
          switchOffReason: undefined,
        });
        fixture.clock.forward({ seconds: 1 });
      };
      await leaseAndStore(endpoint, { failures: 1, failingSince: now(), retryAt: null });
      await leaseAndStore(second, HEALTHY);
      const due = (await fixture.webhookQueue.findDue(1_000)).filter((each) => each.appId === appId);
      expect(due.map(({ endpointId }) => endpointId)).toEqual([third.id, second.id, endpoint.id]);
    });

    it('lists the endpoints of apps in turn', async () => {
      await addEndpoint();
      await addEndpoint();
      const otherAppId = await fixture.makeApp();
      for (let count = 0; count < 2; count += 1) await addEndpoint({}, otherAppId);
      for (const owner of [appId, otherAppId]) await fixture.addCustomer(owner);
      const due = (await fixture.webhookQueue.findDue(1_000)).filter((each) => each.appId >= appId);
      const turns = [appId, otherAppId, appId, otherAppId, appId];
      expect(due.map((each) => each.appId)).toEqual(turns);
    });

    it('starts with the first event after the endpoint is added', async () => {
      await addEvents(2);
      const late = await addEndpoint();
      expect((await lease(LEASE_SECONDS, late))?.position).toBe(2);
    });

    it('leases an endpoint to one worker at a time', async () => {
      await addEvents(1);
      const leased = await leaseNow();
      expect(leased).toMatchObject({ appId, endpoint, position: 0, health: HEALTHY, due: [] });
      expect(await lease()).toBe(undefined);
      expect(await isDue()).toBe(false);
      fixture.clock.forward({ seconds: LEASE_SECONDS });
      expect(await isDue()).toBe(true);
      expect(await lease()).toBeDefined();
      const result = { position: 1, deliveries: [], health: HEALTHY, switchOffReason: undefined };
      expect(await fixture.webhookQueue.storeResults(leased, result)).toBe('nothing');
    });

    it('stores nothing for a worker that has lost its lease', async () => {
      const [event] = (await addEvents(1)) as [EventRecord];
      const leased = await leaseNow();
      fixture.clock.forward({ seconds: LEASE_SECONDS });
      await leaseNow();
      const result = { position: 1, deliveries: [delivery(event, OK)], health: HEALTHY, switchOffReason: 'no' };
      expect(await fixture.webhookQueue.storeResults(leased, result)).toBe('nothing');
      expect(await listDeliveries()).toEqual([]);
      expect(await fixture.webhookEndpoints.find(appId, endpoint.id)).toEqual(endpoint);
    });

    it('leases an endpoint again after its results are stored', async () => {
      await addEvents(1);
      await storeTurn([]);
      expect((await leaseNow()).position).toBe(1);
    });

    it('leases no paused endpoint', async () => {
      await addEvents(1);
      await fixture.webhookEndpoints.change(appId, endpoint.id, { status: 'paused' });
      expect(await isDue()).toBe(false);
      expect(await lease()).toBe(undefined);
      await fixture.webhookEndpoints.change(appId, endpoint.id, { status: 'active' });
      expect(await isDue()).toBe(true);
    });

    it('retries a failed delivery at its scheduled time', async () => {
      const [event] = (await addEvents(1)) as [EventRecord];
      const failed = delivery(event, BROKEN);
      await storeTurn([failed]);
      expect(await isDue()).toBe(false);
      fixture.clock.forward({ seconds: 10 });
      expect(await isDue()).toBe(true);
      expect((await leaseNow()).due).toEqual([failed]);
    });

    it('keeps the order of the events of one record', async () => {
      const [first, other, second] = (await addEvents(3)) as [EventRecord, EventRecord, EventRecord];
      const follower = withRecordOf(first, second);
      await storeTurn([delivery(first, BROKEN), delivery(other), delivery(follower, undefined, true)]);
      const known = await fixture.webhookQueue.findKnown(appId, endpoint.id, [first, other]);
      expect(known.eventIds).toEqual(new Set([first.id, other.id]));
      expect([...known.pendingSubjects].sort()).toEqual(
        [`customers/${first.recordId}`, `customers/${other.recordId}`].sort(),
      );
      const leased = await leaseNow();
      expect(eventIdsOf(leased.due)).toEqual([other.id]);
      const deliveries = leased.due.map((due) => attempt(due, OK));
      const result = { position: 3, deliveries, health: HEALTHY, switchOffReason: undefined };
      await fixture.webhookQueue.storeResults(leased, result);
      expect(await isDue()).toBe(false);
      fixture.clock.forward({ seconds: 10 });
      expect(eventIdsOf((await leaseNow()).due)).toEqual([first.id, follower.id]);
    });

    it('makes the next event of a record due after the previous one is delivered', async () => {
      const [first, second] = (await addEvents(2)) as [EventRecord, EventRecord];
      await storeTurn([delivery(first, BROKEN), delivery(withRecordOf(first, second), undefined, true)]);
      fixture.clock.forward({ seconds: 10 });
      const leased = await leaseNow();
      const deliveries = leased.due.slice(0, 1).map((due) => attempt(due, OK));
      await fixture.webhookQueue.storeResults(leased, {
        position: 2,
        deliveries,
        health: HEALTHY,
        switchOffReason: undefined,
      });
      expect(await isDue()).toBe(true);
      expect(eventIdsOf((await leaseNow()).due)).toEqual([second.id]);
    });

    it('pauses a failing endpoint, and retries every delivery after its recovery', async () => {
      const [first, second] = (await addEvents(2)) as [EventRecord, EventRecord];
      const failing = { failures: 5, failingSince: now(), retryAt: addSeconds(now(), 8) };
      await storeTurn([delivery(first, BROKEN), attempt(attempt(delivery(second), BROKEN), BROKEN)], failing);
      expect((await fixture.webhookEndpoints.find(appId, endpoint.id))?.failingSince).toEqual(failing.failingSince);
      expect(await lease()).toBe(undefined);
      fixture.clock.forward({ seconds: 8 });
      const leased = await leaseNow();
      expect(leased.health).toEqual(failing);
      expect(eventIdsOf(leased.due)).toEqual([first.id]);
      const deliveries = leased.due.map((due) => attempt(due, OK));
      await fixture.webhookQueue.storeResults(leased, {
        position: 2,
        deliveries,
        health: HEALTHY,
        switchOffReason: undefined,
      });
      expect(eventIdsOf((await leaseNow()).due)).toEqual([second.id]);
    });

    it('does not overwrite the health, position and status of an endpoint that was changed during a turn', async () => {
      const [event] = (await addEvents(1)) as [EventRecord];
      const leased = await leaseNow();
      const changed = await fixture.webhookEndpoints.change(appId, endpoint.id, { status: 'active' });
      const health = { failures: 5, failingSince: now(), retryAt: addSeconds(now(), 60) };
      const result = { position: 1, deliveries: [delivery(event, OK)], health, switchOffReason: 'It is gone.' };
      expect(await fixture.webhookQueue.storeResults(leased, result)).toBe('deliveries');
      expect(await fixture.webhookEndpoints.find(appId, endpoint.id)).toEqual(changed);
      expect(await listDeliveries()).toHaveLength(1);
      expect(await leaseNow()).toMatchObject({ position: 0, health: HEALTHY });
      expect(await fixture.webhookQueue.findKnown(appId, endpoint.id, [event])).toEqual({
        eventIds: new Set([event.id]),
        pendingSubjects: new Set(),
      });
      const other = { ...event, id: event.id + 1 };
      expect((await fixture.webhookQueue.findKnown(appId, endpoint.id, [other])).eventIds).toEqual(new Set());
    });

    it('retries every waiting delivery when the endpoint is restarted', async () => {
      const [event] = (await addEvents(1)) as [EventRecord];
      await storeTurn([attempt(attempt(delivery(event, BROKEN), BROKEN), BROKEN)]);
      expect((await leaseNow()).due).toEqual([]);
      fixture.clock.forward({ seconds: LEASE_SECONDS });
      await fixture.webhookEndpoints.change(appId, endpoint.id, { url: 'https://other.example' });
      expect(eventIdsOf((await leaseNow()).due)).toEqual([event.id]);
    });

    it('restarts the three days of retries when the endpoint is restarted', async () => {
      const [first, second] = (await addEvents(2)) as [EventRecord, EventRecord];
      await storeTurn([delivery(first, BROKEN), delivery(withRecordOf(first, second), undefined, true)]);
      await fixture.webhookEndpoints.change(appId, endpoint.id, { status: 'paused' });
      fixture.clock.forward({ hours: 100 });
      await fixture.webhookEndpoints.change(appId, endpoint.id, { status: 'active' });
      const leased = await leaseNow();
      expect(leased.due).toMatchObject([
        { attempts: 0, firstAttemptAt: null, lastAttemptAt: expect.any(Date) },
        { attempts: 0, firstAttemptAt: null, nextAttemptAt: null },
      ]);
      expect(leased.due.slice(0, 1).map((due) => attempt(due, BROKEN))).toMatchObject([{ status: 'pending' }]);
    });

    it('leases no event of a record while a replayed event of the record waits', async () => {
      const [first, second] = (await addEvents(2)) as [EventRecord, EventRecord];
      await storeTurn([delivery(first, OK), delivery(withRecordOf(first, second), BROKEN)]);
      await fixture.webhookDeliveries.replay(appId, endpoint.id, { eventIds: [first.id] });
      const leased = await leaseNow();
      expect(eventIdsOf(leased.due)).toEqual([first.id, second.id]);
      const deliveries = leased.due.slice(0, 1).map((due) => attempt(attempt(due, BROKEN), BROKEN));
      await fixture.webhookQueue.storeResults(leased, {
        position: 2,
        deliveries,
        health: HEALTHY,
        switchOffReason: undefined,
      });
      fixture.clock.forward({ seconds: 20 });
      expect(await isDue()).toBe(false);
    });

    it('switches off an endpoint and stores the reason', async () => {
      await addEvents(1);
      await storeTurn([], HEALTHY, 'It is gone.');
      expect(await fixture.webhookEndpoints.find(appId, endpoint.id)).toMatchObject({
        status: 'switched_off',
        statusReason: 'It is gone.',
      });
      expect(await fixture.webhookEndpoints.findAll(appId, [endpoint.id, 999_999])).toMatchObject([
        { id: endpoint.id, status: 'switched_off' },
      ]);
      expect((await readEvents()).at(-1)).toMatchObject({
        type: 'webhook_endpoint.switched_off',
        recordId: endpoint.id,
      });
      const active = await fixture.webhookEndpoints.change(appId, endpoint.id, { status: 'active' });
      expect(active).toMatchObject({ status: 'active', statusReason: null, failingSince: null });
    });

    it('resets the failure count when the endpoint is restarted', async () => {
      await addEvents(1);
      await storeTurn([], { failures: 5, failingSince: now(), retryAt: addSeconds(now(), 60) });
      await fixture.webhookEndpoints.change(appId, endpoint.id, { status: 'active' });
      expect((await leaseNow()).health).toEqual(HEALTHY);
    });

    it('reports the oldest event that an active endpoint has not received', async () => {
      const lagOf = async (): Promise<Date | null | undefined> =>
        (await fixture.webhookQueue.lags()).find(
          ({ endpointId, appId: owner }) => owner === appId && endpointId === endpoint.id,
        )?.oldestAt;
      expect(await lagOf()).toBe(null);
      const [first] = (await addEvents(1)) as [EventRecord];
      fixture.clock.forward({ seconds: 5 });
      await addEvents(1);
      expect(await lagOf()).toEqual(first.at);
      await storeTurn([delivery(first, BROKEN)]);
      expect(await lagOf()).toEqual(first.at);
      fixture.clock.forward({ seconds: 10 });
      await storeTurn([attempt(delivery(first, BROKEN), OK)]);
      expect(await lagOf()).toBe(null);
      await fixture.webhookEndpoints.change(appId, endpoint.id, { status: 'paused' });
      expect(await lagOf()).toBe(undefined);
    });
  });

  describe('the deliveries of an endpoint', () => {
    it('are listed with their last attempt, newest event first', async () => {
      const events = await addEvents(2);
      const [delivered, failed] = [delivery(events[0] as EventRecord, OK), delivery(events[1] as EventRecord, BROKEN)];
      await storeTurn([delivered, failed]);
      expect(await listDeliveries()).toEqual([failed, delivered]);
      expect(await listDeliveries({ status: 'delivered' })).toEqual([delivered]);
      expect(await listDeliveries({ types: ['order.created'] })).toEqual([]);
      expect(await listDeliveries({ types: ['customer.created'], from: now() })).toHaveLength(2);
      expect(await listDeliveries({ until: now() })).toEqual([]);
      expect(await listDeliveries({ from: addSeconds(now(), 1) })).toEqual([]);
      const secondPage = await fixture.webhookDeliveries.list(appId, endpoint.id, {}, { offset: 1, limit: 1 });
      expect(secondPage).toEqual([delivered]);
    });

    it('become due when the earlier event of their record has expired', async () => {
      await fixture.apps.patch(appId, { events: { retention_days: 1 } });
      const [oldEvent] = (await addEvents(1)) as [EventRecord];
      fixture.clock.forward({ hours: 20 });
      const [newEvent] = (await addEvents(1)) as [EventRecord];
      const failed = attempt(attempt(attempt(delivery(oldEvent, BROKEN), BROKEN), BROKEN), BROKEN);
      await storeTurn([
        { ...failed, nextAttemptAt: addSeconds(now(), 999_999) },
        delivery(withRecordOf(oldEvent, newEvent), undefined, true),
      ]);
      fixture.clock.forward({ hours: 5 });
      await fixture.eventFeed.purge();
      expect(await isDue()).toBe(true);
      expect(eventIdsOf((await leaseNow()).due)).toEqual([newEvent.id]);
    });

    it('are removed when their events expire', async () => {
      await fixture.apps.patch(appId, { events: { retention_days: 1 } });
      const [event] = (await addEvents(1)) as [EventRecord];
      await storeTurn([delivery(event, OK)]);
      fixture.clock.forward({ hours: 25 });
      await fixture.eventFeed.purge();
      expect(await listDeliveries()).toEqual([]);
    });
  });

  describe('a replay to an endpoint', () => {
    it('of events makes them due again, oldest first', async () => {
      const events = await addEvents(3);
      // Only the last event stays pending.
      await storeTurn(events.map((event, index) => delivery(event, index === 2 ? BROKEN : OK)));
      const eventIds = [events[2]?.id ?? 0, events[0]?.id ?? 0, 987_654_321];
      expect(await fixture.webhookDeliveries.replay(appId, endpoint.id, { eventIds })).toBe(2);
      const { due } = await leaseNow();
      expect(eventIdsOf(due)).toEqual([events[0]?.id, events[2]?.id]);
      expect(due[0]).toMatchObject({ status: 'pending', attempts: 0, firstAttemptAt: null, responseText: 'fine' });
    });

    it('of failed deliveries omits other deliveries', async () => {
      const [first, second] = (await addEvents(2)) as [EventRecord, EventRecord];
      await storeTurn([delivery(first, OK), { ...delivery(second, BROKEN), status: 'failed', nextAttemptAt: null }]);
      expect(await fixture.webhookDeliveries.replay(appId, endpoint.id, { failed: true })).toBe(1);
      expect(eventIdsOf((await leaseNow()).due)).toEqual([second.id]);
    });

    it('of a period includes events from before the endpoint was added', async () => {
      await addEvents(1);
      fixture.clock.forward({ seconds: 60 });
      const from = now();
      const [chosen] = (await addEvents(1)) as [EventRecord];
      fixture.clock.forward({ seconds: 60 });
      const until = now();
      await addEvents(1);
      endpoint = await addEndpoint();
      expect(await fixture.webhookDeliveries.replay(appId, endpoint.id, { from, until })).toBe(1);
      expect((await leaseNow()).due).toEqual([newDelivery(chosen, now(), false)]);
    });

    it('selects only events that the endpoint receives', async () => {
      const events = await addEvents(2);
      const subject = `customers/${events[1]?.recordId}`;
      const eventIds = events.map(({ id }) => id);
      const replayed = async (fields: Partial<NewWebhookEndpoint>): Promise<number | undefined> =>
        fixture.webhookDeliveries.replay(appId, (await addEndpoint(fields)).id, { eventIds });
      expect(await replayed({})).toBe(2);
      expect(await replayed({ types: ['order.created'] })).toBe(0);
      expect(await replayed({ areas: ['orders'] })).toBe(0);
      expect(await replayed({ subject })).toBe(1);
    });
  });
}
