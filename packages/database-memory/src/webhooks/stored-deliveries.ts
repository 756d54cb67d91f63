import { subjectOf, type Delivery } from '@back-office/events';
import type { State } from '../state.js';
import type { DeliveryRecord } from './records.js';

/** Returns the deliveries of an endpoint in the order of their events. */
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

/** Makes each first pending delivery of a record due; after a recovery, all of them that wait. */
export function makeDue(state: State, appId: number, endpointId: number, now: Date, hasRecovered: boolean): void {
  const seenSubjects = new Set<string>();
  for (const record of deliveriesOf(state, appId, endpointId)) {
    const { delivery } = record;
    if (delivery.status !== 'pending') continue;
    const subject = subjectOf(delivery.event);
    const isFirst = !seenSubjects.has(subject);
    seenSubjects.add(subject);
    const { nextAttemptAt } = delivery;
    const isDue = isFirst && (nextAttemptAt === null || (hasRecovered && nextAttemptAt > now));
    if (isDue || (!isFirst && nextAttemptAt !== null)) {
      const newDelivery = { ...delivery, nextAttemptAt: isFirst ? now : null };
      state.webhookDeliveries.put(appId, { ...record, delivery: newDelivery });
    }
  }
}
