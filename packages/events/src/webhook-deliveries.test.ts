import { addSeconds } from '@back-office/kernel';
import type { EventRecord } from './event-feed.js';
import {
  attemptedDelivery,
  clearFollowerTimes,
  chainsOf,
  newDelivery,
  subjectOf,
  type Attempt,
  type Delivery,
} from './webhook-deliveries.js';
import { GIVE_UP_AFTER_SECONDS } from './webhook-rules.js';

const NOW = new Date('2026-11-21T10:00:00Z');
const event = (id: number, recordId: number): EventRecord => ({
  id,
  position: id,
  at: NOW,
  type: 'customer.created',
  recordId,
  warehouseId: null,
  partId: null,
  removed: null,
});
const attempt = (at: Date, status: number): Attempt => ({
  at,
  endedAt: at,
  url: 'https://shop.example',
  requestBytes: 1,
  latencyMs: 2,
  answer: { status, retryAfterSeconds: null, text: '' },
});

describe('subjectOf', () => {
  it('contains the ids of the record and of the warehouse', () => {
    expect(subjectOf(event(1, 7))).toBe('customers/7');
    expect(subjectOf({ type: 'stock.changed', recordId: 5, warehouseId: 2 })).toBe('stocks/5/2');
  });
});

describe('a delivery of an event', () => {
  const first = attemptedDelivery(newDelivery(event(1, 7), NOW, false), attempt(NOW, 500), 0.5);

  it('stays pending after a failure', () => {
    expect(first).toMatchObject({
      status: 'pending',
      attempts: 1,
      firstAttemptAt: NOW,
      nextAttemptAt: addSeconds(NOW, 5),
    });
  });

  it('becomes delivered after a success, and keeps the time of its first attempt', () => {
    const later = addSeconds(NOW, 5);
    expect(attemptedDelivery(first, attempt(later, 204), 0.5)).toMatchObject({
      status: 'delivered',
      attempts: 2,
      firstAttemptAt: NOW,
      lastAttemptAt: later,
      nextAttemptAt: null,
    });
  });

  it('has its last attempt exactly three days after the first one', () => {
    const end = addSeconds(NOW, GIVE_UP_AFTER_SECONDS);
    const late = { ...first, attempts: 20 };
    expect(attemptedDelivery(late, attempt(addSeconds(end, -60), 500), 0.5)).toMatchObject({
      status: 'pending',
      nextAttemptAt: end,
    });
    expect(attemptedDelivery(late, attempt(end, 500), 0.5)).toMatchObject({ status: 'failed', nextAttemptAt: null });
  });
});

describe('deliveries of several records', () => {
  const deliveries = [event(1, 7), event(2, 8), event(3, 7), event(4, 8)].map((one) => newDelivery(one, NOW, false));
  const idsOf = (list: readonly Delivery[]): number[] => list.map(({ event: { id } }) => id);

  it('form a chain for each record', () => {
    expect(chainsOf(deliveries).map(idsOf)).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  it('have no next attempt while an earlier delivery of their record is pending', () => {
    const [first, ...others] = deliveries as [Delivery, ...Delivery[]];
    const times = (list: readonly Delivery[]) => list.map(({ nextAttemptAt }) => nextAttemptAt);
    expect(times(clearFollowerTimes(deliveries))).toEqual([NOW, NOW, null, null]);
    expect(times(clearFollowerTimes([{ ...first, status: 'delivered' }, ...others]))).toEqual([NOW, NOW, NOW, null]);
  });
});
