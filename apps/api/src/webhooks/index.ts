export { HttpWebhookSender } from './http-webhook-sender.js';
export { Targets } from './targets.js';
export { TestMessage } from './test-message.js';
export { webhookDeliveryRoutes } from './webhook-deliveries.routes.js';
export { WebhookDispatcher, type AttemptCounts, type DispatchReport } from './webhook-dispatcher.js';
export { webhookEndpointRoutes } from './webhook-endpoints.routes.js';
export { WebhookMessages } from './webhook-messages.js';
