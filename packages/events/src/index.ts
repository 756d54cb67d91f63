export * from './event-feed.js';
export * from './event-types.js';
export * from './webhook-audit.js';
export * from './webhook-deliveries.js';
export * from './webhook-endpoint.js';
export * from './webhook-rules.js';
export * from './webhook-sender.js';
