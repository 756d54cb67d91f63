import type { Delivery, EndpointHealth, WebhookEndpoint } from '@back-office/events';

export interface EndpointRecord {
  readonly id: number;
  readonly endpoint: WebhookEndpoint;
  readonly position: number;
  readonly health: EndpointHealth;
  readonly revision: number;
  readonly lease: string | null;
  readonly leasedUntil: Date | null;
}

export interface DeliveryRecord {
  readonly id: number;
  readonly endpointId: number;
  readonly delivery: Delivery;
}
