import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { EVENT_TYPES, type EventType } from '@back-office/kernel';
import { expect } from 'expect';
import type { EventFeed, EventPage } from '../index.js';

export interface EventFeedFixture {
  readonly eventFeed: EventFeed;
  readonly apps: {
    patch(appId: number, patch: { readonly events: { readonly retention_days: number } }): Promise<unknown>;
  };
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  /** Adding a customer publishes `customer.created`. */
  addCustomer(appId: number): Promise<{ readonly id: number }>;
  close(): Promise<void>;
}

const WRITERS = 50;
const CUSTOMERS_PER_WRITER = 4;

export function eventFeedContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<EventFeedFixture>,
): void {
  let fixture: EventFeedFixture;
  let appId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
  });

  const addCustomers = async (count: number): Promise<number[]> => {
    const ids: number[] = [];
    for (let index = 0; index < count; index += 1) ids.push((await fixture.addCustomer(appId)).id);
    return ids;
  };
  const page = async (
    position: number | 'start',
    limit = 100,
    types: readonly EventType[] = EVENT_TYPES,
  ): Promise<EventPage> => {
    const result = await fixture.eventFeed.page(appId, position, { types, limit });
    if ('restartAt' in result) throw new Error('The position has expired');
    return result;
  };
  const recordIdsOf = ({ events }: EventPage): number[] => events.map(({ recordId }) => recordId);

  describe('the event feed of an app', () => {
    it('is empty without events', async () => {
      expect(await page('start')).toEqual({ events: [], position: 0, hasMore: false });
      expect(await fixture.eventFeed.lastPosition(appId)).toBe(0);
    });

    it('has each event once, in order', async () => {
      const ids = await addCustomers(3);
      const result = await page('start');
      expect(recordIdsOf(result)).toEqual(ids);
      expect(result.events[0]).toEqual({
        id: expect.any(Number),
        position: 1,
        at: fixture.clock.now(),
        type: 'customer.created',
        recordId: ids[0],
        warehouseId: null,
        partId: null,
        removed: null,
      });
      expect(result.events.map(({ position }) => position)).toEqual([1, 2, 3]);
      expect(result).toMatchObject({ position: 3, hasMore: false });
      expect(await page(3)).toEqual({ events: [], position: 3, hasMore: false });
    });

    it('continues after a full page', async () => {
      const ids = await addCustomers(5);
      const firstPage = await page('start', 2);
      expect(firstPage).toMatchObject({ position: 2, hasMore: true });
      const secondPage = await page(firstPage.position, 3);
      expect([...recordIdsOf(firstPage), ...recordIdsOf(secondPage)]).toEqual(ids);
      expect(secondPage).toMatchObject({ position: 5, hasMore: false });
    });

    it('omits events of other types and records, but advances past them', async () => {
      const [, secondId = 0] = await addCustomers(3);
      expect(await page('start', 100, ['order.created'])).toEqual({ events: [], position: 3, hasMore: false });
      const selection = { types: EVENT_TYPES, record: { id: secondId }, limit: 100 };
      const selected = await fixture.eventFeed.page(appId, 'start', selection);
      expect(recordIdsOf(selected as EventPage)).toEqual([secondId]);
      expect(selected).toMatchObject({ position: 3 });
      const otherWarehouseSelection = { ...selection, record: { id: secondId, warehouseId: 1 } };
      expect(await fixture.eventFeed.page(appId, 'start', otherWarehouseSelection)).toMatchObject({ events: [] });
    });

    it('has no events of another app', async () => {
      await addCustomers(2);
      const otherApp = await fixture.makeApp();
      expect(await fixture.eventFeed.page(otherApp, 'start', { types: EVENT_TYPES, limit: 100 })).toMatchObject({
        events: [],
      });
    });

    it('returns the position of its newest event even before a page is read', async () => {
      await addCustomers(2);
      expect(await fixture.eventFeed.lastPosition(appId)).toBe(2);
    });
  });

  describe('a reader of the event feed during concurrent writes', () => {
    it('misses no event, sees none twice, and sees the events of each writer in order', async () => {
      const written: number[][] = Array.from({ length: WRITERS }, () => []);
      let isDone = false;
      const write = async (ids: number[]): Promise<void> => {
        for (let index = 0; index < CUSTOMERS_PER_WRITER; index += 1) ids.push((await fixture.addCustomer(appId)).id);
      };
      const read = async (): Promise<number[]> => {
        const ids: number[] = [];
        let position = 0;
        for (;;) {
          const wasDone = isDone;
          const result = await page(position, 7);
          ids.push(...recordIdsOf(result));
          position = result.position;
          if (wasDone && !result.hasMore) return ids;
        }
      };
      const reading = Promise.all([read(), read()]);
      await Promise.all(written.map(write));
      isDone = true;
      for (const ids of await reading) {
        expect([...ids].sort((a, b) => a - b)).toEqual(written.flat().sort((a, b) => a - b));
        const orderOf = new Map(ids.map((id, index) => [id, index]));
        for (const own of written)
          expect([...own].sort((a, b) => (orderOf.get(a) ?? 0) - (orderOf.get(b) ?? 0))).toEqual(own);
      }
    });
  });

  describe('the event feed after events were removed', () => {
    it('removes events after the retention time, and reports the gap when a page is read later', async () => {
      await fixture.apps.patch(appId, { events: { retention_days: 2 } });
      await addCustomers(3);
      fixture.clock.forward({ hours: 36 });
      const [newId] = await addCustomers(1);
      await fixture.eventFeed.purge();
      expect(await page('start')).toMatchObject({ position: 4 });
      fixture.clock.forward({ hours: 24 });
      await fixture.eventFeed.purge();
      expect(recordIdsOf(await page('start'))).toEqual([newId]);
      expect(recordIdsOf(await page(3))).toEqual([newId]);
      expect(await fixture.eventFeed.page(appId, 2, { types: EVENT_TYPES, limit: 100 })).toEqual({ restartAt: 3 });
    });

    it('reports a gap to a reader that started at position 0', async () => {
      await addCustomers(2);
      fixture.clock.forward({ hours: 31 * 24 });
      await fixture.eventFeed.purge();
      expect(await fixture.eventFeed.page(appId, 0, { types: EVENT_TYPES, limit: 100 })).toEqual({ restartAt: 2 });
    });

    it('reports a gap for a position beyond the end, as after the restore of a backup', async () => {
      await addCustomers(2);
      expect(await page(2)).toMatchObject({ events: [], position: 2 });
      expect(await fixture.eventFeed.page(appId, 3, { types: EVENT_TYPES, limit: 100 })).toEqual({ restartAt: 0 });
      const other = await fixture.makeApp();
      expect(await fixture.eventFeed.page(other, 1, { types: EVENT_TYPES, limit: 100 })).toEqual({ restartAt: 0 });
    });

    it('reports a gap for an old position even when no page was read before', async () => {
      await addCustomers(2);
      fixture.clock.forward({ hours: 31 * 24 });
      await fixture.eventFeed.purge();
      expect(await page('start')).toEqual({ events: [], position: 2, hasMore: false });
      expect(await fixture.eventFeed.page(appId, 1, { types: EVENT_TYPES, limit: 100 })).toEqual({ restartAt: 2 });
    });
  });
}
