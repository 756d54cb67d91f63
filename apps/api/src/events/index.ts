export { describeEvents } from './event-descriptions.js';
export { EventRecords } from './event-records.js';
export { EventWaits } from './event-waits.js';
export { eventRoutes } from './events.routes.js';
export { presentEvent } from './present-event.js';
export { ENDPOINT_FIELDS, presentEndpoint, WebhookEndpointShape } from './webhook-endpoint.js';
