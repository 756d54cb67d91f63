import type { Clock } from '@back-office/kernel';
import type { State } from '../state.js';
import { MemoryWebhookDeliveries } from '../webhooks/memory-webhook-deliveries.js';
import { MemoryWebhookEndpoints } from '../webhooks/memory-webhook-endpoints.js';
import { MemoryWebhookQueue } from '../webhooks/memory-webhook-queue.js';
import { MemoryEventFeed } from './memory-event-feed.js';

export function eventPorts(state: State, clock: Clock) {
  return {
    eventFeed: new MemoryEventFeed(state, clock),
    webhookDeliveries: new MemoryWebhookDeliveries(state, clock),
    webhookEndpoints: new MemoryWebhookEndpoints(state, clock),
    webhookQueue: new MemoryWebhookQueue(state, clock),
  };
}
