import {
  MAX_REPLAYED_EVENTS,
  newDelivery,
  replayEntry,
  selectionOf,
  type Delivery,
  type DeliveryFilter,
  type EventRecord,
  type ReplaySelection,
  type WebhookDeliveries,
} from '@back-office/events';
import type { Clock, Page } from '@back-office/kernel';
import { audit } from '../apps/audit-entries.js';
import { isSelected } from '../events/memory-event-feed.js';
import { pageOf } from '../lists.js';
import type { State } from '../state.js';
import { deliveriesOf, makeDue, putDeliveries } from './stored-deliveries.js';

export class MemoryWebhookDeliveries implements WebhookDeliveries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async list(appId: number, endpointId: number, filter: DeliveryFilter, page: Page): Promise<Delivery[] | undefined> {
    if (this.state.webhookEndpoints.get(appId, endpointId) === undefined) return undefined;
    const deliveries = deliveriesOf(this.state, appId, endpointId).map(({ delivery }) => delivery);
    return pageOf(deliveries.filter((delivery) => matches(delivery, filter)).reverse(), page);
  }

  async replay(appId: number, endpointId: number, selection: ReplaySelection): Promise<number | undefined> {
    const { state } = this;
    return state.memory.transaction(() => {
      const record = state.webhookEndpoints.get(appId, endpointId);
      if (record === undefined) return undefined;
      const feedSelection = { ...selectionOf(record.endpoint), limit: MAX_REPLAYED_EVENTS };
      const isChosen = this.selectorOf(appId, endpointId, selection);
      const events = state.events
        .all(appId)
        .filter((event) => event.position <= record.position && isSelected(event, feedSelection) && isChosen(event))
        .slice(0, MAX_REPLAYED_EVENTS);
      const now = this.clock.now();
      putDeliveries(state, appId, endpointId, this.resetDeliveries(appId, endpointId, events));
      makeDue(state, appId, endpointId, now, 'first');
      audit(state, appId, now, [replayEntry(endpointId, selection, events.length)]);
      return events.length;
    });
  }

  /**
   * Returns a pending delivery without attempts for each event, and makes a new one if none is stored. Keeps the logged
   * result of the last attempt.
   */
  private resetDeliveries(appId: number, endpointId: number, events: readonly EventRecord[]): Delivery[] {
    const records = deliveriesOf(this.state, appId, endpointId);
    const deliveries = new Map(records.map(({ delivery }) => [delivery.event.id, delivery]));
    const now = this.clock.now();
    return events.map((event) => {
      const delivery = deliveries.get(event.id) ?? newDelivery(event, now, true);
      return { ...delivery, status: 'pending', attempts: 0, firstAttemptAt: null, nextAttemptAt: null };
    });
  }

  private selectorOf(appId: number, endpointId: number, selection: ReplaySelection): (event: EventRecord) => boolean {
    if ('eventIds' in selection) return ({ id }) => selection.eventIds.includes(id);
    if (!('failed' in selection)) return ({ at }) => at >= selection.from && at < selection.until;
    const failedIds = new Set(
      deliveriesOf(this.state, appId, endpointId)
        .filter(({ delivery }) => delivery.status === 'failed')
        .map(({ delivery }) => delivery.event.id),
    );
    return ({ id }) => failedIds.has(id);
  }
}

function matches({ status, event }: Delivery, filter: DeliveryFilter): boolean {
  return (
    (filter.status === undefined || filter.status === status) &&
    (filter.types === undefined || filter.types.includes(event.type)) &&
    (filter.from === undefined || event.at >= filter.from) &&
    (filter.until === undefined || event.at < filter.until)
  );
}
