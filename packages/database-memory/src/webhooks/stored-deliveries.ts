import { subjectOf, type Delivery } from '@back-office/events';
import type { State } from '../state.js';
import type { DeliveryRecord } from './records.js';

/** Returns the deliveries in the order of their events. */
export function deliveriesOf(state: State, appId: number, endpointId: number): DeliveryRecord[] {
  return state.webhookDeliveries
    .all(appId)
    .filter((record) => record.endpointId === endpointId)
    .sort((a, b) => a.delivery.event.position - b.delivery.event.position);
}

export function putDeliveries(state: State, appId: number, endpointId: number, deliveries: readonly Delivery[]): void {
  const recordsByEvent = new Map(deliveriesOf(state, appId, endpointId).map((one) => [one.delivery.event.id, one]));
  for (const delivery of deliveries) {
    const stored = recordsByEvent.get(delivery.event.id);
    if (stored) state.webhookDeliveries.put(appId, { ...stored, delivery });
    else state.webhookDeliveries.insert(appId, { endpointId, delivery });
  }
}

/**
 * Makes the first pending delivery of each record due, and clears the time of the later ones. `first` skips a first
 * delivery that already has a time; `all` and `restart` replace a time in the future. `restart` also resets the
 * attempts of all pending deliveries.
 */
export function makeDue(
  state: State,
  appId: number,
  endpointId: number,
  now: Date,
  due: 'first' | 'all' | 'restart',
): void {
  const seenSubjects = new Set<string>();
  for (const record of deliveriesOf(state, appId, endpointId)) {
    const { delivery } = record;
    if (delivery.status !== 'pending') continue;
    const subject = subjectOf(delivery.event);
    const isFirst = !seenSubjects.has(subject);
    seenSubjects.add(subject);
    const { nextAttemptAt } = delivery;
    const isMadeDue = nextAttemptAt === null || (due !== 'first' && nextAttemptAt > now);
    const newDelivery = {
      ...delivery,
      ...(due === 'restart' && { attempts: 0, firstAttemptAt: null }),
      nextAttemptAt: !isFirst ? null : isMadeDue ? now : nextAttemptAt,
    };
    state.webhookDeliveries.put(appId, { ...record, delivery: newDelivery });
  }
}
